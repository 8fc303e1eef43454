"""Limits: what a bucket holds, by an exact count, and what is kept of many."""

from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nofluke.errors import InputError, LimitError
from nofluke.server.web.limits import RATES, Buckets, Limits, network

SPELLINGS = ["Ann", "ANN", " ann", "Ａｎｎ"]


class Clock:
    """Moves when it is told to."""

    def __init__(self):
        self.time = 0.0

    def __call__(self):
        return self.time


def attempt(*asked):
    """The first refusal among several requests."""
    for ask in asked:
        try:
            ask()
        except LimitError as error:
            return error
    return None


@given(
    burst=st.integers(1, 5),
    every=st.integers(1, 8),
    steps=st.lists(st.integers(0, 12), min_size=1, max_size=60),
)
def test_a_bucket_gives_what_a_tank_of_tokens_would(burst, every, steps):
    clock = Clock()
    buckets = Buckets(burst, every=every, clock=clock)
    tank, last = Fraction(burst), 0

    for step in steps:
        clock.time += step
        tank = min(Fraction(burst), tank + Fraction(int(clock.time) - last, every))
        last = int(clock.time)
        wait = buckets.wait("ann")
        assert wait == pytest.approx(0.0 if tank >= 1 else float((1 - tank) * every))
        tank -= 1 if tank >= 1 else 0


def test_whoever_waits_as_long_as_told_is_served():
    clock = Clock()
    limits = Limits(clock=clock)
    served = 0
    for _ in range(50):
        refused = attempt(lambda: limits.take("password", "ann"))
        if refused is not None:
            assert refused.code == "NF076"
            assert refused.retry_after >= 1
            clock.time += refused.retry_after
            limits.take("password", "ann")
        served += 1

    assert served == 50
    assert clock.time == (50 - RATES["password"].burst) * RATES["password"].every


def test_buckets_are_told_apart_and_full_ones_are_forgotten():
    clock = Clock()
    buckets = Buckets(1, every=10, clock=clock)
    assert all(buckets.wait(f"user {i}") == 0 for i in range(100))
    assert len(buckets) == 100

    clock.time = 11
    assert buckets.wait("user 5") == 0
    assert len(buckets) == 1


def test_a_crowd_of_new_keys_does_not_wash_away_an_empty_bucket():
    clock = Clock()
    buckets = Buckets(10, every=30, keys=100, clock=clock)
    for _ in range(10):
        assert buckets.wait("victim") == 0
    for i in range(20_000):
        buckets.wait(f"spray {i}")
        assert len(buckets) <= 100

    assert buckets.wait("victim") > 0
    assert len(buckets._soonest) <= 300  # memory is bounded, too


def test_a_name_is_limited_whatever_its_spelling_and_from_all_addresses_together():
    limits = Limits(clock=Clock())
    near = [partial(limits.sign_in, address="192.0.2.1", name=n) for n in SPELLINGS * 3]
    assert "with this name from this address" in str(attempt(*near))
    limits.sign_in(address="192.0.2.1", name="bob")  # another name, same office
    far = [partial(limits.sign_in, address=f"198.51.100.{i}", name="ann") for i in range(200)]
    assert "with this name;" in str(attempt(*far))


def test_an_address_is_limited_and_one_machine_has_a_whole_network_of_ipv6():
    limits = Limits(clock=Clock())
    one = [
        partial(limits.sign_in, address=f"2001:db8:1:2::{i:x}", name=f"user {i}")
        for i in range(200)
    ]
    assert "sign in from this address" in str(attempt(*one))
    limits.sign_in(address="2001:db8:1:3::1", name="ann")
    assert network("fe80::1%eth0") == "fe80::"
    assert network("testclient") == "testclient"


def test_limits_can_be_widened_and_lifted():
    lifted, wide = Limits(0), Limits(2, clock=Clock())
    for _ in range(1000):
        lifted.sign_in(address="192.0.2.1", name="ann")
    for _ in range(20):
        wide.take("password", "ann")
    with pytest.raises(LimitError):
        wide.take("password", "ann")
    with pytest.raises(InputError):
        Buckets(0, every=1)


def test_keys_of_any_length_and_form_take_the_same_place():
    buckets = Buckets(1, every=1, clock=Clock())
    assert buckets.wait("x" * 1_000_000) == 0
    assert buckets.wait("\ud800") == 0
    assert {len(key) for key in buckets._full} == {16}
