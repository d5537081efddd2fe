"""Audio as people have it: one recording in every container, and headers that were never finished (OPEN-05)."""

from __future__ import annotations

import io
import os
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from voxcpm.audio import read_audio, resample, write_wav
from voxcpm.audio_file import Recording
from voxcpm.errors import AudioError

SECONDS = 3.0
MODEL_RATE = 16_000


def signal(rate: int, channels: int = 1, seconds: float = SECONDS) -> np.ndarray:
    """[n, channels], each channel different, nothing above 3 kHz, peak below 0.7."""
    time = np.arange(round(seconds * rate)) / rate
    swell = 0.5 + 0.5 * np.sin(2 * np.pi * 1.5 * time)
    columns = []
    for channel in range(channels):
        tones = [(220 + 30 * channel, 0.4), (700 + 90 * channel, 0.2), (2000 + 130 * channel, 0.1)]
        columns.append(swell * sum(gain * np.sin(2 * np.pi * hertz * time + channel) for hertz, gain in tones))
    return np.stack(columns, axis=1)


def encoded(frames: np.ndarray, rate: int, subtype: str = "PCM_16", kind: str = "WAV") -> bytes:
    file = io.BytesIO()
    soundfile.write(file, frames, rate, format=kind, subtype=subtype)
    return file.getvalue()


def relative_error(got: np.ndarray, wanted: np.ndarray) -> float:
    count = min(len(got), len(wanted))
    return float(np.linalg.norm(got[:count] - wanted[:count]) / np.linalg.norm(wanted[:count]))


def check(data: bytes, rate: int, channels: int, *, tolerance: float, length_tolerance: float = 0.001) -> Recording:
    recording = read_audio(data)
    assert (recording.sample_rate, recording.channels) == (rate, channels)
    assert recording.samples.dtype == np.float32
    assert recording.samples.ndim == 1
    assert recording.seconds == pytest.approx(SECONDS, abs=length_tolerance)
    got = resample(recording.samples, rate, MODEL_RATE)
    wanted = signal(MODEL_RATE, channels).mean(axis=1)
    assert len(got) == pytest.approx(len(wanted), abs=length_tolerance * MODEL_RATE + 1)
    assert relative_error(got, wanted) < tolerance
    return recording


@pytest.mark.parametrize("channels", [1, 2, 6])
@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE"])
@pytest.mark.parametrize("rate", [16_000, 48_000])
def test_every_width_and_channel_count(rate, subtype, channels):
    tolerance = 0.1 if subtype == "PCM_U8" else 0.02
    recording = check(encoded(signal(rate, channels), rate, subtype), rate, channels, tolerance=tolerance)
    assert recording.findings == ()


@pytest.mark.parametrize("rate", [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000])
def test_every_rate(rate):
    check(encoded(signal(rate, 2), rate), rate, 2, tolerance=0.1 if rate <= 8000 else 0.02)


@pytest.mark.parametrize(
    ("kind", "subtype", "channels"),
    [
        ("FLAC", "PCM_16", 6),
        ("FLAC", "PCM_24", 2),
        ("AIFF", "PCM_16", 2),
        ("RF64", "PCM_16", 2),
        ("WAVEX", "PCM_24", 6),
    ],
)
def test_other_lossless_containers(kind, subtype, channels):
    check(encoded(signal(44_100, channels), 44_100, subtype, kind), 44_100, channels, tolerance=0.02)


@pytest.mark.parametrize(
    ("kind", "subtype", "rate", "length"),
    [("OGG", "VORBIS", 44_100, 0.04), ("OGG", "OPUS", 48_000, 0.04), ("MP3", "MPEG_LAYER_III", 44_100, 0.1)],
)
@pytest.mark.parametrize("channels", [1, 2])
def test_lossy_containers(kind, subtype, rate, length, channels):
    check(encoded(signal(rate, channels), rate, subtype, kind), rate, channels, tolerance=0.1, length_tolerance=length)


