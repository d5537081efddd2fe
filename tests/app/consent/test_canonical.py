import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import canonical

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_written_is_read_back_and_written_alike(value):
    data = canonical.dump(value)
    assert canonical.load(data) == value
    assert canonical.dump(canonical.load(data)) == data == canonical.dump(json.loads(data))


@given(st.dictionaries(TEXT, st.integers(0, 9), min_size=2))
def test_the_order_of_keys_does_not_matter(value):
    assert canonical.dump(dict(reversed(value.items()))) == canonical.dump(value)


@given(st.binary(max_size=200))
def test_any_bytes_are_either_canonical_or_refused(data):
    try:
        value = canonical.load(data)
    except canonical.CanonicalError:
        return
    assert canonical.dump(value) == data


@pytest.mark.parametrize(
    "value", [1.5, float("nan"), {1: 2}, (1,), {1}, 2**53, "\ud800", b"x", [[0.0]]], ids=lambda v: repr(v)[:12]
)
def test_what_has_no_one_spelling_is_refused(value):
    with pytest.raises(canonical.CanonicalError):
        canonical.dump(value)


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": 1}',
        b'{"b":1,"a":2}',
        b'{"a":1,"a":1}',
        b"1.0",
        b"1e3",
        b"NaN",
        b'"\\u0041"',
        b"[1]\n",
        b"\xff",
        b"[" * 9999,
        b"-0",
        b"9" * 5000,
    ],
    ids=range(12),
)
def test_other_spellings_are_refused(data):
    with pytest.raises(canonical.CanonicalError):
        canonical.load(data)


def test_what_is_nested_too_deeply_is_refused():
    value = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(canonical.CanonicalError):
        canonical.dump(value)


def test_the_spelling_stays_as_it_is_for_ever():
    value = {"b": [True, None, -3], "a": "é“中\n", "c": {"z": "1.50", "": 0}}
    digest = hashlib.sha256(canonical.dump(value)).hexdigest()
    assert digest == "4fc751a7c2cc300314175db862deb57a4dc467953c2578833668e33693e83516"


def test_large_input_is_refused_before_it_is_parsed():
    with pytest.raises(canonical.CanonicalError, match="at most 10"):
        canonical.load(b'"' + b"a" * 20 + b'"', max_bytes=10)
