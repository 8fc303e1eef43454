"""Names: what is taken, and when two are the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke.errors import InputError
from nofluke.server import names


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ann", "aNN"),
        ("Ann  Lee", " ann lee "),
        ("STRASSE", "straße"),
        ("Ａｎｎ", "ann"),  # full width
        ("cafe\u0301", "CAF\u00c9"),
        ("ﬁnn", "FINN"),  # a ligature
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),  # the last sigma
        ("x\u00b2", "X2"),
    ],
)
def test_names_that_people_take_for_the_same_are_the_same(a, b):
    assert names.folded(a) == names.folded(b)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "has 0 characters"),
        (" \u00a0\u3000 ", "has 0 characters"),
        ("x" * 65, "has 65 characters"),
        ("ﷺ" * 4, "has 72 characters"),  # one character that is eighteen when compared
        ("x" * 2_000_000, "has 2000000 characters"),
        ("ann\0", "U\\+0000"),
        ("an\nn", "U\\+000A"),
        ("ann\x1b[31m", "U\\+001B"),
        ("ann\u202ennA", "U\\+202E"),  # right to left
        ("an\u200bn", "U\\+200B"),  # zero width
        ("an\u00adn", "U\\+00AD"),  # soft hyphen
        ("an\ufe0fn", "U\\+FE0F"),  # variation selector
        ("\u3164", "U\\+3164"),  # a letter that shows nothing
        ("ann\ud800", "U\\+D800"),
        ("ann\U000e0041", "U\\+E0041"),  # tags
        ("ann\u2028lee", "U\\+2028"),
        ("\u0301ann", "mark without its letter"),
        ("Аnn", "Cyrillic and Latin"),
        ("Οlga", "Greek and Latin"),
    ],
)
def test_names_that_mislead_are_refused(name, says):
    with pytest.raises(InputError, match=says) as refused:
        names.accepted(name)

    assert refused.value.code == "NF008"
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    "name", ["Ann", "Анна Ильина", "Σοφία", "山田 太郎", "O'Neil-2", "देवी", "a<b>&"]
)
def test_names_of_all_scripts_are_taken(name):
    assert names.accepted(name) == name


@settings(max_examples=200)
@given(st.text(max_size=70))
def test_a_name_that_was_taken_is_taken_again_and_compares_as_it_did(name):
    assert names.folded(names.folded(name)) == names.folded(name)
    try:
        shown = names.accepted(name)
    except InputError:
        return

    assert names.accepted(shown) == shown
    assert names.folded(shown) == names.folded(name)
    assert 1 <= len(shown) <= names.LONGEST
    assert 1 <= len(names.folded(shown)) <= names.LONGEST
    assert shown.isprintable()
