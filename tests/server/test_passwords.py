"""Passwords: which ones are taken, what is kept of them, and that every attempt costs the same."""

import re

import argon2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke.errors import InputError
from nofluke.server.accounts import passwords

GOOD = "a kettle of small fish"


@pytest.fixture(scope="module")
def kept() -> str:
    return passwords.hashed(GOOD)


def test_what_is_kept_is_argon2id_at_or_above_the_minimum_of_owasp(kept):
    found = argon2.extract_parameters(kept)

    assert found.type is argon2.Type.ID
    assert found.memory_cost >= 19 * 1024
    assert found.time_cost >= 2
    assert found.parallelism == 1
    assert (found.hash_len, found.salt_len) == (32, 16)
    assert kept != passwords.hashed(GOOD)  # each has a salt of its own


def test_a_password_is_known_again_however_its_letters_are_composed(kept):
    assert passwords.matches(kept, GOOD)
    assert not passwords.matches(kept, GOOD + " ")
    assert not passwords.matches(kept, GOOD.upper())
    composed = passwords.hashed("caf\u00e9 au lait, deux fois")
    assert passwords.matches(composed, "cafe\u0301 au lait, deux fois")


@pytest.mark.parametrize(
    "attempt", ["", "x" * 1025, "x" * 1_000_000, "\ud800" * 20, "nul\0" * 8], ids=range(5)
)
def test_what_can_be_no_password_is_wrong_and_no_error(kept, attempt):
    assert passwords.matches(kept, attempt) is False
    assert passwords.matches(None, attempt) is False


def test_nobodys_password_is_verified_with_the_parameters_of_today(kept):
    nobody = passwords._nobodys()

    assert argon2.extract_parameters(nobody) == argon2.extract_parameters(kept)
    assert nobody != passwords._nobodys()
    assert not passwords.outdated(nobody)


def test_hashes_of_other_parameters_are_outdated_and_still_verify(kept):
    old = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(GOOD)

    assert passwords.outdated(old)
    assert not passwords.outdated(kept)
    assert passwords.matches(old, GOOD)


@pytest.mark.parametrize("broken", ["", "plain text", "$argon2id$v=19$m=19456,t=3,p=1$AAAA"])
def test_a_broken_row_lets_nobody_in(broken):
    assert passwords.matches(broken, "") is False


@pytest.mark.parametrize(
    ("password", "says"),
    [
        ("fourteen chars", "has 14 characters"),
        ("e\u0301" * 14, "has 14 characters"),  # counted as composed
        ("x" * 1025, "has 1025 characters"),
        ("a kettle\tof small fish", "control character"),
        ("a kettle of small \ud800 fish", "control character"),
        ("a kettle of small fish \U000e0fff", "control character"),  # unassigned
        ("aaaaaaaaaaaaaaaaaaaa", "first that would be guessed"),
        ("abcabcabcabcabcabc", "first that would be guessed"),
        ("Password123456789", "first that would be guessed"),
        ("passwordpassword", "first that would be guessed"),
        ("correct horse battery staple", "first that would be guessed"),
        ("Wilhelmina Archer", "first that would be guessed"),
        ("wilhelminaarcher 2026", "first that would be guessed"),
    ],
)
def test_passwords_that_are_refused_are_not_repeated(password, says):
    with pytest.raises(InputError, match=says) as refused:
        passwords.accepted(password, name="Wilhelmina Archer")

    assert refused.value.code == "NF008"
    assert password not in str(refused.value)


@pytest.mark.parametrize(
    "password",
    [GOOD, "пятнадцать букв тут", "x7" * 3 + "kQ!m" * 250, "ナイス" * 3 + "鍵と錠と扉と庭"],
)
def test_long_passwords_of_every_script_are_taken(password):
    assert passwords.accepted(password, name="ann") == password


@settings(max_examples=300)
@given(st.text(max_size=60))
def test_what_is_taken_is_stable_and_what_is_not_is_refused_in_words(password):
    try:
        normal = passwords.accepted(password, name="ann")
    except InputError:
        return

    assert passwords.SHORTEST <= len(normal) <= passwords.LONGEST
    assert passwords.accepted(normal, name="ann") == normal
    assert not re.search(r"[\x00-\x1f\ud800-\udfff]", normal)
