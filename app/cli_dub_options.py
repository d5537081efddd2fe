"""The options of ``voxcpm dub``."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli_options import add_generation_options
from app.core.dubbing.naming import DEFAULT, FIELDS
from app.core.dubbing.reading import FORMS

HELP = "speak subtitles, a script or a project: a mix that fits, and whatever belongs to it"
_MORE = """\
SOURCE is a project folder, or SRT, VTT, ASS, CSV, a script (NAME: line) or a plain text. From a file a project is made
beside the result (see --project); the same command goes on where it was stopped, and makes only what is missing.
Takes are kept in the library of the studio like all others.

"""


def build_parser(exit_help: str) -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = argparse.ArgumentParser(
        prog="voxcpm dub",
        description=HELP[0].upper() + HELP[1:] + ".",
        epilog=_MORE + exit_help,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("source", type=Path, metavar="SOURCE", help="project folder, subtitles, script or text")
    parser.add_argument("--form", choices=FORMS, default="auto", help="what the file is (default: by its content)")
    parser.add_argument("--project", type=Path, metavar="FOLDER", help="the project that a file becomes")
    _cast(parser.add_argument_group("cast"))
    _fit(parser.add_argument_group("fit"))
    _mix(parser.add_argument_group("mix"))
    _files(parser.add_argument_group("further files"))
    add_generation_options(parser)
    parser.set_defaults(command="dub", consent=None, contact=None, out=None)
    return parser


def _cast(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--voice", metavar="VOICE", help="a saved voice for everybody who is not cast: its id or name")
    group.add_argument("--description", default="", metavar="WORDS", help="what that voice is like (VoxCPM2 only)")
    group.add_argument(
        "--cast", action="append", default=[], metavar="NAME=VOICE", help="a saved voice for a character; repeat it"
    )
    group.add_argument(
        "--steady",
        action=argparse.BooleanOptionalAction,
        help="without a saved voice: go on from a character's first good line (default: with other than the bundled "
        "model)",
    )
    group.add_argument(
        "--takes", type=int, default=1, metavar="N", help="1 to 3 for each cue that has none yet; one that fits is used"
    )
    group.add_argument("--together", type=int, default=8, metavar="N", help="most takes computed at once (default 8)")
    group.add_argument(
        "--words",
        type=Path,
        metavar="FILE",
        help="dictionary, before that of the window: one WORD=HOW IT IS SAID a line",
    )


def _fit(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--stretch", type=float, default=1.25, metavar="X", help="most that a take is made faster, 1 to 1.25 (1.25)"
    )
    group.add_argument("--fill", action="store_true", help="also slow down takes that are shorter than their slot")
    group.add_argument("--ripple", action="store_true", help="move what comes behind a cue that is too long")


def _mix(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--sound", type=Path, metavar="FILE", help="original sound: audio, or a film (needs ffmpeg)")
    group.add_argument(
        "--bed", choices=("duck", "keep", "none"), default="duck", help="the original where somebody speaks (duck)"
    )
    group.add_argument("--duck", type=float, default=-15.0, metavar="DB", help="what it is turned down by (-15)")
    group.add_argument("--loudness", type=float, choices=(-16.0, -19.0, -23.0), default=-16.0, help="LUFS (-16)")
    group.add_argument("--rate", type=int, default=48_000, metavar="HZ", help="16000 to 96000 (48000)")
    group.add_argument("--stereo", action="store_true", help="two channels, as of the original sound")


def _files(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--subtitles", type=Path, metavar="FILE", help="SRT, VTT or ASS with the true times")
    group.add_argument("--stems", type=Path, metavar="FOLDER", help="a file for each character, as long as the mix")
    group.add_argument("--cues", type=Path, metavar="FOLDER", help="a file for each cue, beginning 100 ms before it")
    group.add_argument(
        "--name",
        default=DEFAULT,
        metavar="TEMPLATE",
        help=f"of those files, of {', '.join('{' + field + '}' for field in FIELDS)} (default {DEFAULT})",
    )
