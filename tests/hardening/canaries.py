"""``python -m tests.hardening.canaries``: what people wrote, are called, and where their files lie stays out of logs.

The commands (design, voices, clone, dub, takes, verify, prepare, train, export and import, and their refusals) run with
strings that stand nowhere else, with every logger at DEBUG. Looked through are the log file as the studio writes it,
each message of the program before anything is taken out of it, and the log of the training run. ``--suite`` runs the
whole test suite, the window's included, with :mod:`tests.hardening.canary_plugin`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from app import cli
from app.logs import PrivateFormatter
from tests.conftest import parity_dir
from tests.hardening.canary_plugin import RESULTS
from voxcpm.audio import write_wav

NAME, CONTACT, TEXT, PATH = "Zyxwanda Quillfeather", "zyxwanda@quill.example", "Grumblefax murmurs", "hidden-zorbital"
CANARIES = ("Zyxwanda", "Quillfeather", "quill.example", "Grumblefax", "murmurs", "zorbital")
_OWN = ("app", "voxcpm")
_LEARN = ("--steps", "2", "--warmup-steps", "1", "--batch-size", "1", "--rank", "2", "--sample", TEXT)


class Listener(logging.Handler):
    """Writes each record as the log file has it, and keeps the program's own messages as they were given."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.file = io.StringIO()
        self.setFormatter(PrivateFormatter())
        self.raw: list[tuple[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.file.write(self.format(record) + "\n")
        if record.name.split(".")[0] in _OWN:
            self.raw.append((f"{record.name}:{record.lineno}", record.getMessage()))

    def found(self) -> list[str]:
        """What should not be there."""
        text = self.file.getvalue()
        hits = [f"the log file holds {canary!r}" for canary in CANARIES if canary in text]
        hits += [f"{place} says {canary!r}" for place, said in self.raw for canary in CANARIES if canary in said]
        return sorted(set(hits))


@contextlib.contextmanager
def listening() -> Iterator[Listener]:
    """Hear everything at DEBUG inside the block."""
    listener, root = Listener(), logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    root.handlers[:] = [listener]
    root.setLevel(logging.DEBUG)
    try:
        yield listener
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


def commands(folder: Path) -> list[list[str]]:
    """The commands, one after another, in ``folder``; some are refused on purpose."""
    model = ["--model", str(parity_dir() / "checkpoints" / "tiny-v2")]
    fast = [*model, "--max-patches", "4", "--retries", "1", "--steps", "1", "--seed", "7"]
    place = folder / PATH
    place.mkdir()
    at = np.arange(32000) / 16000
    write_wav(place / f"{PATH}.wav", (0.3 * np.sin(1500 * at) * (1 + np.sin(20 * at))).astype(np.float32), 16000)
    (place / f"{PATH}-cut.flac").write_bytes(b"fLaC" + bytes(200))
    (place / f"{PATH}.srt").write_text(f"1\n00:00:01,000 --> 00:00:02,000\n{TEXT}.\n\n2\nbroken {TEXT}\n", "utf-8")
    row = '{"audio": "%s.wav", "text": "%s", "consent_record_id": "%s"}\n'
    (place / "data.jsonl").write_text(row % (PATH, TEXT, NAME), "utf-8")
    (place / f"{PATH}.jsonl").write_text(row.replace("consent_record_id", "licence") % (PATH, TEXT, "CC0-1.0"), "utf-8")
    sound, out, cut = str(place / f"{PATH}.wav"), str(place / "out.wav"), str(place / f"{PATH}-cut.flac")
    word = ["--consent", NAME, "--contact", CONTACT]
    return [
        ["design", TEXT, "--description", f"{NAME}, calm", "--out", out, *fast],
        ["design", TEXT, "--out", out, *fast],  # it exists
        ["voices", "add", NAME, "--reference", sound, *word],
        ["voices", "add", NAME, "--reference", cut, *word],
        ["voices", "list", NAME],
        ["voices", "export", NAME, str(place / f"{PATH}.voice.zip"), "--personal"],
        ["voices", "import", str(place / f"{PATH}.voice.zip")],
        ["voices", "import", cut],
        ["clone", TEXT, "--voice", NAME, "--out", str(place / "clone.wav"), *fast],
        ["clone", TEXT, "--reference", sound, *word, "--out", str(place / "b.wav"), *fast],
        ["clone", TEXT, "--reference", cut, "--consent", "me", "--out", out, *fast],
        ["takes", "list", TEXT.split()[0]],
        ["verify", out, cut, "--no-watermark"],
        ["dub", str(place / f"{PATH}.srt"), "--out", str(place / "dub.wav"), *fast],
        ["prepare", str(place / "data.jsonl"), *model],
        ["train", "--data", str(place / "data.jsonl"), "--out", str(place / "refused"), *model],
        ["train", "--data", str(place / f"{PATH}.jsonl"), "--out", str(place / "run"), *model, *_LEARN],
        ["evaluate", "--sentences", str(place / f"{PATH}.txt"), "--out", str(place / "judged"), *model],
        ["info", str(place)],
        ["audit", "show"],
        ["voices", "delete", NAME, "--yes"],
    ]  # fmt: skip


def heard(folder: Path, report: Callable[[str], None] = lambda line: None) -> list[str]:
    """Run them all in this process; return what was found."""
    before = dict(os.environ)
    os.environ |= {"VOXCPM_DATA": str(folder / "data"), "VOXCPM_PASSPHRASE": "a passphrase for canaries"}
    try:
        with listening() as listener:
            done = 0
            for argv in commands(folder):
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    try:
                        code = cli.main(argv)
                    except SystemExit as error:
                        code = error.code  # type: ignore[assignment]
                done += code == 0
                report(f"{argv[0]} {argv[1] if argv[0] == 'voices' else ''}: ended with {code}")
        problems = listener.found()
        for path in folder.glob(f"{PATH}/run/*.jsonl"):
            kept = path.read_text("utf-8")
            problems += [f"{path.name} of the run holds {canary!r}" for canary in CANARIES if canary in kept]
        if done < 8:
            problems.append(f"only {done} commands did what they should, so that little was heard")
        report(f"{len(listener.raw)} messages of the program, {len(listener.file.getvalue())} characters of the log")
    finally:
        os.environ.clear()
        os.environ.update(before)
    return problems


def suite(options: list[str]) -> int:
    """Run the tests, listening; 0 for no hit and no failed test."""
    with tempfile.TemporaryDirectory(prefix="voxcpm-canaries-") as place:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.hardening.canary_plugin"]
        command += ["-n", "2", "--dist", "loadfile", "-m", "not slow and not gpu", *options]
        failed = subprocess.run(command, env=os.environ | {RESULTS: place}, check=False).returncode
        told = [json.loads(path.read_text("utf-8")) for path in Path(place).iterdir()]
    hits = [hit for each in told for hit in each["hits"]]
    lines, canaries = (sum(each[what] for each in told) for what in ("lines", "canaries"))
    print(f"{lines} lines of the log, {canaries} canaries, {len(hits)} hits")  # noqa: T201
    for hit in hits[:100]:
        print(hit)  # noqa: T201
    return 1 if hits or failed or not lines else 0


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; 0 for no hit."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.hardening.canaries",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--suite", action="store_true", help="run the test suite; further arguments go to pytest")
    args, more = parser.parse_known_args(argv)
    if args.suite:
        return suite(more)
    with tempfile.TemporaryDirectory(prefix="voxcpm-canaries-") as place:
        problems = heard(Path(place), lambda line: print(line, flush=True))  # noqa: T201
    print(f"{len(problems)} hits")  # noqa: T201
    for problem in problems:
        print(problem)  # noqa: T201
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
