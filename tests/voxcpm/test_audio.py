"""Recordings made ready for the encoder: mended, refused with a reason, cut at a pause (OPEN-06)."""

from __future__ import annotations

import json
import tracemalloc

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import parity_dir
from tests.voxcpm.test_audio_file import encoded, long_file
from voxcpm.audio import MAX_SECONDS, MIN_SECONDS, prepare_reference, read_audio, resample, trim_silence
from voxcpm.errors import AudioError

RATE = 16_000
INPUTS = sorted((parity_dir() / "audio").glob("*.wav"))


def voice(seconds: float, rate: int = RATE, gain: float = 0.5) -> np.ndarray:
    time = np.arange(round(seconds * rate)) / rate
    swell = 0.55 + 0.45 * np.sin(2 * np.pi * 3 * time)
    return (gain * swell * np.sin(2 * np.pi * 180 * time)).astype(np.float32)


def prepared(samples: np.ndarray, rate: int = RATE, to: int = RATE, **options):
    result = prepare_reference(read_audio((samples, rate)), to, **options)
    assert result.samples.dtype == np.float32
    assert np.isfinite(result.samples).all()
    return result


def codes(result) -> set[str]:
    return {finding.code for finding in result.findings}


# Nothing to mend


@pytest.mark.parametrize("path", INPUTS, ids=[path.stem for path in INPUTS])
def test_good_audio_passes_through_sample_for_sample(path):
    values, rate = soundfile.read(path, dtype="int16")
    result = prepare_reference(path, rate, min_seconds=0.0)
    assert np.array_equal(result.samples, values / np.float32(32768))
    assert (result.start_seconds, result.end_seconds) == (0.0, len(values) / rate)
    assert not result.transcript_stale
    assert codes(result) <= {"short"}


def test_there_are_recorded_inputs():
    assert len(INPUTS) >= 9


def test_float_audio_passes_through():
    samples = voice(5)
    result = prepared(samples)
    assert np.array_equal(result.samples, samples)
    assert result.findings == ()


# OPEN-06


@pytest.mark.parametrize(
    ("samples", "reason"),
    [
        (np.zeros(0), "empty"),
        (np.array([0.5]), "too_short"),
        (voice(0.05), "too_short"),
        (np.zeros(2 * RATE), "silent"),
        (np.full(2 * RATE, 0.9), "silent"),
        (np.full(2 * RATE, np.nan), "not_finite"),
        (np.full(2 * RATE, np.inf), "not_finite"),
        (voice(2, gain=1e-4), "silent"),
    ],
    ids=["0 frames", "1 sample", "50 ms", "zeros", "offset only", "NaN", "Inf", "inaudible"],
)
@pytest.mark.parametrize("to", [RATE, 44_100])
def test_unusable_audio_is_refused_with_the_reason(samples, reason, to):
    with pytest.raises(AudioError) as caught:
        prepared(samples, to=to)
    assert caught.value.reason == reason


def test_one_nan_and_one_inf_are_bridged():
    clean = voice(4)
    broken = clean.copy()
    broken[20_000], broken[20_001], broken[0], broken[-1] = np.nan, np.inf, -np.inf, np.nan
    result = prepared(broken)
    assert codes(result) == {"not_finite"}
    assert "4 broken samples" in result.findings[0].message
    assert np.abs(result.samples - clean).max() < 0.1
    untouched = np.isfinite(broken)
    assert np.array_equal(result.samples[untouched], clean[untouched])


def test_a_lone_spike_does_not_silence_the_rest():
    clean = voice(4)
    broken = clean.copy()
    broken[10_000] = 3e38
    result = prepared(broken)
    assert codes(result) == {"not_finite"}
    assert np.abs(result.samples - clean).max() < 0.1


def test_a_peak_of_ten_is_lowered():
    clean = voice(4)
    result = prepared(clean * (10 / np.abs(clean).max()))
    assert codes(result) == {"too_loud"}
    assert 0.9 < np.abs(result.samples).max() <= 1.0
    assert np.allclose(result.samples / np.abs(result.samples).max(), clean / np.abs(clean).max(), atol=1e-5)


def test_an_offset_is_removed():
    clean = voice(4, gain=0.3)
    result = prepared(clean + np.float32(0.9))
    assert codes(result) == {"offset"}
    assert np.allclose(result.samples, clean - clean.mean(), atol=1e-5)


