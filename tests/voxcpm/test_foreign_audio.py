"""Recordings of training and evaluation are read in a child, as the reader itself reads them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voxcpm import audio_file, foreign_audio
from voxcpm.errors import AudioError, DatasetError
from voxcpm.training.manifest import check_manifest

CHILD = "voxcpm.foreign_audio.subprocess.Popen"


@pytest.fixture
def recordings(tmp_path: Path) -> list[Path]:
    """Some that are well, one whose channels cancel out, one cut off, one of a header alone, and what is none."""
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, 9000).astype(np.float32)
    files = {
        "a.wav": (noise, 16000), "b.flac": (np.stack((noise, -noise), 1), 44100), "c.ogg": (noise, 48000),
        "d.wav": (noise[:0], 8000), "é ü.wav": (noise, 22050),
    }  # fmt: skip
    for name, (samples, rate) in files.items():
        soundfile.write(tmp_path / name, samples, rate)
    (tmp_path / "cut.flac").write_bytes((tmp_path / "b.flac").read_bytes()[:30_000])
    (tmp_path / "none.wav").write_bytes(b"no sound at all" * 50)
    return [*sorted(tmp_path.iterdir()), tmp_path / "missing.wav"]


@pytest.fixture
def fresh():
    """No child yet, and none afterwards."""
    foreign_audio.end_child()
    yield
    foreign_audio.end_child()


@pytest.mark.parametrize("seconds", [None, 0.1])
def test_the_child_gives_what_the_reader_gives(recordings: list[Path], seconds: float | None) -> None:
    for path in recordings:
        try:
            wanted = audio_file.read_audio(path, max_seconds=seconds)
        except AudioError as error:
            for read in (foreign_audio.read_audio, foreign_audio.probe_audio):
                if read is foreign_audio.probe_audio and error.reason == "damaged":
                    continue  # headers may be whole
                with pytest.raises(AudioError) as refused:
                    read(path)
                assert (refused.value.reason, str(refused.value)) == (error.reason, str(error))
            continue
        found = foreign_audio.read_audio(path, max_seconds=seconds)
        assert np.array_equal(found.samples, wanted.samples) and found.samples.dtype == np.float32
        facts = ("sample_rate", "channels", "seconds", "start_seconds", "findings")
        assert [getattr(found, name) for name in facts] == [getattr(wanted, name) for name in facts]
        assert foreign_audio.probe_audio(path) == audio_file.probe_audio(path)


def test_one_child_reads_all(recordings: list[Path], monkeypatch, fresh: None) -> None:
    real, made = subprocess.Popen, []
    monkeypatch.setattr(CHILD, lambda *args, **options: made.append(1) or real(*args, **options))
    for path in recordings:
        for read in (foreign_audio.read_audio, foreign_audio.probe_audio):
            try:
                read(path)
            except AudioError:
                continue
    assert made == [1]


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_is_not_for_the_child(recordings: list[Path], monkeypatch, fresh: None) -> None:
    """A terminal sends it to both, and the trainer finishes its step and keeps a checkpoint."""
    real, made = subprocess.Popen, []
    monkeypatch.setattr(CHILD, lambda *args, **options: made.append(real(*args, **options)) or made[-1])
    foreign_audio.read_audio(recordings[0])
    made[0].send_signal(signal.SIGINT)
    foreign_audio.read_audio(recordings[0])
    assert len(made) == 1


FALLS = "import os; os.kill(os.getpid(), 11)"
HANGS = "import time; time.sleep(600)"
HALF = "print('{\"samples\": 900}'); input()"


@pytest.mark.parametrize("code", [FALLS, HANGS, HALF, "print('no answer')"])
def test_a_child_that_falls_or_hangs_is_replaced(recordings, monkeypatch, fresh: None, code: str) -> None:
    real, made = subprocess.Popen, []

    def first(argv: list[str], **options):
        made.append(real(argv if made else [sys.executable, "-c", code], **options))
        return made[-1]

    monkeypatch.setattr(CHILD, first)
    monkeypatch.setattr(foreign_audio, "PATIENCE_SECONDS", 1.0 if code in (HANGS, HALF) else 60.0)
    with pytest.raises(AudioError, match=r"a\.wav cannot be read") as refused:
        foreign_audio.read_audio(recordings[0])
    assert refused.value.reason == "not_audio" and made[0].poll() is not None
    monkeypatch.setattr(foreign_audio, "PATIENCE_SECONDS", 60.0)
    assert len(foreign_audio.read_audio(recordings[0]).samples) == 9000


@pytest.mark.skipif(os.name != "posix", reason="limits of the system")
def test_the_child_is_limited_and_time_counts_for_each_recording() -> None:
    code = (
        "import resource\nfrom voxcpm import reading_child\n"
        "reading_child._limit_memory(); reading_child._limit_time()\n"
        "print([resource.getrlimit(each)[0] for each in (resource.RLIMIT_AS, resource.RLIMIT_CPU)])\n"
        "sum(range(30_000_000)); reading_child._limit_time()\n"
        "print(resource.getrlimit(resource.RLIMIT_CPU)[0])\n"
    )
    root = Path(foreign_audio.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    first, later = done.stdout.splitlines()
    memory, seconds = json.loads(first)
    assert memory == 2 << 30 and seconds >= 60 and int(later) > seconds - 1


def test_a_manifest_with_a_recording_that_ends_the_decoder_is_refused_by_its_line(
    recordings: list[Path], monkeypatch, fresh: None
) -> None:
    real = subprocess.Popen
    monkeypatch.setattr(CHILD, lambda argv, **options: real([sys.executable, "-c", FALLS], **options))
    manifest = recordings[0].parent / "data.jsonl"
    manifest.write_text(json.dumps({"audio": "a.wav", "text": "Good evening."}) + "\n", "utf-8")
    with pytest.raises(DatasetError, match="cannot be read") as refused:
        check_manifest(manifest).require()
    assert "a.wav" in str(refused.value)
