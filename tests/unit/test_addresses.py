"""Addresses of stores: what they mean, and what is shown of them."""

import pytest

from nofluke.database.addresses import address
from nofluke.errors import StoreError


@pytest.mark.parametrize(
    ("place", "kind", "shown"),
    [
        ("keeper.db", "sqlite", "sqlite:///keeper.db"),
        ("sqlite:///a/keeper.db", "sqlite", "sqlite:///a/keeper.db"),
        ("sqlite:////a/b@c@d.db", "sqlite", "sqlite:////a/b@c@d.db"),
        ("postgresql://h/x", "postgresql", "postgresql://h/x"),
        ("postgres://u:a%40b%2Fc@h:5/x", "postgresql", "postgresql://u:***@h:5/x"),
        ("postgresql+psycopg://u:p@h/x", "postgresql", "postgresql://u:***@h/x"),
        (
            "postgresql://u@h/x?sslmode=require&password=p&sslpassword=q",
            "postgresql",
            "postgresql://u@h/x?sslmode=require",
        ),
        ("postgresql:///x?host=/run/p", "postgresql", "postgresql:///x?host=%2Frun%2Fp"),
    ],
)
def test_forms(place, kind, shown):
    found = address(place)
    assert (found.kind, found.shown) == (kind, shown)


def test_the_driver_is_given_the_password():
    found = address("postgres://u:a%40b%2Fc@h:5/x")
    assert (found.url.password, found.url.drivername) == ("a@b/c", "postgresql+psycopg")


@pytest.mark.parametrize(
    "place",
    ["", "sqlite://", "sqlite:///:memory:", "sqlite://host/x.db", "sqlite:///x.db?mode=ro",
     "mysql://u:secret@h/x", "postgresql://u:secret@h:port/x", "postgresql://u:sec@ret@h/x",
     "postgresql://u:sec@ret/secret@h/x", "://secret", "postgresql:secret://"],
)  # fmt: skip
def test_what_is_no_address_is_not_repeated(place):
    with pytest.raises(StoreError) as refused:
        address(place)
    assert refused.value.code == "NF071"
    assert "secret" not in str(refused.value)
    assert "ret@" not in str(refused.value)
