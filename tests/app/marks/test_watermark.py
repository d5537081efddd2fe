"""The watermark against what the original package computes, at every rate, on every kind of sound."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from app.marks import watermark
from app.marks.errors import WatermarkUnavailable
from app.marks.stream import BlockMarker
from app.marks.watermark import PerthWatermark, overall
from tests.app.marks.conftest import voiced

RECORDED = Path(__file__).parents[2] / "fixtures" / "perth.npz"


@pytest.fixture(scope="module")
def network() -> PerthWatermark:
    return PerthWatermark()


@pytest.fixture(scope="module")
def original() -> PerthWatermark:
    """At the strength of the package that was recorded."""
    return PerthWatermark(strength=1.0)


def test_it_equals_the_original(original: PerthWatermark) -> None:
    """tests/fixtures/README.md tells how resemble-perth 1.0.1 itself was run for this."""
    with np.load(RECORDED) as recorded:
        samples = recorded["samples"].astype(np.float32) / 32768
        marked = original.embed(samples, 32000)
        whole = len(recorded["marked"]) - 1024  # there the original leaves off: its last frame is not whole
        assert np.abs(marked[:whole] - recorded["marked"][:whole]).max() < 5e-6
        assert np.abs(marked - samples).max() > 0.01
        assert original.detect(samples, 32000) == pytest.approx(float(recorded["unmarked_score"]), abs=1e-4)
        assert original.detect(recorded["marked"], 32000) == pytest.approx(float(recorded["marked_score"]), abs=1e-4)


@pytest.mark.parametrize("rate", [8000, 16000, 22050, 24000, 44100, 48000])
def test_at_every_rate_it_is_found_and_the_length_stays(network: PerthWatermark, rate: int) -> None:
    samples = voiced(1.3, rate)[:-7]
    marked = network.embed(samples, rate)
    assert marked.shape == samples.shape and marked.dtype == np.float32
    assert network.detect(samples, rate) < 0.1
    assert network.detect(marked, rate) > 0.9


def test_above_two_kilohertz_nothing_changes(network: PerthWatermark) -> None:
    samples = voiced(2.0, 48000)
    difference = np.abs(np.fft.rfft((network.embed(samples, 48000) - samples) * np.hanning(96000)))
    at = np.fft.rfftfreq(96000, 1 / 48000)
    assert difference[at > 2100].max() < 1e-3 * difference[at < 2000].max()


def test_silence_stays_silence(network: PerthWatermark) -> None:
    silence = np.zeros(48000, np.float32)
    assert not network.embed(silence, 48000).any()
    assert network.detect(silence, 48000) is None
    assert overall(network.score(silence, 48000)) is None


@pytest.mark.parametrize("length", [0, 1, 100, 2048, 11_999])
def test_what_is_too_short_is_left_alone(network: PerthWatermark, length: int) -> None:
    samples = voiced(1.0, 48000)[:length]
    assert np.array_equal(network.embed(samples, 48000), samples)
    assert network.detect(samples, 48000) is None


def test_a_pause_in_the_middle_does_no_harm(network: PerthWatermark) -> None:
    samples = np.concatenate([voiced(1.0), np.zeros(48000, np.float32), voiced(1.0)])
    marked = network.embed(samples, 48000)
    assert np.isfinite(marked).all()
    assert np.abs(marked[60000:84000]).max() < 1e-4
    assert network.detect(marked, 48000) > 0.9


def test_silence_of_whole_blocks_costs_nothing_and_changes_nothing(
    network: PerthWatermark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the stem of a character who speaks twice in an hour."""
    samples = np.concatenate([voiced(2.0), np.zeros(12 * 48000, np.float32), voiced(2.0, seed=1)])
    whole = network.embed(samples, 48000)
    monkeypatch.setattr(watermark, "_BLOCK_SECONDS", 2)
    monkeypatch.setattr(watermark, "_PIECE_SECONDS", 4)
    looked_at: list[int] = []
    run = PerthWatermark._run
    monkeypatch.setattr(PerthWatermark, "_run", lambda *given: looked_at.append(1) or run(*given))
    marked = network.embed(samples, 48000)
    assert len(looked_at) == 4  # of 8 blocks: two with sound, and their neighbours
    assert np.abs(marked - whole).max() < 1e-4 and not marked[3 * 48000 : 13 * 48000].any()
    assert [piece.score is None for piece in network.score(marked, 48000)] == [False, True, True, False]


def test_two_channels_are_both_marked(network: PerthWatermark) -> None:
    both = np.stack([voiced(1.0), voiced(1.0, seed=1)], axis=1)
    marked = network.embed(both, 48000)
    for channel in (0, 1):
        assert np.array_equal(marked[:, channel], network.embed(both[:, channel], 48000))
        assert network.detect(marked[:, channel], 48000) > 0.9
    assert overall(network.score(marked, 48000)) > 0.9


def test_blocks_of_a_long_sound_fit_together(network: PerthWatermark, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = voiced(9.5, 16000)
    whole = network.embed(samples, 16000)
    monkeypatch.setattr(watermark, "_BLOCK_SECONDS", 2)
    assert np.abs(network.embed(samples, 16000) - whole).max() < 1e-4
    monkeypatch.setattr(watermark, "_PIECE_SECONDS", 3)
    pieces = network.score(whole, 16000)
    assert [(piece.start, piece.end) for piece in pieces] == [(0, 3), (3, 6), (6, 9.5)]
    assert min(piece.score for piece in pieces) > 0.9


@pytest.mark.parametrize("rate", [16000, 44100, 22050])
def test_a_stream_gets_the_same_mark(network: PerthWatermark, rate: int) -> None:
    samples = voiced(4.1, rate)
    marker, out = BlockMarker(network, rate), []
    rng, at = np.random.default_rng(0), 0
    while at < len(samples):
        count = int(rng.integers(1, rate // 3))
        out.append(marker.push(samples[at : at + count]))
        at += count
        late = min(at, len(samples)) - sum(map(len, out))
        assert late <= 0.8 * rate if rate % 20 == 0 else late <= 2 * rate
    out.append(marker.finish())
    marked = np.concatenate(out)
    assert marked.shape == samples.shape
    assert np.abs(marked - network.embed(samples, rate)).max() < 2e-3
    assert network.detect(marked, rate) > 0.9


def test_a_stream_that_ends_at_once_loses_nothing(network: PerthWatermark) -> None:
    for length in (0, 5, 20_000, 24_000, 38_400, 38_401):
        samples = voiced(1.0)[:length]
        marker = BlockMarker(network, 48000)
        assert len(marker.push(samples)) + len(marker.finish()) == length


def test_missing_and_foreign_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    foreign = tmp_path / "perth_net_250000.pth.tar"
    foreign.write_bytes(b"something else")
    with pytest.raises(WatermarkUnavailable, match="does not hold the known weights"):
        PerthWatermark(foreign)
    monkeypatch.setattr(watermark, "_PACKAGE", "no_package_of_this_name")
    with pytest.raises(WatermarkUnavailable, match="pip install resemble-perth"):
        PerthWatermark()


def test_marks_load_torch_only_for_the_watermark_and_never_the_package() -> None:
    code = (
        "import sys; import app.marks.export, app.marks.verify, app.marks.stream, app.save_task\n"
        "assert 'torch' not in sys.modules and 'c2pa' not in sys.modules\n"
        "app.marks.watermark.PerthWatermark()\n"
        "assert 'torch' in sys.modules and 'perth' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
