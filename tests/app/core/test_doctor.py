"""The doctor of recordings: clean speech is left alone, what is made bad on purpose is found and mended."""

import shutil
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.audio_files import AudioFileError
from app.core.doctor import ERROR, LOOKED_AT_SECONDS, MOST_SECONDS, WARNING, best_window, diagnose
from app.core.sound_edits import Edits, RawSound, render, snapped, without_offset
from app.core.sound_files import read_raw
from tests.app.quality.bad_takes import say

pytestmark = pytest.mark.skipif(shutil.which("flite") is None, reason="flite speaks the recordings")

VOICES = ("kal16", "awb", "rms", "slt")
TEXT = "Good evening. The last train leaves at ten, and it does not wait. Please mind the gap when you board."


def sound(samples, rate=16000):
    samples = np.asarray(samples, np.float32)
    samples = samples[:, None] if samples.ndim == 1 else samples
    return RawSound(samples, rate, len(samples) / rate)


def speech_of(voice="slt", text=TEXT):
    samples, rate = say(text, voice)
    return samples.copy(), rate


def codes(recording, edits=None, **options):
    return [finding.code for finding in diagnose(recording, edits or Edits(), **options).findings]


def finding(recording, code, edits=None, **options):
    found = {finding.code: finding for finding in diagnose(recording, edits or Edits(), **options).findings}
    assert code in found, found
    return found[code]


def noise_at(samples, snr, seed=0):
    power = np.mean(samples[np.abs(samples) > 0.02].astype(np.float64) ** 2)
    noise = np.random.default_rng(seed).standard_normal(len(samples)) * np.sqrt(power / 10 ** (snr / 10))
    return (samples + noise).astype(np.float32)


@pytest.mark.parametrize("voice", VOICES)
@pytest.mark.parametrize("exact", [False, True])
def test_clean_speech_has_nothing_wrong_with_it(voice, exact):
    samples, rate = speech_of(voice)
    assert codes(sound(samples, rate), exact=exact) == []
    stereo = np.stack([samples, 0.8 * samples], axis=1)
    assert codes(sound(stereo, rate)) == []
    assert codes(sound(np.round(samples * 127) / 128, rate)) == []  # 8 bits: coarse, not clipped


@pytest.mark.parametrize("voice", VOICES)
def test_clean_speech_of_two_words_is_only_short(voice):
    samples, rate = speech_of(voice, "Sea shells.")
    assert codes(sound(samples, rate)) == ["short"]


def test_edits_are_none_until_something_is_asked_for():
    samples, rate = speech_of()
    recording = sound(samples, rate)
    assert Edits().is_none and not Edits().cuts
    assert render(recording, Edits()) is not None and np.array_equal(render(recording, Edits()), samples)
    assert Edits().cut(0.0, recording.seconds, recording.seconds).is_none
    assert Edits().cut(0.5, 1.5, recording.seconds) == Edits(0.5, 1.5)


# Bad on purpose ------------------------------------------------------------------------------------------------------

BAD = {
    "broken": lambda x, r: np.where(np.arange(len(x)) % 4000 == 7, np.nan, x),
    "offset": lambda x, r: x + 0.2,
    "too_loud": lambda x, r: x * (10.0 / np.abs(x).max()),
    "quiet": lambda x, r: x * 0.01,
    "silence": lambda x, r: np.concatenate([np.zeros(2 * r), x, np.zeros(r)]),
}


@pytest.mark.parametrize("voice", VOICES)
@pytest.mark.parametrize("code", BAD)
def test_what_is_made_bad_is_found_and_mended_in_one_step(voice, code):
    samples, rate = speech_of(voice)
    bad = sound(BAD[code](samples, rate), rate)
    found = finding(bad, code)
    assert found.mended is not None
    assert codes(bad, found.mended) == []
    assert np.isfinite(render(bad, found.mended)).all()


