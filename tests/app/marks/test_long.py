"""Long sound is marked and looked through in sections, and comes out as if it had been one piece."""

from __future__ import annotations

import itertools
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.core.engine_api import PieceScore
from app.marks import long
from app.marks.choice import MarkChoice, MarkTools, Origin
from app.marks.errors import ExportError
from app.marks.export import export_audio

RATE = 8_000


class Plus:
    """Adds a constant, and remembers how much it saw at once."""

    def __init__(self) -> None:
        self.most = 0

    def embed(self, samples, sample_rate):
        self.most = max(self.most, len(samples))
        return samples + np.float32(0.125)

    def score(self, samples, sample_rate):
        self.most = max(self.most, len(samples))
        seconds = len(samples) / sample_rate
        return (PieceScore(0.0, seconds, 1.0 if abs(float(samples.mean()) - 0.125) < 0.01 else 0.0),)


def sound(seconds: float, channels: int = 0) -> np.ndarray:
    rng = np.random.default_rng(3)
    shape = (round(seconds * RATE), channels) if channels else round(seconds * RATE)
    made = 0.1 * rng.standard_normal(shape).astype(np.float32)
    return made - made.mean()


@pytest.mark.parametrize("channels", [0, 2])
@pytest.mark.parametrize("seconds", [5, 601, 1000])
def test_sections_give_what_the_whole_gives_and_are_bounded(tmp_path: Path, seconds: int, channels: int) -> None:
    samples, mark, ticks = sound(seconds, channels), Plus(), []
    marked = long.embedded(mark, samples, RATE, tmp_path / "m", lambda: ticks.append(1))
    np.testing.assert_array_equal(np.asarray(marked), samples + np.float32(0.125))
    assert mark.most <= 602 * RATE and bool(ticks) == (seconds > 600)
    found = long.scores(mark, long.sections(marked, RATE), RATE)
    assert found[0].start == 0 and found[-1].end == pytest.approx(seconds)
    assert all(one.end == pytest.approx(other.start) for one, other in itertools.pairwise(found))


def test_a_long_file_leaves_in_sections_at_another_rate_and_nothing_is_left_over(tmp_path: Path) -> None:
    heard, mark, secrets = [], Plus(), {}
    secret = lambda name, make: secrets.setdefault(name, None) or secrets.update({name: make()}) or secrets[name]  # noqa: E731
    tools = MarkTools(secret, lambda: mark, lambda event, facts: heard.append((event, dict(facts))))
    parts = (Origin(take="", voice="a"), Origin(voice="b"), Origin(voice="a"))
    exported = export_audio(sound(700), RATE, tmp_path / "l.flac", origin=Origin(parts=parts), tools=tools)
    assert exported.seconds == pytest.approx(700) and set(exported.marks.values()) == {"made"}
    samples, rate = soundfile.read(tmp_path / "l.flac")
    assert rate == RATE and len(samples) == 700 * RATE and abs(samples.mean() - 0.125) < 1e-3
    assert [path.name for path in tmp_path.iterdir()] == ["l.flac"]
    assert [(event, facts.get("voice")) for event, facts in heard] == [
        ("export", None), ("export_voice", "a"), ("export_voice", "b"),
    ]  # fmt: skip
    made = long.resampled(sound(700), RATE, 12_000, tmp_path / "r")
    assert isinstance(made, np.memmap) and abs(len(made) - 700 * 12_000) < 20


def test_a_wish_to_stop_ends_an_export_between_sections(tmp_path: Path) -> None:
    class Enough(Exception):  # noqa: N818
        pass

    def tick() -> None:
        raise Enough

    tools = MarkTools(lambda name, make: make(), Plus)
    with pytest.raises(Enough):
        export_audio(sound(700), RATE, tmp_path / "l.wav", origin=Origin(), tools=tools, tick=tick)
    assert list(tmp_path.iterdir()) == []


def test_values_that_are_no_numbers_are_found_wherever_they_are(tmp_path: Path) -> None:
    samples = sound(700)
    samples[-5] = np.nan
    with pytest.raises((ValueError, ExportError), match="no numbers"):
        export_audio(samples, RATE, tmp_path / "l.wav", origin=Origin(), tools=MarkTools(lambda n, m: m(), Plus))


def test_twenty_minutes_are_exported_in_far_less_memory_than_they_take(tmp_path: Path) -> None:
    rate = 16_000
    samples = np.memmap(tmp_path / "mix", np.float32, "w+", shape=20 * 60 * rate)
    for start in range(0, len(samples), rate):
        samples[start : start + rate] = 0.1 * np.sin(np.arange(rate) / 10)
    secrets: dict[str, bytes] = {}
    tools = MarkTools(lambda name, make: secrets.setdefault(name, make()), Plus)
    choice = MarkChoice(frozenset({"credentials"}), "C2PA reads the file by itself")
    export_audio(samples[:rate].copy(), rate, tmp_path / "w.flac", origin=Origin(), tools=tools, choice=choice)
    tracemalloc.start()
    export_audio(samples, rate, tmp_path / "l.flac", origin=Origin(), tools=tools, choice=choice)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.8 * samples.nbytes, f"{peak >> 20} MiB for {samples.nbytes >> 20} MiB of sound"
    assert peak < 3.5 * 4 * long.SECTION_SECONDS * rate  # however long it is
