"""JSON with exactly one spelling for a value, so that a hash of the bytes is a hash of the value.

Keys are sorted, there are no spaces, the text is UTF-8 without escapes that are not needed, and there are no floats:
how a float is written differs between programs. Numbers with a fraction are written as text with a fixed number of
decimals by those who need them.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

MAX_BYTES = 1 << 20
_MAX_INT = 2**53 - 1  # every JSON reader keeps integers up to here


class CanonicalError(ValueError):
    """The value has no canonical form, or the bytes are not one."""


def dump(value: Any) -> bytes:
    """``value`` of None, bool, int, str, list and dict with str keys, as canonical bytes; :class:`CanonicalError`."""
    try:
        _check(value)
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8")
    except (UnicodeEncodeError, RecursionError) as error:
        raise CanonicalError(f"this cannot be written as text ({error})") from error


def load(data: bytes, *, max_bytes: int = MAX_BYTES) -> Any:
    """The value of canonical bytes. Anything that :func:`dump` would write otherwise raises :class:`CanonicalError`."""
    if len(data) > max_bytes:
        raise CanonicalError(f"it has {len(data)} bytes; at most {max_bytes} are read")
    try:
        value = json.loads(data.decode("utf-8"), parse_float=_refuse, parse_constant=_refuse)
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise CanonicalError(f"it is not JSON of the expected kind ({error})") from error
    if dump(value) != data:  # also refuses a key that is there twice, and spaces
        raise CanonicalError("it is not written in the canonical way; it was changed or made by another program")
    return value


def _refuse(text: str) -> NoReturn:
    raise CanonicalError(f"{text[:40]} is not a whole number")


def _check(value: Any) -> None:
    match value:
        case None | bool() | str():
            return
        case int() if abs(value) <= _MAX_INT:
            return
        case list():
            for item in value:
                _check(item)
        case dict() if all(isinstance(key, str) for key in value):
            for item in value.values():
                _check(item)
        case _:
            raise CanonicalError(f"a {type(value).__name__} has no canonical form")
