"""The canonical text and the chain against numbers of others, and against hashes made by hand."""

import hashlib
import json
import struct

import pytest

from nofluke.ledger import chain, events
from nofluke.ledger.canonical import canonical, parsed

# RFC 8785, appendix B: IEEE 754 doubles and their texts.
DOUBLES = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}


@pytest.mark.parametrize(("bits", "text"), DOUBLES.items())
def test_doubles_of_the_standard(bits, text):
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(value).decode() == text
    assert canonical(parsed(canonical(value))) == canonical(value)


def test_keys_of_the_standard_are_sorted_by_code_units():
    # RFC 8785, section 3.2.3.
    said = json.loads(
        r'{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With '
        r'Dagesh", "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", '
        r'"\u00f6": "Latin Small Letter O With Diaeresis"}'
    )
    assert list(json.loads(canonical(said)).values()) == [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ]


def test_text_of_the_standard():
    # RFC 8785, section 3.2.2.
    said = json.loads(
        r'{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],'
        r'"string": "\u20ac$\u000F\u000aA' + "'" + r'\u0042\u0022\u005c\\\"\/",'
        r'"literals": [null, true, false]}'
    )
    assert canonical(said).decode() == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


# What is hashed, written by hand; the digests were made by sha256sum.
FIRST = (
    '{"body":{"name":"tumours"},"kind":"init","previous":"' + "0" * 64 + '","schema":1,"seq":1,'
    '"time":"2026-03-01T08:00:00.000Z","who":"ann"}'
)
FIRST_DIGEST = "d65fd419ceeaaa7b3d9a457557bdf28431ddfa64dc136b56ce9ae54c8d27d8ac"
SECOND = (
    '{"body":{"fixed":"2026-03-01, plan.md","rule":"größte Fläche"},"kind":"rule","previous":"'
    + FIRST_DIGEST
    + '","schema":1,"seq":2,"time":"2026-03-01T09:00:00.000Z","who":"ann"}'
)
SECOND_DIGEST = "1b9686fcfadc9772cff4a307be9b7de6d02534069b20a60bad865fbe6153fce8"


def test_the_frozen_ledger():
    first = events.sealed(
        seq=1,
        time="2026-03-01T08:00:00.000Z",
        who="ann",
        kind="init",
        body={"name": "tumours"},
        previous=events.NOTHING,
    )
    second = events.sealed(
        seq=2,
        time="2026-03-01T09:00:00.000Z",
        who="ann",
        kind="rule",
        body={"rule": "größte Fläche", "fixed": "2026-03-01, plan.md"},
        previous=first.digest,
    )
    assert (first.digest, second.digest) == (FIRST_DIGEST, SECOND_DIGEST)
    assert hashlib.sha256(FIRST.encode()).hexdigest() == FIRST_DIGEST
    assert hashlib.sha256(SECOND.encode()).hexdigest() == SECOND_DIGEST

    stored = [FIRST.replace('"kind"', f'"digest":"{FIRST_DIGEST}","kind"').encode(),
              SECOND.replace('"kind"', f'"digest":"{SECOND_DIGEST}","kind"').encode()]  # fmt: skip
    assert [first.line(), second.line()] == stored
    assert chain.check(stored) == ((), 2, chain.Head(2, SECOND_DIGEST))