@pytest.mark.parametrize("name", ["x.wav", "x.flac", "x.mp3", "x.raw", "x.txt", "x", "x.WAV.part"])
@pytest.mark.parametrize(("kind", "subtype"), [("WAV", "PCM_16"), ("FLAC", "PCM_16"), ("OGG", "VORBIS"), ("MP3", None)])
def test_the_name_means_nothing(tmp_path, name, kind, subtype):
    path = tmp_path / name
    data = encoded(signal(44_100, 2), 44_100, subtype or "MPEG_LAYER_III", kind)
    path.write_bytes(data)
    from_path, from_name, from_bytes = read_audio(path), read_audio(str(path)), read_audio(data)
    with path.open("rb") as file:
        file.seek(100)
        from_file = read_audio(file)
        assert not file.closed
    for other in (from_name, from_bytes, from_file):
        assert np.array_equal(from_path.samples, other.samples)


def test_a_pipe_is_read_too():
    data = encoded(signal(16_000), 16_000)
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as pipe:
        with os.fdopen(writing, "wb") as file:
            file.write(data[:40_000])
        recording = read_audio(pipe)
    assert len(recording.samples) == (40_000 - 44) // 2


def test_sixteen_bits_are_exact():
    values = np.random.default_rng(1).integers(-32768, 32768, 5000).astype(np.int16)
    recording = read_audio(encoded(values, 16_000))
    assert np.array_equal(recording.samples, values / np.float32(32768))


def test_channels_are_averaged_exactly():
    values = np.random.default_rng(2).integers(-32768, 32768, (5000, 3)).astype(np.int16)
    recording = read_audio(encoded(values, 16_000))
    assert np.array_equal(recording.samples, (values / 32768).mean(axis=1).astype(np.float32))


def test_channels_that_cancel_are_not_averaged_away():
    left = signal(16_000)
    recording = read_audio(encoded(np.hstack([left, -left]), 16_000, "FLOAT"))
    assert [finding.code for finding in recording.findings] == ["out_of_phase"]
    assert np.allclose(recording.samples, left[:, 0], atol=1e-6)


# WAV headers


def with_sizes(data: bytes, size: int, riff: int | None = None) -> bytes:
    result = bytearray(data)
    struct.pack_into("<I", result, data.index(b"data") + 4, size)
    if riff is not None:
        struct.pack_into("<I", result, 4, riff)
    return bytes(result)


def chunk(body: bytes, *, padded: bool = True) -> bytes:
    return b"LIST" + struct.pack("<I", len(body)) + body + (b"\0" if padded and len(body) % 2 else b"")


def with_chunk(data: bytes, extra: bytes) -> bytes:
    place = data.index(b"data")
    return data[:place] + extra + data[place:]


EVEN, ODD = b"INFOISFT\x06\0\0\0abcdef", b"INFOISFT\x05\0\0\0abcde"
HEADERS = {
    "as written": lambda data: data,
    "LIST before the audio": lambda data: with_chunk(data, chunk(EVEN)),
    "odd LIST, padded": lambda data: with_chunk(data, chunk(ODD)),
    "odd LIST, padding forgotten": lambda data: with_chunk(data, chunk(ODD, padded=False)),
    "data 0xFFFFFFFF": lambda data: with_sizes(data, 0xFFFFFFFF),
    "both 0xFFFFFFFF": lambda data: with_sizes(data, 0xFFFFFFFF, 0xFFFFFFFF),
    "data 0": lambda data: with_sizes(data, 0),
    "both 0": lambda data: with_sizes(data, 0, 0),
    "RIFF 36, data 0": lambda data: with_sizes(data, 0, 36),
    "0x7FFFF000": lambda data: with_sizes(data, 0x7FFFF000, 0x7FFFF024),
    "far too long": lambda data: with_sizes(data, len(data) * 3),
    "LIST, 0xFFFFFFFF": lambda data: with_sizes(with_chunk(data, chunk(EVEN)), 0xFFFFFFFF, 0xFFFFFFFF),
    "odd LIST, 0": lambda data: with_sizes(with_chunk(data, chunk(ODD)), 0, 0),
    "odd LIST without padding, 0": lambda data: with_sizes(with_chunk(data, chunk(ODD, padded=False)), 0, 0),
    "LIST after the audio": lambda data: data + chunk(ODD),
    "rubbish after the audio": lambda data: data + b"rubbish",
}


