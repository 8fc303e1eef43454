"""The pictures of docs/pictures are what is drawn from the code and its contracts now."""

import xml.etree.ElementTree as ET

import draw_certificate
import draw_storeys
import draw_width
import drawn_pictures
import pytest

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def drawn():
    return drawn_pictures.drawn()


@pytest.mark.parametrize(
    "name", ["certificate.svg", "width.svg", "storeys.svg", "keeper-storeys.svg"]
)
def test_the_picture_is_fresh(name, drawn):
    assert (drawn_pictures.PICTURES / name).read_text("utf-8") == drawn[name], "run `make pictures`"


def test_each_picture_is_looked_at_and_says_what_it_shows(drawn):
    assert len(drawn) == 4
    for svg in drawn.values():
        root = ET.fromstring(svg)  # noqa: S314 (our own text)
        assert root.find(f"{SVG}title").text
        assert len(root.find(f"{SVG}desc").text) > 60


def test_every_room_of_the_contract_is_drawn_in_its_order():
    contract, *_ = draw_storeys.contracts()
    rooms = [room for layer in contract["layers"] for room in layer.split(" | ")]
    texts = [t.text for t in ET.fromstring(draw_storeys.drawn(contract)).iter(f"{SVG}text")]  # noqa: S314

    assert [text for text in texts if text in rooms] == rooms


def test_a_room_that_is_not_there_is_refused():
    contract, *_ = draw_storeys.contracts()
    with pytest.raises(ModuleNotFoundError, match=r"nofluke\.attic"):
        draw_storeys.drawn(contract | {"layers": ["attic"]})


def test_the_exact_band_is_narrower_at_every_number_of_examples():
    found = draw_width.widths()

    assert [w.n for w in found] == list(draw_width.SIZES)
    assert all(0.3 < 1 - w.kolmogorov / w.paper < 0.36 for w in found)


def test_a_promise_is_never_rounded_up():
    assert draw_certificate._promise(0.81599) == "81.5 %"
