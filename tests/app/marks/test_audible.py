"""The notice that can be heard: its rhythm, its place, its level, in files of every kind; none unless asked for."""

from dataclasses import replace

import numpy as np
import pytest
import soundfile

from app.cli_options import add_sound_options
from app.marks import audible, long
from app.marks.audible import PLACES, notice, with_notice
from app.marks.choice import Origin
from app.marks.export import export_audio
from app.marks.verify import verify
from app.marks.watermark import PerthWatermark
from tests.app.marks.test_export import Tools

RATE = 16000


def speech(seconds=3.0):
    at = np.arange(round(seconds * RATE)) / RATE
    return (0.3 * np.sin(2 * np.pi * 180 * at) * np.abs(np.sin(2 * np.pi * 2 * at))).astype(np.float32)


def lengths(samples, rate=RATE):
    """Seconds of sound and of silence in turn."""
    loud = np.convolve(np.abs(samples), np.ones(80) / 80, "same") > 0.01
    edges = np.flatnonzero(np.diff(np.concatenate([[False], loud, [False]]).astype(int)))
    return [round((stop - start) / rate, 1) for start, stop in zip(edges[::2], edges[1::2], strict=True)]


def test_the_rhythm_is_short_long_short_short():
    assert lengths(notice(RATE, 0.1)) == [0.1, 0.3, 0.1, 0.1]
    assert lengths(notice(48000, 0.1), 48000) == [0.1, 0.3, 0.1, 0.1]


@pytest.mark.parametrize("shape", [(-1,), (-1, 2)])
def test_it_stands_before_and_behind_the_sound_which_stays_as_it_is(tmp_path, shape):
    samples = speech().reshape(shape)
    length = len(notice(RATE, 0.1)) + RATE // 2
    for where, before, behind in (("none", 0, 0), ("start", 1, 0), ("end", 0, 1), ("both", 1, 1)):
        made = with_notice(samples, RATE, where, tmp_path / "x")
        assert made.shape == (len(samples) + (before + behind) * length, *samples.shape[1:])
        start = before * length
        assert np.array_equal(made[start : start + len(samples)], samples)
    assert set(PLACES) == {"none", "start", "end", "both"}


@pytest.mark.parametrize("gain", [0.01, 0.3, 1.0])
def test_it_is_about_as_loud_as_the_speech_and_never_painful(tmp_path, gain):
    samples = gain * speech() / np.abs(speech()).max()
    made = with_notice(samples, RATE, "start", tmp_path / "x")
    tone = made[round(0.25 * RATE) : round(0.45 * RATE)]
    level, loud = np.sqrt(np.mean(tone**2)), np.sqrt(np.mean(np.sort(samples**2)[-len(samples) // 4 :]))
    assert level == pytest.approx(min(max(loud, 0.02), 0.2), rel=0.05) and np.abs(made).max() <= 1.0


def test_long_sound_gets_the_same(tmp_path, monkeypatch):
    samples = speech(9.0)
    whole = with_notice(samples, RATE, "both", tmp_path / "x")
    monkeypatch.setattr(long, "SECTION_SECONDS", 2)
    monkeypatch.setattr(audible, "_MEASURED", 40000)
    level = audible._level(samples)
    monkeypatch.setattr(audible, "_level", lambda _: level)
    pieces = with_notice(samples, RATE, "both", tmp_path / "y")
    assert isinstance(pieces, np.memmap) and len(pieces) == len(whole)
    middle = slice(len(notice(RATE, 0.1)) + RATE // 2, -(len(notice(RATE, 0.1)) + RATE // 2))
    assert np.array_equal(pieces[middle], samples)


def test_a_file_with_the_notice_carries_every_mark(tmp_path):
    tools = Tools(PerthWatermark())
    path = tmp_path / "told.wav"
    told = replace(tools.tools, audible=lambda: "both")
    export_audio(speech(), RATE, path, origin=Origin(), tools=told)
    found = verify(path, None)
    assert found.label is not None and found.credentials.intact
    samples, rate = soundfile.read(path, dtype="float32")
    assert len(samples) / rate == pytest.approx(3.0 + 2 * (len(notice(RATE, 0.1)) / RATE + 0.5), abs=0.01)
    plain = tmp_path / "plain.wav"
    export_audio(speech(), RATE, plain, origin=Origin(), tools=tools.tools)
    assert soundfile.info(plain).frames == len(speech())


def test_the_command_line_knows_the_same_places():
    import argparse

    parser = argparse.ArgumentParser()
    add_sound_options(parser.add_argument_group("a"), parser.add_argument_group("b"))
    assert [parser.parse_args(["--audible-notice", where]).audible_notice for where in PLACES] == list(PLACES)
    assert parser.parse_args([]).audible_notice == "none"