@pytest.mark.parametrize("voice", VOICES)
def test_clipping_and_noise_are_told_and_nothing_pretends_to_mend_them(voice):
    samples, rate = speech_of(voice)
    clipped = np.clip(6 * samples / np.abs(samples).max(), -1, 1)
    assert finding(sound(clipped, rate), "clipped").mended is None
    assert finding(sound(0.3 * clipped, rate), "clipped").mended is None  # turned down afterwards
    for snr in (5, 10, 15):
        assert finding(sound(noise_at(samples, snr), rate), "noisy").mended is None
    assert "noisy" not in codes(sound(noise_at(samples, 35), rate))
    assert "noisy" in codes(sound(noise_at(say("Sea shells.", voice)[0], 10), rate))


@pytest.mark.parametrize("voice", VOICES)
def test_a_voice_that_breaks_off_is_found_and_ends_in_a_pause_or_fades(voice):
    samples, rate = speech_of(voice)
    from app.core.activity import speech

    stretches = speech(samples, rate)
    longest = max(stretches, key=lambda one: one.seconds)
    middle = round((longest.start + longest.stop) / 2 * rate)
    loud = middle + int(np.argmax(np.abs(samples[middle : middle + rate // 4])))
    for bad, code in ((samples[:loud], "cut_end"), (samples[loud:], "cut_start")):
        recording = sound(bad, rate)
        found = finding(recording, code)
        assert found.severity == WARNING
        assert code not in codes(recording, found.mended)
        outer = render(recording, found.mended)
        edge = outer[-rate // 100 :] if code == "cut_end" else outer[: rate // 200]
        assert np.abs(edge).max() < 0.1 * np.abs(outer).max()


def test_after_a_pause_the_end_is_cut_there_and_a_single_phrase_fades():
    samples, rate = speech_of("slt")
    from app.core.activity import speech

    last = speech(samples, rate)[-1]
    broken_off = sound(samples[: round((last.start + 0.3) * rate)], rate)
    mended = finding(broken_off, "cut_end").mended
    assert mended.end is not None and not mended.ease_out
    assert mended.end < last.start + 0.3
    phrase, rate = speech_of("slt", "shells")
    half = sound(phrase[: len(phrase) // 2], rate)
    mended = finding(half, "cut_end").mended
    assert mended.ease_out and not mended.cuts


def test_channels_that_do_not_fit_are_found_and_the_better_one_is_taken():
    samples, rate = speech_of()
    noise = np.random.default_rng(1).standard_normal(len(samples)).astype(np.float32) * 0.1
    for pair, code, better in (
        (np.stack([0.001 * samples, samples], axis=1), "sides_level", 1),
        (np.stack([samples, np.zeros_like(samples)], axis=1), "sides_level", 0),
        (np.stack([samples, -samples], axis=1), "sides_opposed", 0),
        (np.stack([noise, samples], axis=1), "sides_differ", 1),
    ):
        recording = sound(pair, rate)
        mended = finding(recording, code).mended
        assert mended.channel == better
        assert codes(recording, mended) == []
        assert np.array_equal(render(recording, mended), pair[:, better].astype(np.float32))


# OPEN-06 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("samples", "code"),
    [
        (np.zeros(0), "empty"),
        (np.full(1, 0.5), "too_short"),
        (np.full(800, 0.5), "too_short"),
        (np.zeros(32000), "silent"),
        (np.full(32000, 0.9), "silent"),
        (np.where(np.arange(32000) % 3, 0.1, np.nan), "too_broken"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(samples, code):
    diagnosis = diagnose(sound(samples), Edits())
    assert diagnosis.error is not None and diagnosis.error.code == code


def test_nan_and_infinity_are_mended_to_what_was_there():
    samples, rate = speech_of()
    bad = samples.copy()
    bad[5000], bad[9000] = np.nan, np.inf
    recording = sound(bad, rate)
    found = finding(recording, "broken")
    assert found.values["count"] == 2
    mended = render(recording, found.mended)
    assert np.isfinite(mended).all()
    assert np.abs(mended - samples).max() < 0.1


def long_speech(seconds, rate=16000):
    samples, _ = speech_of()
    return np.tile(samples, int(np.ceil(seconds * rate / len(samples))))[: round(seconds * rate)]


def test_of_a_long_recording_the_best_window_is_offered_and_a_prompt_has_to_be_cut():
    recording = sound(np.concatenate([np.zeros(16000 * 20), long_speech(40)]))
    assert finding(recording, "long").severity == WARNING
    found = finding(recording, "long", exact=True)
    assert found.severity == ERROR
    diagnosis = diagnose(recording, found.mended, exact=True)
    assert diagnosis.findings == ()
    assert 10 < diagnosis.seconds <= 15.5
    assert found.mended.start > 19.5


def test_a_cut_at_which_nothing_is_left_can_be_taken_back():
    samples, rate = speech_of()
    found = finding(sound(samples, rate), "too_short", Edits(1.0, 1.1, gain_db=3.0))
    assert found.mended == Edits(gain_db=3.0)


def test_a_file_of_ten_minutes_is_looked_at_as_far_as_the_longest_and_its_length_is_told(tmp_path):
    for seconds in (LOOKED_AT_SECONDS, 600):
        path = tmp_path / f"{seconds}.wav"
        soundfile.write(path, long_speech(seconds), 16000)
        recording = read_raw(path, most_seconds=LOOKED_AT_SECONDS)
        assert recording.seconds == LOOKED_AT_SECONDS
        assert recording.whole_seconds == pytest.approx(seconds)
        assert finding(recording, "long").values["seconds"] == pytest.approx(seconds)


def test_open_06_ten_minutes_take_no_more_memory_than_the_longest_that_is_looked_at(tmp_path):
    peaks = {}
    for seconds in (LOOKED_AT_SECONDS, 600.0):
        path = tmp_path / f"{seconds}.wav"
        soundfile.write(path, long_speech(seconds), 16000)
        tracemalloc.start()
        recording = read_raw(path, most_seconds=LOOKED_AT_SECONDS)
        best = finding(recording, "long").mended
        diagnose(recording, best)
        peaks[seconds] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peaks[600.0] <= 1.2 * peaks[LOOKED_AT_SECONDS]
    assert peaks[600.0] < 12 * 4 * LOOKED_AT_SECONDS * 16000  # bytes of float32


def test_raw_sound_keeps_two_channels_and_broken_values(tmp_path):
    path = tmp_path / "raw.wav"
    data = np.stack([np.full(1000, 0.5), np.full(1000, -0.25)], axis=1).astype(np.float32)
    data[10, 1] = np.nan
    soundfile.write(path, data, 22050, subtype="FLOAT")
    recording = read_raw(path, most_seconds=1.0)
    assert recording.sample_rate == 22050
    assert np.array_equal(recording.samples, data, equal_nan=True)
    soundfile.write(path, np.repeat(data[:, :1], 6, axis=1), 22050, subtype="FLOAT")
    assert np.array_equal(read_raw(path, most_seconds=1.0).samples, data[:, :1])
    path.write_text("no sound")
    with pytest.raises(AudioFileError):
        read_raw(path, most_seconds=1.0)


# Whatever comes ------------------------------------------------------------------------------------------------------

KINDS = st.sampled_from(["noise", "zeros", "steps", "nan", "huge", "tone", "speech"])


@st.composite
def recordings(draw):
    rate = draw(st.sampled_from([8000, 11025, 16000, 44100]))
    channels = draw(st.integers(1, 2))
    parts = []
    for kind in draw(st.lists(KINDS, max_size=5)):
        count = draw(st.integers(1, rate))
        random = np.random.default_rng(draw(st.integers(0, 99)))
        parts.append(
            {
                "noise": random.uniform(-1, 1, count),
                "zeros": np.zeros(count),
                "steps": np.sign(random.standard_normal(count)),
                "nan": np.where(random.uniform(size=count) < 0.05, np.nan, 0.1),
                "huge": 1e6 * random.standard_normal(count),
                "tone": 0.3 * np.sin(2 * np.pi * 220 * np.arange(count) / rate),
                "speech": np.resize(say("Sea shells.", "slt")[0], count),
            }[kind]
        )
    samples = np.concatenate(parts) if parts else np.zeros(0)
    sides = [samples * draw(st.sampled_from([1.0, 0.0, -1.0, 0.5])) for _ in range(channels)]
    return sound(np.stack(sides, axis=1), rate)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(recordings(), st.booleans())
def test_every_recording_is_diagnosed_and_every_mending_is_finite_and_ends(recording, exact):
    """Following the first mending that is offered leads, in a few steps, to where nothing more is offered."""
    edits, seen = Edits(), set()
    for _ in range(12):
        diagnosis = diagnose(recording, edits, exact=exact)
        assert diagnosis.samples.dtype == np.float32 and diagnosis.samples.ndim == 1
        for one in diagnosis.findings:
            assert all(np.isfinite(value) for value in one.values.values())
            assert one.mended != edits
        if edits.mend:
            assert np.isfinite(diagnosis.samples).all()
        offered = [one.mended for one in diagnosis.findings if one.mended is not None and one.mended not in seen]
        if not offered:
            return
        seen.add(edits)
        edits = offered[0]
    raise AssertionError("there is always something more to mend")


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.floats(0, 8), st.floats(0, 8), st.floats(-20, 20), st.booleans(), st.booleans())
def test_a_cut_is_what_it_says_and_the_recording_is_never_touched(start, end, gain, ease_in, ease_out):
    samples, rate = speech_of()
    recording = sound(samples, rate)
    edits = replace(Edits().cut(min(start, end), max(start, end), recording.seconds), gain_db=gain,
                    ease_in=ease_in, ease_out=ease_out)  # fmt: skip
    used = render(recording, edits)
    assert np.array_equal(recording.samples[:, 0], samples)
    first = round(edits.start * rate)
    last = len(samples) if edits.end is None else round(edits.end * rate)
    kept = max(0, min(last, len(samples)) - min(first, len(samples)))
    assert len(used) == kept + (round(0.25 * rate) if edits.ease_out else 0)
    inside = slice(rate // 40, kept - rate // 40)
    wanted = samples[first : first + kept] * np.float32(10 ** (gain / 20))
    assert np.allclose(used[:kept][inside], wanted[inside], atol=1e-5)
    assert np.all(np.abs(used[:kept]) <= np.abs(wanted) + 1e-6)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.floats(-1, 9))
def test_a_cut_snaps_to_a_pause_near_by_and_never_far(place):
    from app.core.activity import speech

    samples, rate = speech_of()
    stretches, total = speech(samples, rate), len(samples) / rate
    snap = snapped(place, samples, rate, stretches)
    assert 0 <= snap <= total
    assert abs(snap - min(max(place, 0), total)) <= 0.2501
    near = [border for one in stretches for border in (one.start, one.stop) if abs(border - place) < 0.19]
    if near and 0 < place < total:
        assert not any(one.start < snap < one.stop for one in stretches)


def test_the_best_window_begins_and_ends_in_pauses():
    samples = long_speech(60)
    from app.core.activity import speech

    stretches = speech(samples, 16000)
    best = best_window(samples, 16000, stretches)
    assert best.seconds <= 15 < MOST_SECONDS
    assert not any(one.start < place < one.stop for one in stretches for place in (best.start, best.stop))


def test_an_offset_goes_and_the_sound_stays():
    samples, _ = speech_of()
    assert np.abs(without_offset(samples + np.float32(0.3)) - (samples - samples.mean())).max() < 1e-5
