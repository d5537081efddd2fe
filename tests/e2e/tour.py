"""Tour of the whole studio, as a person would take it, with pictures and a critical look at each.

    python tests/e2e/tour.py --out FOLDER

Starts an X display (Xvfb) and a PulseAudio server of its own, with a microphone that speaks, and runs the real main()
with the demo voice: first start, a designed voice, three takes, a blind comparison, the voice kept with its record, a
clone of a repaired recording, a continued recording with its confirmed transcript, saved, quit, and everything there
again at the second start. Then every panel and dialog in both languages, light and dark, at 100 and 200 %.

Over the whole widget tree it asserts that no text is cut off, untranslated or harder to read than a contrast of 4.5;
that blind orders are unbiased over 1,000 shuffles; and that compared takes are within 0.1 LU. FOLDER gets the pictures
and ``tour.json``; the exit code is 0 when everything held. Needs Xvfb, pulseaudio, pactl and flite.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "packaging")]

from desktop import missing_programs, null_sink, x_display  # noqa: E402

from tests.e2e.driver import clean_environment  # noqa: E402
from tests.e2e.scene import microphone, recordings  # noqa: E402

SHUFFLES = 1000
# The 0.999 quantile of chi square with 5 degrees of freedom: an unbiased order passes 999 times of 1,000.
MOST_CHI_SQUARE = 20.5
SCALES = (100, 200)


def main() -> int:
    """Take the tour; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="where the pictures go")
    parser.add_argument("--only", choices=("story", "pictures"), help="take one half alone; the other takes minutes")
    arguments = parser.parse_args()
    missing = missing_programs("Xvfb", "pulseaudio", "pactl", "flite")
    if missing:
        sys.stderr.write(f"not installed: {', '.join(missing)}\n")
        return 1
    folder = arguments.out.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    verdict: dict[str, Any] = {"order": blind_orders()}
    with tempfile.TemporaryDirectory(prefix="studio-tour-") as home, x_display("2600x1800"), null_sink(), microphone():
        recordings(folder)
        environment = {**clean_environment(Path(home)), "PYTHONPATH": str(ROOT)}
        if arguments.only != "pictures":
            for part in ("first", "second"):
                verdict[part] = run("tests.e2e.story", part, str(folder), environment=environment)
        if arguments.only != "story":
            for scale in SCALES:
                scaled = {**environment, "VOXCPM_SCALE": str(scale)}
                verdict[f"pictures {scale} %"] = run("tests.e2e.pictures", str(scale), str(folder), environment=scaled)
    failures = [f"{part}: {one}" for part, told in verdict.items() for one in told.get("failures", [])]
    verdict["passed"] = not failures
    (folder / "tour.json").write_text(json.dumps(verdict, ensure_ascii=False, indent=1), encoding="utf-8")
    sys.stdout.write(f"{'failed' if failures else 'passed'}: {folder / 'tour.json'}\n")
    return 1 if failures else 0


def run(module: str, *arguments: str, environment: dict[str, str]) -> dict[str, Any]:
    """Run a part in a process of its own; what it told, with its failures."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    told: dict[str, Any] = json.loads(lines[-1]) if lines else {"failures": ["nothing was told"]}
    if done.returncode and not told["failures"]:
        told["failures"].append(f"exit code {done.returncode}")
    if told["failures"]:
        told["stderr"] = done.stderr[-4000:]
    sys.stdout.write("".join(f"{' '.join(arguments[:1])}: {one}\n" for one in told["failures"] or ["held"]))
    sys.stdout.flush()
    return told


def blind_orders() -> dict[str, Any]:
    """Shuffle three takes many times: each of the six orders has to come about equally often."""
    from app.core.comparisons import blind_order

    counts = Counter(tuple(blind_order("ABC")) for _ in range(SHUFFLES))
    expected = SHUFFLES / 6
    chi_square = sum((counts[order] - expected) ** 2 / expected for order in itertools.permutations("ABC"))
    fair = chi_square <= MOST_CHI_SQUARE
    return {
        "shuffles": SHUFFLES,
        "counts": {"".join(order): count for order, count in sorted(counts.items())},
        "chi_square": round(chi_square, 2),
        "failures": [] if fair else [f"blind orders are biased: chi square {chi_square:.1f}"],
    }


if __name__ == "__main__":
    sys.exit(main())
