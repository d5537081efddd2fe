"""Figures of the report, against counts made another way."""

from __future__ import annotations

import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxcpm.evaluation.report import (
    Reading,
    SentenceResult,
    by_category,
    summarise,
    summarise_ends,
    summarise_timing,
    summarise_voices,
)
from voxcpm.evaluation.sentences import Sentence
from voxcpm.evaluation.wording import Wording
from voxcpm.result import END_REASONS, FLAG_TOO_LONG


def record(end: str = "stopped", attempts: int = 1, helped: bool | None = None, **other: Any) -> dict[str, Any]:
    return {
        "end": end,
        "attempts": attempts,
        "retry_helped": helped,
        "flags": [] if helped is not False and end == "stopped" else [FLAG_TOO_LONG],
        "audio_seconds": 2.0,
        "first_packet_seconds": 0.1,
        "last_packet_seconds": 1.0,
        "total_seconds": 1.0,
        "threads": 2,
        "load_average": 0.5,
        **other,
    }


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    attempts = draw(st.integers(1, 4))
    return record(
        draw(st.sampled_from(END_REASONS)), attempts, draw(st.booleans()) if attempts > 1 else None
    )  # fmt: skip


WORDINGS = st.builds(Wording, st.integers(1, 20), *[st.integers(0, 9)] * 4)
RESULTS = st.builds(
    SentenceResult,
    st.builds(Sentence, st.just(1), st.sampled_from(["plain", "names", "other"]), st.just("x")),
    st.lists(st.tuples(records(), st.builds(Reading, st.just(""), WORDINGS)), min_size=1, max_size=3).map(tuple),
    st.none() | st.builds(Reading, st.just(""), WORDINGS),
)


@given(st.lists(records(), min_size=1, max_size=12))
def test_stop_failures_and_retries(some: list[dict[str, Any]]) -> None:
    found = summarise_ends(some)
    failures = [r for r in some if r["end"] in ("length_cap", "max_patches", "context_full", "cancelled")]
    assert found["stop_failures"] == {"takes": len(failures), "share": len(failures) / len(some)}
    bad = found["bad_cases"]
    assert bad["converged"] == len([r for r in some if r["retry_helped"]])
    assert bad["retried"] == len([r for r in some if r["retry_helped"] is not None])
    assert bad["converged"] <= bad["retried"] <= bad["takes"] <= len(some)
    assert bad["attempts"] == sum(r["attempts"] for r in some) - len(some)


@given(st.lists(RESULTS, min_size=1, max_size=8))
def test_word_figures(results: list[SentenceResult]) -> None:
    found = summarise(results)
    wordings = [[reading.wording for _, reading in result.takes] for result in results]
    per_sentence = [statistics.fmean(w.errors / w.words for w in takes) for takes in wordings]
    flat = [w for takes in wordings for w in takes]
    assert found["word_error_rate"]["mean"] == pytest.approx(statistics.fmean(per_sentence))
    assert found["word_error_rate"]["median"] == pytest.approx(statistics.median(per_sentence))
    assert found["word_error_rate"]["pooled"] == pytest.approx(sum(w.errors for w in flat) / sum(w.words for w in flat))
    kinds = ("substituted", "missing", "repeated", "added")
    assert sum(found[kind]["words"] for kind in kinds) == sum(w.errors for w in flat)
    originals = [r.original.wording.error_rate for r in results if r.original is not None]
    if originals:
        assert found["original_word_error_rate"]["mean"] == pytest.approx(statistics.fmean(originals))
    else:
        assert found["original_word_error_rate"] is None
    groups = by_category(results)
    assert sum(group["takes"] for group in groups.values()) == found["takes"] == len(flat)


def test_times_are_those_of_the_attempt_that_was_kept() -> None:
    some = [
        record(last_packet_seconds=1.0, total_seconds=3.0, attempts=2, helped=True),
        record(last_packet_seconds=3.0, total_seconds=3.0, first_packet_seconds=0.3),
        record(audio_seconds=0.0, first_packet_seconds=None, last_packet_seconds=None, total_seconds=0.0),
    ]
    found = summarise_timing(some)
    assert found["real_time_factor"] == {"mean": 1.0, "median": 1.0, "largest": 1.5}
    assert found["real_time_factor_with_retries"] == 1.5
    assert found["first_packet_seconds"]["mean"] == pytest.approx(0.2)
    assert found["last_packet_seconds"]["median"] == 2.0


def test_voices() -> None:
    judged = [{"takes": 5, "right": 4, "alike": 0.8}, {"takes": 5, "right": 2, "alike": 0.6}]
    found = summarise_voices(judged, "alike")
    assert found == {"entries": 2, "takes": 10, "right": 6, "share_right": 0.6, "alike": pytest.approx(0.7)}
