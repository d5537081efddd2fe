"""Frozen dataclasses to plain JSON values and back, strictly: every field there, none unknown, each of its type.

Times are UTC to the second ("2026-01-31T09:00:00Z"). Numbers with a fraction are ``Decimal`` with the number of
decimals that the field declares and travel as text, since a float has no one spelling.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import types
import typing
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, TypeVar

from app.core.consent.problems import PrivatePartError, RecordError
from app.core.consent.sealed import MAX_TEXT, Private, Sealed

T = TypeVar("T")
MAX_ITEMS = 64
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_COMMITMENT = re.compile(r"[0-9a-f]{64}")


@dataclasses.dataclass(frozen=True)
class Rule:
    """What a field must be beyond its type; stands in ``Annotated``, and holds for the items of a tuple."""

    choice: frozenset[str] | None = None
    pattern: re.Pattern[str] | None = None
    places: int | None = None


_NO_RULE = Rule()


def one_of(*words: str) -> Rule:
    """A text that is one of these words."""
    return Rule(choice=frozenset(words))


def like(pattern: str) -> Rule:
    """A text that matches as a whole."""
    return Rule(pattern=re.compile(pattern))


def decimals(places: int) -> Rule:
    """A number with this many decimals."""
    return Rule(places=places)


def fixed(value: float | Decimal | str, places: int) -> Decimal:
    """``value`` rounded to ``places`` decimals."""
    rounded = Decimal(str(value)).quantize(Decimal(1).scaleb(-places))
    return rounded + 0 if rounded else abs(rounded)  # no "-0.0000"


def utc(moment: datetime) -> datetime:
    """``moment`` in UTC to the full second, as records have it. Raises ``ValueError`` without a time zone."""
    if moment.tzinfo is None:
        raise ValueError("a time needs a time zone; use UTC")
    return moment.astimezone(UTC).replace(microsecond=0)


def to_plain(value: Any, *, places: int | None = None) -> Any:
    """The JSON form; sealed texts become their commitments."""
    match value:
        case None | bool() | int() | str():
            return value
        case Sealed():
            return {"sealed": value.commitment}
        case datetime():
            return value.strftime(_TIME)
        case Decimal():
            return f"{value:.{places}f}"
        case tuple():
            return [to_plain(item, places=places) for item in value]
    kind: Any = type(value)
    hints = _hints(kind)
    return {name: to_plain(getattr(value, name), places=rule.places) for name, (_, rule) in hints.items()}


def from_plain(cls: type[T], raw: Any, path: str = "") -> T:
    """Back from :func:`to_plain`; :class:`RecordError` names the field that is missing, unknown or of a wrong kind."""
    if not isinstance(raw, dict):
        raise RecordError(path, "is not an object")
    known = _hints(typing.cast(Any, cls))
    for name in raw:
        if name not in known:
            raise RecordError(_join(path, str(name)[:60]), "is not known")
    values = {}
    for name, (hint, rule) in known.items():
        where = _join(path, name)
        if name not in raw:
            raise RecordError(where, "is missing")
        values[name] = _value(hint, raw[name], where, rule)
    return cls(**values)


def sealed_fields(value: Any, path: str = "") -> Iterator[tuple[str, Sealed]]:
    """Every sealed text below ``value`` with its path."""
    if isinstance(value, Sealed):
        yield path, value
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from sealed_fields(item, f"{path}[{index}]")
    elif dataclasses.is_dataclass(value):
        for f in dataclasses.fields(value):
            yield from sealed_fields(getattr(value, f.name), _join(path, f.name))


def private_part(value: Any) -> Private:
    """Salts and texts of all open sealed fields. Raises :class:`PrivatePartError` if one is closed."""
    part = {}
    for path, sealed in sealed_fields(value):
        if sealed.text is None or sealed.salt is None:
            raise PrivatePartError("The personal part of the consent record is not open.")
        part[path] = {"salt": sealed.salt, "text": sealed.text}
    return part


def with_private(value: T, part: Mapping[str, Mapping[str, str]] | None) -> T:
    """``value`` with its sealed texts opened, or closed for None. Raises :class:`PrivatePartError` on any mismatch."""
    if part is not None and set(part) != {path for path, _ in sealed_fields(value)}:
        raise PrivatePartError("The personal part does not belong to this consent record, or was changed.")
    return typing.cast(T, _replaced(value, part, ""))


def _replaced(value: Any, part: Mapping[str, Mapping[str, str]] | None, path: str) -> Any:
    if isinstance(value, Sealed):
        return value.closed() if part is None else value.opened(part[path]["salt"], part[path]["text"])
    if isinstance(value, tuple):
        return tuple(_replaced(item, part, f"{path}[{index}]") for index, item in enumerate(value))
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changed = {f.name: _replaced(getattr(value, f.name), part, _join(path, f.name)) for f in dataclasses.fields(value)}
    return dataclasses.replace(value, **changed)


@functools.cache
def _hints(cls: Any) -> dict[str, tuple[Any, Rule]]:
    """Field name -> type and rule."""
    found = {}
    for name, hint in typing.get_type_hints(cls, include_extras=True).items():
        annotated = typing.get_origin(hint) is typing.Annotated
        found[name] = (hint.__origin__, hint.__metadata__[0]) if annotated else (hint, _NO_RULE)
    return found


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _value(hint: Any, raw: Any, path: str, rule: Rule) -> Any:
    origin = typing.get_origin(hint)
    if origin is types.UnionType:
        inner = next(part for part in typing.get_args(hint) if part is not type(None))
        return None if raw is None else _value(inner, raw, path, rule)
    if origin is tuple:
        if not isinstance(raw, list) or len(raw) > MAX_ITEMS:
            raise RecordError(path, f"is not a list of at most {MAX_ITEMS}")
        inner = typing.get_args(hint)[0]
        return tuple(_value(inner, item, f"{path}[{index}]", rule) for index, item in enumerate(raw))
    if dataclasses.is_dataclass(hint) and hint is not Sealed:
        return from_plain(typing.cast(type, hint), raw, path)
    reader = {Sealed: _sealed, datetime: _time, Decimal: _decimal, str: _text}.get(hint)
    if reader is not None:
        return reader(raw, path, rule)
    if type(raw) is not hint:  # bool is an int to isinstance
        raise RecordError(path, f"is not {'true or false' if hint is bool else 'a whole number'}")
    return raw


def _sealed(raw: Any, path: str, rule: Rule) -> Sealed:
    if not isinstance(raw, dict) or set(raw) != {"sealed"} or not isinstance(raw["sealed"], str):
        raise RecordError(path, "is not a sealed text")
    if not _COMMITMENT.fullmatch(raw["sealed"]):
        raise RecordError(path, "is not a sealed text")
    return Sealed(raw["sealed"])


def _time(raw: Any, path: str, rule: Rule) -> datetime:
    try:
        moment = datetime.strptime(raw, _TIME).replace(tzinfo=UTC)
        if moment.strftime(_TIME) == raw:  # strptime also takes "2026-1-1"
            return moment
    except (TypeError, ValueError):
        pass
    raise RecordError(path, "is not a time in UTC such as 2026-01-31T09:00:00Z")


def _decimal(raw: Any, path: str, rule: Rule) -> Decimal:
    places = rule.places or 0
    if isinstance(raw, str) and re.fullmatch(rf"-?(0|[1-9][0-9]{{0,8}})\.[0-9]{{{places}}}", raw):
        number = Decimal(raw)
        if f"{fixed(number, places):.{places}f}" == raw:
            return number
    raise RecordError(path, f"is not a number with {places} decimals, written as text")


def _text(raw: Any, path: str, rule: Rule) -> str:
    if not isinstance(raw, str):
        raise RecordError(path, "is not a text")
    if rule.choice is not None and raw not in rule.choice:
        raise RecordError(path, f"is {raw[:40]!r}, not one of {', '.join(sorted(rule.choice))}")
    if rule.pattern is not None and not rule.pattern.fullmatch(raw):
        raise RecordError(path, f"is {raw[:40]!r}, which is not of the expected form")
    if len(raw) > MAX_TEXT or _CONTROL.search(raw):
        raise RecordError(path, f"is longer than {MAX_TEXT} characters or has control characters")
    return raw
