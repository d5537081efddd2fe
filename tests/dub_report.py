"""``python -m tests.dub_report``: whole dubs, measured on the files that come out.

Each of the three subtitle files of ``tests/fixtures/dubbing`` goes from import to mix through ``voxcpm dub``. Printed
for each: how far the first sample above -40 dBFS of every cue lies from the cue's start (in the file of the cue
alone, and in the stem of its character wherever that one is quiet before), the loudness and the true peak of the mix
as ffmpeg's ebur128 measures them, what was flagged, and the time it took. Then: how fast a batch of eight cues is
against the eight one after another. How far it is goes to stderr.

The checkpoint for Chinese was never trained and seldom stops of itself: its takes are cut after 2 s.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from app import cli_dub
from app.core.dubbing.lines import Line
from app.core.dubbing.mixing import CUE_LEAD_MS
from app.core.dubbing.naming import part_of_name
from app.core.dubbing.reading import read_cues
from app.core.dubbing.speech import ONSET
from app.core.resources import default_model_folder
from tests.conftest import parity_dir

FIXTURES = Path(__file__).parent / "fixtures" / "dubbing"
CHINESE = parity_dir() / "checkpoints" / "tiny-v2"
FILES = ("alice.srt", "lunyu.vtt", "hamlet.ass")
CHINESE_PATCHES = 12
_TOLD_BY = ("app.cli_dub", "app.dub_export", "__main__", "tests.dub_report")
_RINGS_MS = 90  # a cue sounds on for so long, which the watermark lifts above -40 dBFS here and there
_LEAST_QUIET_MS = 10

log = logging.getLogger(__name__)


@contextlib.contextmanager
def never() -> Iterator[Callable[[], bool]]:
    """Nobody presses Ctrl+C."""
    yield lambda: False


def shortened(path: Path, count: int, folder: Path) -> Path:
    """The first ``count`` cues of a file; the file itself for 0."""
    if not count:
        return path
    from app.core.dubbing.subtitles import write_subtitles

    cues = read_cues(path.read_bytes(), path.name).cues[:count]
    rows = [(cue.start or 0, cue.end or 0, cue.text, cue.character) for cue in cues]
    target = folder / path.name
    target.write_text(write_subtitles(rows, path.suffix[1:]), encoding="utf-8")  # type: ignore[arg-type]
    return target


def dub(source: Path, folder: Path, model: Path, more: list[str]) -> dict[str, Any]:
    """Carry out a dub and measure its files."""
    stem = source.stem
    mix, began = folder / f"{stem}.wav", time.perf_counter()
    log.info("%s: make and mix", source.name)
    stems = ["--stems", str(folder / f"{stem} stems")]
    said = ran([str(source), "--out", str(mix), *stems, "--model", str(model), "--seed", "1", "--no-steady", *more])
    took = time.perf_counter() - began
    log.info("%s: %d cues in %.0f s; now each alone", source.name, len(said["cues"]), took)
    # Each cue alone, from the finished project; without the marks that would take most of the time.
    alone = ["--cues", str(folder / f"{stem} cues"), "--name", "{number}"]
    bare = ["--leave-out", "watermark,credentials", "--reason", "measured only"]
    ran([str(folder / f"{stem}.dub"), "--out", str(folder / f"{stem} again.wav"), *alone, *bare, "--model", str(model)])
    errors = []
    for cue in said["cues"]:
        path = folder / f"{stem} cues" / f"{cue['number']}.wav"
        if path.is_file() and cue["id"] not in said["quiet"]:
            errors.append(abs(onset_ms(path) - min(CUE_LEAD_MS, cue["wanted"][0])))
    log.info("%s: measure", source.name)
    in_stems, joined = stem_errors(said)
    measured = ebur128(mix)
    return {
        "file": source.name,
        "cues": len(said["cues"]),
        "heard": len(errors),
        "quiet": len(said["quiet"]),
        "onset_error_ms": figures(errors),
        "onset_error_in_stem_ms": {**figures(in_stems), "cues": len(in_stems), "touching_the_one_before": joined},
        "said": {"loudness": said["loudness"], "true_peak": said["true_peak"]},
        "ebur128": measured,
        "flags": dict(Counter(flag for cue in said["cues"] for flag in cue["flags"])),
        "seconds_of_mix": round(said["seconds"], 1),
        "took_seconds": round(took, 1),
        "remarks": said["remarks"],
    }


def ran(argv: list[str]) -> dict[str, Any]:
    """Run the command and return what it said."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = cli_dub.run([*argv, "--force", "--json", "--quiet"], never)
    said: dict[str, Any] = json.loads(out.getvalue())
    if code:
        raise SystemExit(f"{argv[0]}: {said['error']['message']}")
    return said


def figures(errors: list[float]) -> dict[str, float]:
    """What is told of many errors."""
    return {"largest": round(max(errors), 2), "middle": round(float(np.median(errors)), 3)}


