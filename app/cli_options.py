"""The options of the ``voxcpm`` command line."""

from __future__ import annotations

import argparse
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from app.cli_sensitive import add_sensitive_option

DESCRIPTION = "Design, clone and continue voices with VoxCPM-0.5B, VoxCPM1.5 and VoxCPM2."
COMMANDS = {
    "design": "speak a text with a new voice, described in words or left to chance",
    "clone": "speak a text with the voice of a reference recording",
    "continue": "go on speaking where a prompt recording ends",
    "batch": "speak every line of a text file, or every row of a CSV table",
}
TEXT_HELP = """\
The text is taken from the argument, from --text-file, or from a pipe: UTF-8 with or without a byte order mark, or
UTF-16 with one. The end of the name says how takes are written: .wav (24 bits), .flac, .mp3, .opus or .ogg (Opus).
Several takes become NAME_1.wav, NAME_2.wav, ... Every file says that it is generated; see: voxcpm verify FILE.

"""


def build_parser(forwarded: dict[str, str], exit_help: str) -> argparse.ArgumentParser:
    """Return the whole parser. ``forwarded`` names commands that are only listed here and read their own options."""
    parser = argparse.ArgumentParser(
        prog="voxcpm",
        description=DESCRIPTION,
        epilog=exit_help,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"voxcpm {_version()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=COMMANDS[name],
            description=COMMANDS[name][0].upper() + COMMANDS[name][1:] + ".",
            epilog=TEXT_HELP + exit_help,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    design = add("design")
    _text(design)
    _description(design)
    _takes(design)

    clone = add("clone")
    _text(clone)
    _voice(clone)
    _description(clone)
    _takes(clone)

    going_on = add("continue")
    _text(going_on)
    _voice(going_on)
    _takes(going_on)

    batch = add("batch")
    batch.add_argument(
        "file", help="text file, one take a line, or .csv with the columns text, description, seed, out; - is a pipe"
    )
    batch.add_argument("--csv", action="store_true", help="the file is CSV whatever its name is")
    batch.add_argument(
        "--together", type=int, default=4, metavar="N", help="takes that are computed at once (default 4)"
    )
    _voice(batch)
    _description(batch)

    for command in (design, clone, going_on, batch):
        add_generation_options(command)
    for name, text in forwarded.items():
        commands.add_parser(name, help=text)
    return parser


def _version() -> str:
    try:
        return version("voxcpm-studio")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return "from a checkout"


def _text(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("text")
    group.add_argument("text", nargs="?", help="what to say; - or nothing reads a pipe")
    group.add_argument("--text", dest="text_option", metavar="TEXT", help="the same as the argument")
    group.add_argument("--text-file", type=Path, metavar="FILE", help="read the text from a file")
    group.add_argument("--long", action="store_true", help="split at sentences, each part continuing the one before")


def _description(command: argparse.ArgumentParser) -> None:
    command.add_argument("--description", default="", metavar="WORDS", help="what the voice is like (VoxCPM2 only)")


def _voice(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("voice")
    group.add_argument("--voice", metavar="VOICE", help="a saved voice: its id or name, see: voxcpm voices list")
    group.add_argument("--reference", type=Path, metavar="FILE", help="recording that gives the voice (VoxCPM2 only)")
    group.add_argument("--prompt", type=Path, metavar="FILE", help="recording that is continued")
    group.add_argument("--transcript", metavar="TEXT", help="the exact words of the prompt")
    group.add_argument("--transcript-file", type=Path, metavar="FILE", help="read the transcript from a file")
    group.add_argument(
        "--consent",
        metavar="WHO",
        help="whose word allows the use of a recording: me (it is your own voice), a person's name, or the id of a "
        "saved record; required with a recording",
    )
    group.add_argument("--contact", metavar="HOW", help="how that person can be reached; required with a name")


def _takes(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("takes")
    group.add_argument(
        "--takes", type=int, default=1, metavar="N", help="1 to 3 takes with seeds far apart (default 1)"
    )
    group.add_argument("--stream", action="store_true", help="write 16-bit sound while it is made, not at the end")
    group.add_argument("--raw", action="store_true", help="with --out -: bare 16-bit samples without a WAV header")


def add_generation_options(command: argparse.ArgumentParser) -> None:
    """Add how takes are computed, where they go, and what is told: what ``app.cli_session.Session`` reads."""
    group = command.add_argument_group("generation")
    group.add_argument(
        "--model", metavar="DIR", help="model folder or name of a downloaded model (default: the bundled one)"
    )
    group.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N (default auto)")
    group.add_argument("--dtype", default="auto", help="auto, float32, bfloat16, or int8 on the CPU (default auto)")
    group.add_argument("--strict", action="store_true", help="refuse a config.json with keys that are not known")
    group.add_argument("--seed", type=int, help="0 to 4294967295; without it one is drawn and reported")
    group.add_argument("--steps", type=int, default=10, help="solver steps a patch (default 10)")
    group.add_argument("--cfg", type=float, help="guidance, 0 to 20 (default: the model's own, mostly 2)")
    group.add_argument(
        "--temperature", type=float, help="strength of the starting noise, 0 to 2 (default: the model's own, mostly 1)"
    )
    group.add_argument("--min-patches", type=int, default=2, metavar="N", help="shortest take (default 2)")
    group.add_argument("--max-patches", type=int, default=4096, metavar="N", help="longest take (default 4096)")
    group.add_argument(
        "--retries", type=int, default=3, metavar="N", help="most attempts at a take that runs on (default 3)"
    )
    group.add_argument(
        "--retry-ratio", type=float, default=6.0, metavar="N",
        help="patches a token of text from which a take counts as running on, and is cut (default 6)",
    )  # fmt: skip
    group.add_argument("--normalize", action="store_true", help="write out numbers, dates and units")
    add_sensitive_option(group)
    output = command.add_argument_group("output")
    name = command.prog.rsplit(" ", 1)[-1]
    default = {"batch": "line.wav", "dub": "SOURCE.wav"}.get(name, "take.wav")
    extra = "" if name in ("batch", "dub") else ", or - for stdout"
    output.add_argument("-o", "--out", default=default, metavar="FILE", help=f"sound file{extra} (default {default})")
    add_sound_options(output, command.add_argument_group("marks"))
    output.add_argument("--force", action="store_true", help="overwrite files that exist")
    if name != "dub":  # a dub lives from the takes that are kept
        output.add_argument(
            "--no-keep", action="store_true", help="do not put the takes into the library of the studio as well"
        )
    output.add_argument("--json", action="store_true", help="write one JSON object about the takes to stdout")
    output.add_argument("--progress", action="store_true", help="show progress even when stderr is no terminal")
    output.add_argument("-q", "--quiet", action="store_true", help="write nothing but faults to stderr")
    output.add_argument("-v", "--verbose", action="store_true", help="write what is done, and details of faults")


def add_sound_options(output: argparse._ArgumentGroup, marks: argparse._ArgumentGroup) -> None:
    """Add how files are written and which marks they get: what ``app.cli_marks.Door`` reads."""
    output.add_argument(
        "--bits", choices=("16", "24", "float"), default="24", help="samples of WAV and FLAC (default 24)"
    )
    output.add_argument("--quality", type=float, default=0.7, metavar="Q", help="of MP3 and Opus, 0 to 1 (default 0.7)")
    marks.add_argument(
        "--leave-out", metavar="MARKS", help="marks that files do not get, of label,credentials,watermark"
    )
    marks.add_argument("--reason", metavar="TEXT", help="why they are left out; goes to the audit log")
    marks.add_argument(
        "--audible-notice",
        choices=("none", "start", "end", "both"),
        default="none",
        help="where a short rhythm is heard that tells that a machine made the sound (default none)",
    )
