"""The mix: onsets, loudness and true peak, the bed under it, stems and single cues, measured on what comes out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pyloudnorm
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.dubbing import levels
from app.core.dubbing.bed import ATTACK_MS, RELEASE_MS, BedError, ducking, read_bed
from app.core.dubbing.fit import Placed
from app.core.dubbing.mixing import CUE_LEAD_MS, Mixer, MixOptions
from app.core.dubbing.speech import ONSET, render, speech_ms, stretched, trimmed
from tests.app.dubbing.sounds import RATE, speech

MIX = 48_000


def dub(count: int = 6, seconds: float = 1.2) -> tuple[list[Placed], dict[str, np.ndarray]]:
    takes = {f"t{n}": speech(seconds, n) for n in range(count)}
    placed = [
        Placed(f"c{n}", f"t{n}", 500 + 2000 * n, 500 + 2000 * n + 1200, speed=1.0 + 0.05 * n) for n in range(count)
    ]
    return placed, takes


def onset_ms(samples: np.ndarray, rate: int) -> float:
    return 1000 * int(np.flatnonzero(np.abs(samples) > ONSET)[0]) / rate


@pytest.mark.parametrize("target", [-16.0, -19.0, -23.0])
@pytest.mark.parametrize(("rate", "channels"), [(48_000, 1), (16_000, 2), (96_000, 1)])
def test_onsets_loudness_and_true_peak_of_a_mix(tmp_path: Path, target: float, rate: int, channels: int) -> None:
    placed, takes = dub()
    mixer = Mixer(placed, lambda uid: (takes[uid], RATE), tmp_path, MixOptions(rate, channels, target))
    mixed = mixer.mix()
    assert mixed.samples.shape[1] == channels and not mixed.quiet and not mixed.notes
    meter = pyloudnorm.Meter(rate)
    assert meter.integrated_loudness(np.asarray(mixed.samples, np.float64)) == pytest.approx(target, abs=0.2)
    assert levels.true_peak_db(mixed.samples) <= -1.0
    for one in placed:
        alone = mixer.cue(one.cue_id)
        assert alone is not None
        assert onset_ms(alone[:, 0], rate) == pytest.approx(CUE_LEAD_MS, abs=2)
        stem = mixer.stem(frozenset({one.cue_id}))
        assert onset_ms(stem[:, 0], rate) == pytest.approx(one.start, abs=2)
        assert mixed.times[one.cue_id][0] == one.start
    whole = sum(np.asarray(mixer.stem(frozenset({one.cue_id}))) for one in placed)
    np.testing.assert_allclose(whole, mixed.samples, atol=2e-3)


def test_peaky_speech_is_limited_and_stays_at_its_loudness(tmp_path: Path) -> None:
    """Clicks 30 dB above the rest: without the limiter they would be far above full scale."""
    sound = speech(3.0)
    sound[4000::4000] = 0.8
    mixed = Mixer([Placed("c", "t", 100, 3000)], lambda uid: (sound, RATE), tmp_path, MixOptions()).mix()
    assert mixed.true_peak_db <= -1.0
    assert mixed.loudness == pytest.approx(-16.0, abs=0.5) or mixed.notes


def test_each_take_is_read_and_shaped_once_for_the_mix_its_passes_the_stems_and_the_files_of_cues(
    tmp_path: Path,
) -> None:
    placed, takes = dub()
    asked: list[str] = []

    def sound_of(uid: str) -> tuple[np.ndarray, int]:
        asked.append(uid)
        return takes[uid], RATE

    mixer = Mixer(placed, sound_of, tmp_path, MixOptions())
    mixer.mix()
    for one in placed:
        mixer.stem(frozenset({one.cue_id}))
        mixer.cue(one.cue_id)
    assert asked == [one.take for one in placed]


def test_silence_is_told_and_breaks_nothing(tmp_path: Path) -> None:
    silence = np.zeros(RATE, np.float32)
    mixed = Mixer([Placed("c", "t", 100, 900)], lambda uid: (silence, RATE), tmp_path, MixOptions()).mix()
    assert mixed.quiet == ["c"] and mixed.notes == ["The mix is silent."] and not mixed.samples.any()
    assert Mixer([], lambda uid: (silence, RATE), tmp_path, MixOptions()).mix().times == {}


@settings(max_examples=25, deadline=None)
@given(st.integers(5, 80), st.integers(1, 2), st.integers(0, 99), st.sampled_from([16_000, 44_100, 48_000]))
def test_loudness_in_pieces_is_that_of_the_whole(tenths: int, channels: int, seed: int, rate: int) -> None:
    """Of whole tenths of a second: pyloudnorm also counts a last block that is not full."""
    length = tenths * rate // 10
    rng = np.random.default_rng(seed)
    at = np.arange(length) / rate
    sound = rng.standard_normal((length, channels)) * (0.01 + 0.2 * np.abs(np.sin(at * 2)))[:, None]
    sound = sound.astype(np.float32)
    before, levels.PIECE = levels.PIECE, 50_000
    try:
        found = levels.integrated_loudness(sound, rate)
    finally:
        levels.PIECE = before
    assert found == pytest.approx(pyloudnorm.Meter(rate).integrated_loudness(sound.astype(np.float64)), abs=1e-3)


def test_true_peak_between_samples_is_found_and_the_limiter_is_the_same_in_pieces(monkeypatch) -> None:
    at = np.arange(MIX)
    tone = np.sin(2 * np.pi * at / 4 + np.pi / 4).astype(np.float32)[:, None]  # peaks lie between the samples: +3 dB
    assert np.abs(tone).max() == pytest.approx(0.7071, abs=1e-3)
    assert levels.true_peak_db(tone) == pytest.approx(0.0, abs=0.2)
    rng = np.random.default_rng(1)
    loud = (rng.standard_normal((200_000, 1)) * 0.5).astype(np.float32)
    whole, pieces = loud.copy(), loud.copy()
    levels.limit(whole, MIX, -1.5)
    monkeypatch.setattr(levels, "PIECE", 30_000)
    levels.limit(pieces, MIX, -1.5)
    np.testing.assert_allclose(whole, pieces, atol=2e-5)
    assert levels.true_peak_db(whole) <= -1.0


def test_the_bed_is_down_while_somebody_speaks_and_comes_back(tmp_path: Path) -> None:
    bed = np.full((4 * MIX, 1), 0.1, np.float32)
    options = MixOptions(duck_db=-20.0)
    placed = [Placed("c", "t", 1000, 2200)]
    mixer = Mixer(placed, lambda uid: (np.zeros(RATE, np.float32), RATE), tmp_path, options, bed)
    made = np.zeros((4 * MIX, 1), np.float32)
    mixer._lay_bed(made, {"c": (1000, 2200)})
    assert made[round(1.5 * MIX), 0] == pytest.approx(0.01, rel=1e-3)
    assert made[round((1.0 - ATTACK_MS / 1000 - 0.01) * MIX), 0] == pytest.approx(0.1)
    assert made[round((2.2 + RELEASE_MS / 1000 + 0.01) * MIX), 0] == pytest.approx(0.1)
    places, gains = ducking([(0, 100), (120, 300)], 1000, -6.0)
    assert len(places) == 4 and gains.min() == pytest.approx(0.501, abs=1e-3)  # a break that short stays down
    keep = Mixer(placed, lambda uid: (np.zeros(RATE, np.float32), RATE), tmp_path, MixOptions(bed="keep"), bed)
    made[:] = 0
    keep._lay_bed(made, {"c": (1000, 2200)})
    assert made.min() == pytest.approx(0.1)


@pytest.mark.parametrize("suffix", ["wav", "flac", "mp3", "ogg"])
def test_sound_files_become_a_bed(tmp_path: Path, suffix: str) -> None:
    sound = np.stack([speech(1.0), 0.5 * speech(1.0)], axis=1)
    soundfile.write(tmp_path / f"a.{suffix}", sound, RATE)
    for channels in (1, 2):
        bed = read_bed(tmp_path / f"a.{suffix}", MIX, channels, tmp_path)
        assert bed.shape[1] == channels and len(bed) / MIX == pytest.approx(len(sound) / RATE, abs=0.1)
        assert float(np.abs(bed).max()) > 0.02


def test_of_a_damaged_bed_what_could_be_read_is_used_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    soundfile.write(tmp_path / "a.flac", np.tile(speech(8.0), 6), RATE)
    data = (tmp_path / "a.flac").read_bytes()
    (tmp_path / "a.flac").write_bytes(data[: len(data) * 2 // 3])
    bed = read_bed(tmp_path / "a.flac", MIX, 1, tmp_path)
    assert 10 < len(bed) / MIX < 49 and np.abs(bed).max() < 0.2
    assert "is damaged" in caplog.text


def test_a_film_becomes_a_bed_through_ffmpeg_and_nonsense_does_not(tmp_path: Path) -> None:
    import shutil

    (tmp_path / "no.mp4").write_bytes(b"not a film at all" * 100)
    with pytest.raises(BedError):
        read_bed(tmp_path / "no.mp4", MIX, 1, tmp_path)
    with pytest.raises(BedError, match="does not exist"):
        read_bed(tmp_path / "gone.wav", MIX, 1, tmp_path)
    if shutil.which("ffmpeg") is None:
        pytest.skip("ffmpeg is not installed")
    soundfile.write(tmp_path / "a.wav", speech(1.0), RATE)
    film = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=size=16x16:duration=1.3", "-i", "a.wav", "-shortest"]
    subprocess.run([*film, "a.mkv"], cwd=tmp_path, check=True)
    bed = read_bed(tmp_path / "a.mkv", MIX, 2, tmp_path)
    assert bed.shape[1] == 2 and len(bed) / MIX == pytest.approx(1.3, abs=0.1)


@pytest.mark.parametrize("speed", [0.8, 0.9, 1.1, 1.25])
def test_stretching_keeps_pitch_length_and_onset(speed: float) -> None:
    sound = trimmed(speech(2.0), RATE)
    made = trimmed(stretched(sound, RATE, speed), RATE)
    assert speech_ms(made, RATE) == pytest.approx(speech_ms(sound, RATE) / speed, abs=80)

    def pitch(samples: np.ndarray) -> float:
        spectrum = np.abs(np.fft.rfft(samples[: RATE // 2 * 2], 1 << 16))
        return float(np.argmax(spectrum[: (1 << 16) * 600 // RATE])) * RATE / (1 << 16)

    assert pitch(made) == pytest.approx(pitch(sound), rel=0.03)


@settings(max_examples=20, deadline=None)
@given(st.floats(0.05, 2.0), st.integers(0, 50), st.floats(0.8, 1.25), st.floats(-60, 0))
def test_a_cue_is_at_its_level_and_its_onset_is_where_it_says(
    seconds: float, seed: int, speed: float, gain: float
) -> None:
    sound = render(speech(seconds, seed) * np.float32(10 ** (gain / 20)), RATE, speed=speed, rate=MIX, level=-16.0)
    if sound.quiet:
        assert np.abs(sound.samples).max(initial=0.0) <= ONSET
    else:
        assert abs(sound.samples[sound.onset]) > ONSET and (np.abs(sound.samples[: sound.onset]) <= ONSET).all()


def test_what_the_watermark_adds_is_allowed_for(tmp_path: Path) -> None:
    """A mark that makes everything 1 dB louder: loudness and true peak are right with it."""
    placed, takes = dub()

    def louder(samples: np.ndarray, rate: int) -> np.ndarray:
        return np.asarray(samples) * np.float32(10 ** (1 / 20))

    mixed = Mixer(placed, lambda uid: (takes[uid], RATE), tmp_path, MixOptions(), marked=louder).mix()
    made = louder(mixed.samples, MIX)
    assert levels.integrated_loudness(made, MIX) == pytest.approx(-16.0, abs=0.2)
    assert levels.true_peak_db(made) <= -1.4