def stem_errors(said: dict[str, Any]) -> tuple[list[float], int]:
    """How far each cue begins in the stem of its character from its start, in ms; and how many cannot be told there.

    Those begin while the cue before them, of the same character, still rings out: two cues that touch have one onset.
    """
    stems = {path.stem: path for path in map(Path, said["files"][1:])}
    errors, joined = list[float](), 0
    for character in dict.fromkeys(cue["character"] for cue in said["cues"]):
        samples, rate = soundfile.read(stems[part_of_name(character or "voice")], dtype="float32")
        ended = -_RINGS_MS
        heard = [cue for cue in said["cues"] if cue["character"] == character and cue["start"] is not None]
        for cue in sorted(heard, key=lambda cue: cue["start"]):
            first = max(cue["wanted"][0] - CUE_LEAD_MS, ended + _RINGS_MS, 0)
            ended = max(ended, cue["end"])
            if cue["id"] in said["quiet"]:
                continue
            if first > cue["wanted"][0] - _LEAST_QUIET_MS:
                joined += 1
                continue
            found = np.flatnonzero(np.abs(samples[first * rate // 1000 :]) > ONSET)[0]
            errors.append(abs(first + 1000 * float(found) / rate - cue["wanted"][0]))
    return errors, joined


def onset_ms(path: Path) -> float:
    """Where the first sample above -40 dBFS lies."""
    samples, rate = soundfile.read(path)
    return float(1000 * np.flatnonzero(np.abs(samples) > ONSET)[0] / rate)


def ebur128(path: Path) -> dict[str, float] | None:
    """Integrated loudness (LUFS) and true peak (dB) as ffmpeg measures them; None without ffmpeg."""
    if shutil.which("ffmpeg") is None:
        return None
    argv = ["ffmpeg", "-nostdin", "-hide_banner", "-i", str(path), "-af", "ebur128=peak=true", "-f", "null", "-"]
    said = subprocess.run(argv, capture_output=True, text=True, check=True).stderr.rsplit("Summary:", 1)[1]
    numbers = {name: float(value) for name, value in re.findall(r"(I|Peak):\s+(-?[\d.]+|-inf)", said)}
    return {"loudness": numbers["I"], "true_peak": numbers["Peak"]}


def speed(model: Path, count: int, options: argparse.Namespace) -> dict[str, float]:
    """Seconds for ``count`` cues as one batch, and one after another; the same number of patches in both."""
    from app.engine.local import LocalEngine

    engine = LocalEngine()
    engine.load(str(model), "cpu", "float32", lambda fraction: None, lambda: False)
    import torch

    torch.set_num_threads(options.threads)
    texts = [cue.text for cue in read_cues((FIXTURES / "alice.srt").read_bytes(), "alice.srt").cues[:count]]
    patches = options.patches
    lines = [
        Line(text, seed, steps=options.steps or 10, min_patches=patches, max_patches=patches, retries=1)
        for seed, text in enumerate(texts)
    ]
    engine.speak_lines(lines[:1], lambda: False)
    best: dict[str, float] = {}
    for _ in range(options.repeat):
        for name, groups in (("together", [lines]), ("one_by_one", [[line] for line in lines])):
            began = time.perf_counter()
            made = [engine.speak_lines(group, lambda: False) for group in groups]
            took = time.perf_counter() - began
            assert sum(result.patches for group in made for parts in group for result in parts) == patches * count
            best[name] = min(best.get(name, took), took)
    engine.close()
    best = {name: round(value, 3) for name, value in best.items()}
    return {**best, "factor": round(best["one_by_one"] / best["together"], 2), "threads": options.threads}


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.dub_report", description=__doc__)
    parser.add_argument(
        "--files", nargs="*", default=list(FILES), metavar="FILE", help="of the fixtures; none: speed only"
    )
    parser.add_argument("--cues", type=int, default=0, metavar="N", help="only the first N of each file (default: all)")
    parser.add_argument("--model", type=Path, default=default_model_folder(), help="for all but Chinese")
    parser.add_argument("--chinese", type=Path, default=CHINESE, help="for Chinese")
    cut = f"cut takes there (0: as a model is used; default: {CHINESE_PATCHES} for Chinese)"
    parser.add_argument("--max-patches", type=int, metavar="N", help=cut)
    parser.add_argument("--steps", type=int, default=0, help="solver steps (0: the usual)")
    parser.add_argument("--together", type=int, default=8)
    parser.add_argument("--threads", type=int, default=2, help="for the speed (default 2)")
    parser.add_argument("--patches", type=int, default=20, help="of each cue, for the speed (default 20)")
    parser.add_argument("--repeat", type=int, default=3, help="the best of so many counts, for the speed (default 3)")
    parser.add_argument("--no-speed", action="store_true")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    for handler in logging.getLogger().handlers:
        handler.addFilter(lambda record: record.name in _TOLD_BY or record.levelno >= logging.WARNING)
    found: dict[str, Any] = {"model": str(options.model.name), "dubs": []}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["VOXCPM_DATA"], os.environ["VOXCPM_PASSPHRASE"] = str(folder / "data"), "for this report only"
        for name in options.files:
            model = options.chinese if name.startswith("lunyu") else options.model
            source = shortened(FIXTURES / name, options.cues, folder)
            patches = CHINESE_PATCHES if model == CHINESE else 0
            patches = options.max_patches if options.max_patches is not None else patches
            # Whoever starts the report decides that the summons in Hamlet is nobody's.
            more = ["--together", str(options.together), "--sensitive-reason", "measured only"]
            more += ["--max-patches", str(patches), "--retries", "1"] if patches else []
            more += ["--steps", str(options.steps)] if options.steps else []
            found["dubs"].append(dub(source, folder, model, more))
            log.info("%s: %s", name, json.dumps(found["dubs"][-1], ensure_ascii=False))
    if not options.no_speed:
        found["eight"] = speed(options.model, 8, options)
    log.info("done")
    sys.stdout.write(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    good = all(
        one["onset_error_ms"]["largest"] <= 20
        and one["onset_error_in_stem_ms"]["largest"] <= 20
        and (one["ebur128"] is None or one["ebur128"]["true_peak"] <= -1.0)
        and (one["ebur128"] is None or abs(one["ebur128"]["loudness"] + 16) <= 0.5)
        for one in found["dubs"]
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