def test_all_faults_at_once():
    samples = voice(4) * 10 + 3
    samples[5] = np.nan
    result = prepared(samples, to=48_000)
    assert {"not_finite", "offset", "too_loud"} <= codes(result)
    assert np.abs(result.samples).max() <= 1.0


def test_clipped_quiet_and_short_are_told_and_left_alone():
    clipped = np.clip(voice(4) * 5, -1, 1)
    assert codes(prepared(clipped)) == {"clipped"}
    assert np.array_equal(prepared(clipped).samples, clipped)
    quiet = voice(4, gain=0.01)
    assert codes(prepared(quiet)) == {"quiet"}
    assert np.array_equal(prepared(quiet).samples, quiet)
    assert codes(prepared(voice(1))) == {"short"}


@pytest.mark.parametrize(
    ("count", "shown"), [(3 * RATE - 1, "2.9 s"), (int(2.98 * RATE), "2.9 s"), (2 * RATE, "2.0 s")]
)
def test_short_audio_is_never_said_to_be_as_long_as_is_asked_for(count, shown):
    (finding,) = prepared(voice(4)[:count]).findings
    assert finding.message.startswith(f"{shown} is short; 3 s or more")
    assert not prepared(voice(4)[: 3 * RATE]).findings
    with pytest.raises(AudioError, match=r"is 0\.29 s long and at least 0\.3 s"):
        prepared(voice(1)[: int(MIN_SECONDS * RATE) - 1])


def test_the_least_length_is_a_parameter():
    assert len(prepared(voice(MIN_SECONDS)).samples) == round(MIN_SECONDS * RATE)
    with pytest.raises(AudioError, match=r"at least 0\.3 s"):
        prepared(voice(MIN_SECONDS - 0.01))
    assert len(prepared(np.array([0.5]), min_seconds=0.0).samples) == 1
    assert len(prepared(np.array([0.5]), to=44_100, min_seconds=0.0).samples) == 3
    assert len(prepared(voice(0.05), min_seconds=0.0).samples) == 800


# Too long


def test_over_long_audio_is_cut_at_the_pause_and_says_so():
    samples = voice(45)
    samples[int(27.5 * RATE) : int(28.0 * RATE)] *= 0.001
    result = prepared(samples)
    assert result.transcript_stale
    assert "cut" in codes(result)
    assert result.start_seconds == 0.0
    assert 27.5 <= result.end_seconds <= 28.0
    assert np.array_equal(result.samples, samples[: len(result.samples)])
    message = next(finding.message for finding in result.findings if finding.code == "cut")
    assert f"{result.end_seconds:.2f}" in message
    assert "45.0" in message


def test_without_a_pause_the_limit_still_holds():
    result = prepared(np.sin(np.arange(40 * RATE) * 0.1).astype(np.float32) * 0.5)
    assert 24 < result.end_seconds <= MAX_SECONDS


def test_just_the_allowed_length_is_not_cut(tmp_path):
    result = prepared(voice(MAX_SECONDS))
    assert not result.transcript_stale
    assert len(result.samples) == MAX_SECONDS * RATE
    result = prepare_reference(long_file(tmp_path / "30.wav", 30), RATE)
    assert not result.transcript_stale
    assert prepare_reference(long_file(tmp_path / "31.wav", 31), RATE).transcript_stale


def test_a_long_file_gives_the_same_as_its_samples(tmp_path):
    path = long_file(tmp_path / "x.wav", 70, silent=35)
    from_file = prepare_reference(path, RATE)
    from_samples = prepare_reference(read_audio(path), RATE)
    assert from_file.start_seconds == from_samples.start_seconds == 35.0
    assert from_file.end_seconds == from_samples.end_seconds
    assert from_file.transcript_stale and from_samples.transcript_stale
    assert np.array_equal(from_file.samples, from_samples.samples)


def test_memory_for_ten_minutes_is_that_for_the_longest_allowed(tmp_path):
    def peak(path) -> int:
        tracemalloc.start()
        try:
            prepare_reference(path, 16_000)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    allowed = peak(long_file(tmp_path / "a.wav", 30, rate=44_100))
    assert peak(long_file(tmp_path / "b.wav", 600, rate=44_100)) <= 1.2 * allowed