@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "FLOAT", "PCM_U8"])
@pytest.mark.parametrize("change", HEADERS.values(), ids=HEADERS)
def test_unfinished_and_careless_headers(change, subtype):
    frames = signal(16_000, 2)
    whole = read_audio(encoded(frames, 16_000, subtype))
    recording = read_audio(change(encoded(frames, 16_000, subtype)))
    assert np.array_equal(recording.samples, whole.samples)
    assert recording.seconds == whole.seconds


def test_a_file_that_breaks_off_gives_what_is_there():
    data = encoded(signal(16_000), 16_000)
    assert len(read_audio(data[: len(data) // 2 + 1]).samples) == (len(data) // 2 + 1 - 44) // 2
    flac = encoded(signal(16_000, seconds=40), 16_000, kind="FLAC")
    recording = read_audio(flac[: len(flac) * 3 // 4])
    assert [finding.code for finding in recording.findings] == ["damaged"]
    assert 10 < recording.seconds < 31


def test_no_frames_are_no_samples():
    empty = encoded(np.zeros((0, 1)), 16_000)
    for data in (empty, empty + chunk(EVEN), empty + chunk(ODD), with_sizes(empty, 0xFFFFFFFF)):
        recording = read_audio(data)
        assert len(recording.samples) == 0
        assert recording.seconds == 0.0


@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(st.integers(0, 79), st.integers(0, 255)), min_size=1, max_size=6), st.integers(0, 400))
def test_a_damaged_header_is_read_or_refused(changes, length):
    data = bytearray(with_chunk(encoded(signal(16_000, 2, 0.1), 16_000), chunk(ODD)))
    for place, value in changes:
        data[place] = value
    try:
        recording = read_audio(bytes(data[: len(data) - length]))
    except AudioError as error:
        assert error.reason in ("not_audio", "sample_rate", "channels", "damaged")
    else:
        assert recording.samples.ndim == 1


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=300) | st.binary(max_size=100).map(lambda tail: b"RIFF\xff\xff\xff\xffWAVEfmt " + tail))
def test_any_bytes_are_read_or_refused(data):
    try:
        read_audio(data)
    except AudioError as error:
        assert error.reason in ("empty", "not_audio", "sample_rate", "channels", "damaged")


# What is refused


def test_refusals_name_the_reason(tmp_path):
    (tmp_path / "text.wav").write_text("not audio " * 100)
    (tmp_path / "empty.wav").write_bytes(b"")
    (tmp_path / "a.m4a").write_bytes(b"\0\0\0\x20ftypM4A " + b"\0" * 100)
    for source, reason, word in [
        (tmp_path / "none.wav", "not_found", "none.wav"),
        (tmp_path, "unreadable", str(tmp_path)),
        ("a\0b", "unreadable", "opened"),
        (tmp_path / "text.wav", "not_audio", "text.wav"),
        (tmp_path / "empty.wav", "empty", "empty.wav"),
        (tmp_path / "a.m4a", "not_audio", "M4A"),
        (b"", "empty", "no content"),
        (None, "not_audio", "NoneType"),
        (12, "not_audio", "int"),
        (io.StringIO("text"), "not_audio", "binary"),
        ((np.zeros(100), 0), "sample_rate", "0"),
        ((np.zeros(100), "16000"), "sample_rate", "16000"),
        ((np.zeros(100), True), "sample_rate", "True"),
        ((np.zeros((2, 2, 2)), 16_000), "shape", "2, 2, 2"),
        ((np.zeros((20, 16_000)), 16_000), "shape", "n, channels"),
        ((np.array(["a"]), 16_000), "shape", "n"),
        ((np.zeros(3), 16_000, 1), "shape", "3 parts"),
    ]:
        with pytest.raises(AudioError, match=word) as caught:
            read_audio(source)  # type: ignore[arg-type]
        assert caught.value.reason == reason, source


def test_arrays_with_a_rate():
    frames = signal(22_050, 2)
    recording = read_audio((frames, 22_050))
    assert (recording.sample_rate, recording.channels) == (22_050, 2)
    assert np.array_equal(recording.samples, frames.mean(axis=1).astype(np.float32))
    ints = (frames[:, 0] * 32767).astype(np.int16)
    assert np.array_equal(read_audio((ints, 16_000)).samples, ints / np.float32(32768))
    bytes_ = np.array([0, 128, 255], np.uint8)
    assert read_audio((bytes_, 16_000)).samples.tolist() == [-1.0, 0.0, 127 / 128]
    assert read_audio((np.zeros(0), 16_000)).seconds == 0.0
    floats = frames[:, 0].astype(np.float32)
    assert np.array_equal(read_audio((floats, 16_000)).samples, floats)


# Long files


def long_file(path: Path, seconds: int, *, silent: int = 0, rate: int = 16_000) -> Path:
    with soundfile.SoundFile(path, "w", rate, 2, "PCM_16") as file:
        for second in range(seconds):
            frames = signal(rate, 2, 1.0) if second >= silent else np.zeros((rate, 2))
            file.write(frames)
    return path


def peak_memory(action) -> int:
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("change", [None, lambda data: with_sizes(data, 0, 0)], ids=["finished", "streamed"])
def test_memory_does_not_grow_with_the_file(tmp_path, change):
    allowed, long = long_file(tmp_path / "30.wav", 30), long_file(tmp_path / "600.wav", 600)
    if change is not None:
        with long.open("r+b") as file:
            head = file.read(64)
            file.seek(0)
            file.write(change(head))
    base = peak_memory(lambda: read_audio(allowed, max_seconds=30.0))
    peak = peak_memory(lambda: read_audio(long, max_seconds=30.0))
    assert peak <= 1.2 * base
    recording = read_audio(long, max_seconds=30.0)
    assert len(recording.samples) == 30 * 16_000
    assert recording.seconds == 600.0
    assert recording.start_seconds == 0.0


def test_silence_before_the_first_sound_of_a_long_file_is_passed_over(tmp_path):
    recording = read_audio(long_file(tmp_path / "x.wav", 60, silent=40), max_seconds=10.0)
    assert recording.start_seconds == 40.0
    assert recording.seconds == 60.0
    assert np.abs(recording.samples).max() > 0.1
    short = read_audio(long_file(tmp_path / "y.wav", 8, silent=4), max_seconds=10.0)
    assert short.start_seconds == 0.0
    assert len(short.samples) == 8 * 16_000


# Writing


def test_written_audio_reads_back(tmp_path):
    values = signal(48_000)[:, 0].astype(np.float32)
    path = tmp_path / "out.wav"
    assert write_wav(path, values, 48_000) == ()
    recording = read_audio(path)
    assert recording.sample_rate == 48_000
    assert np.abs(recording.samples - values).max() <= 1 / 32768
    assert write_wav(path, values, 24_000, "FLOAT") == ()
    assert np.array_equal(read_audio(path).samples, values)
    assert os.listdir(tmp_path) == ["out.wav"]


def test_clipping_is_counted(tmp_path):
    findings = write_wav(tmp_path / "out.wav", np.array([0.0, 1.5, -2.0, 1.0, -1.0], np.float32), 16_000)
    assert [finding.code for finding in findings] == ["clipped"]
    assert findings[0].message.startswith("2 samples")
    assert np.allclose(read_audio(tmp_path / "out.wav").samples, [0, 1, -1, 1, -1], atol=1e-4)
    assert write_wav(tmp_path / "out.wav", np.array([1.5], np.float32), 16_000, "FLOAT") == ()


@pytest.mark.parametrize(
    ("samples", "subtype", "reason"),
    [
        (np.array([0.0, np.nan], np.float32), "PCM_16", "not_finite"),
        (np.array([1, 2]), "PCM_16", "shape"),
        (np.zeros((2, 2, 2), np.float32), "PCM_16", "shape"),
        (np.zeros(10, np.float32), "NO_SUCH", "unwritable"),
    ],
)
def test_a_failed_write_leaves_the_old_file(tmp_path, samples, subtype, reason):
    path = tmp_path / "out.wav"
    path.write_bytes(b"old")
    with pytest.raises(AudioError) as caught:
        write_wav(path, samples, 16_000, subtype)
    assert caught.value.reason == reason
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out.wav"]


def test_a_missing_folder_is_explained(tmp_path):
    with pytest.raises(AudioError, match="folder") as caught:
        write_wav(tmp_path / "none" / "out.wav", np.zeros(10, np.float32), 16_000)
    assert caught.value.reason == "unwritable"
