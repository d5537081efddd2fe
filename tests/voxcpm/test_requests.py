"""What is refused before any work, with the field named (OPEN-03, hard borders of the modes)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.voxcpm.conftest import CONSENT, audio_file, load, voice_of
from voxcpm.consent import ConsentRecord
from voxcpm.errors import ConsentError, RequestError
from voxcpm.pipeline import VoxCPM
from voxcpm.request import SEED_LIMIT, Request, draw_seed, retry_seed, spread_seeds

Engines = Callable[[str], VoxCPM]

NOTHING_TO_SAY = [
    None,
    123,
    "",
    " \t ",
    "\U0001f389\U0001f389",
    "```python\nprint(1)\n```",
    "![a picture](cat.png)",
    "（）",
    "...",
]
BAD_NUMBERS = [
    ("steps", 0), ("steps", 1.5), ("steps", True), ("steps", 10**9),
    ("cfg", -1), ("cfg", float("nan")), ("cfg", 1e9), ("cfg", float("inf")), ("cfg", "2"),
    ("temperature", -0.1), ("temperature", 2.1), ("temperature", float("nan")),
    ("min_patches", -1), ("max_patches", 0), ("max_patches", 2.0), ("retries", -1), ("retry_ratio", 0.0),
    ("retry_ratio", float("nan")), ("normalize", 1),
]  # fmt: skip


@pytest.fixture
def spied(monkeypatch: pytest.MonkeyPatch) -> tuple[VoxCPM, list[str]]:
    """A model that notes every call."""
    engine = load("tiny-v2", stop="never")
    calls: list[str] = []
    for module in ("base_lm", "residual_lm", "feat_encoder", "feat_decoder"):
        part = getattr(engine.model, module)
        part.register_forward_pre_hook(lambda *_: calls.append("called"))
    for name in ("prefill", "sample", "extend_prefix"):
        original = getattr(engine.model, name)

        def noted(*args: object, original: Callable[..., object] = original, **kwargs: object) -> object:
            calls.append("called")
            return original(*args, **kwargs)

        monkeypatch.setattr(engine.model, name, noted)
    return engine, calls


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("text", NOTHING_TO_SAY)
def test_nothing_to_say_is_refused(spied: tuple[VoxCPM, list[str]], text: object, normalize: bool) -> None:
    engine, calls = spied
    request = Request(text, normalize=normalize, steps=1)  # type: ignore[arg-type]
    for entry in (engine.plan, engine.generate, engine.stream, engine.stream_long):
        with pytest.raises(ValueError, match=r"^text: ") as refusal:
            entry(request)  # type: ignore[operator]
        assert isinstance(refusal.value, RequestError) and refusal.value.field == "text"
    assert calls == []


def test_digits_alone_are_spoken(spied: tuple[VoxCPM, list[str]]) -> None:
    engine, calls = spied
    assert engine.generate(Request("123", steps=1, max_patches=2, retries=1)).patches == 2
    assert calls


@pytest.mark.parametrize(("field", "value"), BAD_NUMBERS)
def test_bad_numbers_are_refused(spied: tuple[VoxCPM, list[str]], field: str, value: object) -> None:
    engine, calls = spied
    with pytest.raises(RequestError) as refusal:
        engine.stream(replace(Request("Hello"), **{field: value}))  # type: ignore[arg-type]
    assert refusal.value.field == field and calls == []


def test_one_bad_row_stops_the_batch_before_work(spied: tuple[VoxCPM, list[str]]) -> None:
    engine, calls = spied
    with pytest.raises(RequestError):
        engine.generate_batch([Request("Hello", steps=1), Request("...", steps=1)])
    assert calls == []


def test_older_generations_take_no_description_and_no_reference(engines: Engines) -> None:
    for name in ("tiny-v1", "tiny-v15"):
        engine = engines(name)
        assert not engine.info.takes_description and not engine.info.takes_reference
        with pytest.raises(RequestError, match="VoxCPM2") as refusal:
            engine.stream(Request("Hello", description="a calm woman"))
        assert refusal.value.field == "description"
        with pytest.raises(RequestError, match="VoxCPM2") as refusal:
            engine.encode_voice(reference=audio_file("ref", engine.info.encode_rate), consent=CONSENT)
        assert refusal.value.field == "reference"


def test_description_becomes_a_prefix(engines: Engines) -> None:
    plan = engines("tiny-v2").plan(Request(" Good \n evening", description=" a calm  woman "))
    assert plan.text == "(a calm woman) Good evening" and plan.mode == "design"
    assert engines("tiny-v2").plan(Request("Good evening")).text == "Good evening"


def test_description_has_hard_borders(engines: Engines) -> None:
    engine = engines("tiny-v2")
    for description in ("a (calm) woman", "女声）", "..."):
        with pytest.raises(RequestError) as refusal:
            engine.plan(Request("Hello", description=description))
        assert refusal.value.field == "description"
    for mode in ("continuation", "combined"):
        with pytest.raises(RequestError, match="continuation") as refusal:
            engine.plan(Request("Hello", description="calm", voice=voice_of(engine, mode)))
        assert refusal.value.field == "description"
    styled = engine.plan(Request("Hello", description="calm", voice=voice_of(engine, "reference")))
    assert styled.text == "(calm)Hello" and styled.mode == "reference"


def test_voice_parts_belong_together(engines: Engines) -> None:
    engine = engines("tiny-v2")
    prompt = audio_file("prompt", 16000)
    wrong = [
        ({}, "reference"),
        ({"prompt": prompt}, "transcript"),
        ({"prompt": prompt, "transcript": "  "}, "transcript"),
        ({"prompt": prompt, "transcript": "..."}, "transcript"),
        ({"reference": prompt, "transcript": "Good morning."}, "transcript"),
    ]
    for arguments, field in wrong:
        with pytest.raises(RequestError) as refusal:
            engine.encode_voice(**arguments, consent=CONSENT)  # type: ignore[arg-type]
        assert refusal.value.field == field


def test_another_models_voice_is_refused(engines: Engines) -> None:
    voice = voice_of(engines("tiny-v1"), "continuation")
    with pytest.raises(RequestError, match="another model") as refusal:
        engines("tiny-v2").plan(Request("Hello", voice=voice))
    assert refusal.value.field == "voice"


# -- consent --------------------------------------------------------------------------------------------------

NOW = datetime(2030, 1, 2, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (ConsentRecord("", frozenset({"generate"})), "no id"),
        (ConsentRecord("a", frozenset({"train"})), "does not cover"),
        (ConsentRecord("a", frozenset()), "allows: nothing"),
        (ConsentRecord("a", frozenset({"generate"}), NOW + DAY), "valid only from"),
        (ConsentRecord("a", frozenset({"generate"}), None, NOW), "expired"),
        (ConsentRecord("a", frozenset({"generate"}), None, datetime(2031, 1, 1)), "time zone"),
    ],
)
def test_consent_is_refused_with_its_reason(record: ConsentRecord, reason: str) -> None:
    with pytest.raises(ConsentError, match=reason):
        record.check("generate", NOW)


def test_valid_consent_passes_and_survives_storage() -> None:
    record = ConsentRecord("a", frozenset({"generate", "train"}), NOW - DAY, NOW + DAY)
    record.check("generate", NOW)
    assert ConsentRecord.from_dict(record.to_dict()) == record
    for broken in ({}, {**record.to_dict(), "expires_at": "soon"}, {**record.to_dict(), "scope": None}):
        with pytest.raises(ConsentError):
            ConsentRecord.from_dict(broken)


def test_no_voice_without_consent(engines: Engines) -> None:
    engine = engines("tiny-v2")
    missing = audio_file("no such file", 16000)  # consent comes first: the file is never looked for
    with pytest.raises(RequestError, match="consent"):
        engine.encode_voice(reference=missing, consent=None)  # type: ignore[arg-type]
    with pytest.raises(ConsentError, match="expired"):
        engine.encode_voice(
            reference=missing, consent=ConsentRecord("a", frozenset({"generate"}), None, NOW - 9000 * DAY)
        )


def test_consent_is_checked_again_at_every_use(engines: Engines) -> None:
    engine = engines("tiny-v2")
    voice = voice_of(engine, "reference")
    assert voice is not None
    expired = replace(voice, consent=replace(voice.consent, expires_at=datetime(2020, 1, 1, tzinfo=UTC)))
    for entry in (engine.plan, engine.generate, engine.stream, engine.stream_long):
        with pytest.raises(ConsentError, match="expired"):
            entry(Request("Hello", voice=expired))  # type: ignore[operator]


# -- seeds ----------------------------------------------------------------------------------------------------


@given(st.integers(0, SEED_LIMIT - 1), st.integers(1, 3))
def test_seeds_of_takes_and_retries_stay_apart(first: int, count: int) -> None:
    takes = spread_seeds(first, count)
    assert takes[0] == first and len(set(takes)) == count
    everything = [retry_seed(seed, attempt) for seed in takes for attempt in range(4)]
    assert len(set(everything)) == len(everything)
    assert all(0 <= seed < SEED_LIMIT for seed in (*everything, draw_seed()))
    gaps = [min((a - b) % SEED_LIMIT, (b - a) % SEED_LIMIT) for i, a in enumerate(everything) for b in everything[:i]]
    assert all(gap > 1000 for gap in gaps)