# Resampling


@pytest.mark.parametrize("rate_in", [8_000, 22_050, 44_100, 48_000, 96_000, 192_000])
@pytest.mark.parametrize("rate_out", [16_000, 44_100])
def test_resampling_keeps_length_pitch_and_level(rate_in, rate_out):
    def tone(rate):
        time = np.arange(2 * rate) / rate
        return (0.5 * np.sin(2 * np.pi * 1000 * time) * np.hanning(2 * rate)).astype(np.float32)

    result = resample(tone(rate_in), rate_in, rate_out)
    assert len(result) == 2 * rate_out
    assert np.abs(result - tone(rate_out)).max() < 1e-3


def test_resampling_leaves_no_alias():
    rate = 48_000
    high = np.sin(2 * np.pi * 10_000 * np.arange(rate) / rate).astype(np.float32)
    result = resample(high, rate, 16_000)
    assert np.abs(result[1000:-1000]).max() < 1e-4


@settings(deadline=None)
@given(st.integers(0, 3000), st.sampled_from([8_000, 11_025, 44_100]), st.sampled_from([16_000, 44_100, 48_000]))
def test_resampled_length_for_any_input(count, rate_in, rate_out):
    result = resample(np.zeros(count, np.float32), rate_in, rate_out)
    assert len(result) == (max(1, round(count * rate_out / rate_in)) if count else 0)


# Trimming


def test_trimming_as_recorded():
    recorded = json.loads((parity_dir() / "vectors" / "tiny-v2" / "manifest.json").read_text())["vad_trim"]
    recording = read_audio(parity_dir() / recorded["file"])
    assert len(recording.samples) == recorded["in_samples"]
    trimmed = trim_silence(recording.samples, recording.sample_rate)
    start = recorded["start_candidates"][0]
    assert np.array_equal(trimmed, recording.samples[start : start + recorded["out_samples"]])


@pytest.mark.parametrize("count", [0, 1, 100, 2047, 2048, 5000])
def test_trimming_short_or_silent_audio(count):
    assert len(trim_silence(np.zeros(count, np.float32), RATE)) == count
    loud = np.full(count, 0.5, np.float32)
    assert np.array_equal(trim_silence(loud, RATE), loud)


def test_trimming_on_request_is_told():
    samples = np.concatenate([np.zeros(RATE, np.float32), voice(4), np.zeros(RATE, np.float32)])
    plain, trimmed = prepared(samples), prepared(samples, trim=True)
    assert np.array_equal(plain.samples, samples)
    assert codes(trimmed) == {"trimmed"}
    assert not trimmed.transcript_stale
    assert 0.6 < trimmed.start_seconds < 1.0 < 5.0 < trimmed.end_seconds < 5.4
    assert codes(prepared(voice(4), trim=True)) == set()


# Anything


@settings(deadline=None, max_examples=200)
@given(
    st.integers(0, 4000),
    st.sampled_from([0.0, 1e-6, 0.5, 5.0, 1e30]),
    st.sampled_from([0.0, 0.9, -40.0]),
    st.lists(st.tuples(st.integers(0, 3999), st.sampled_from([np.nan, np.inf, -np.inf, 3e38])), max_size=20),
    st.sampled_from([0.0, 0.3]),
    st.integers(0, 2**32 - 1),
)
def test_never_a_value_that_is_no_number(count, gain, offset, faults, least, seed):
    samples = (np.random.default_rng(seed).uniform(-1, 1, count) * gain + offset).astype(np.float32)
    for place, value in faults:
        if place < count:
            samples[place] = value
    try:
        result = prepared(samples, 8_000, 16_000, min_seconds=least, max_seconds=0.4)
    except AudioError as error:
        assert error.reason in ("empty", "too_short", "silent", "not_finite")
    else:
        assert 0 < len(result.samples) <= 0.4 * 16_000 + 1
        assert np.abs(result.samples).max() <= 2.0  # resampling noise overshoots, but it stays bounded


def test_streamed_bytes_go_all_the_way():
    data = encoded(voice(4)[:, None], RATE)
    result = prepare_reference(data, 48_000)
    assert len(result.samples) == 4 * 48_000
