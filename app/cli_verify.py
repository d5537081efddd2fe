"""``voxcpm verify``: what marks files carry, what they prove, and what not."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from app.core.engine_api import Watermark
from app.marks.errors import WatermarkUnavailable
from app.marks.verify import Verdict, Verification, verify
from app.marks.watermark import PerthWatermark
from voxcpm import terminal

COMMANDS = {"verify": "tell which marks sound files carry, what they prove and what not"}
NONE_FOUND, BROKEN = 8, 9
_CODES: dict[Verdict, int] = {"intact": terminal.EXIT_OK, "none": NONE_FOUND, "broken": BROKEN}
_HELP = f"""\
exit codes:
  0  every file carries a mark, and no mark contradicts its file
  1  a fault of this program
  2  the command line was refused
  3  a file cannot be read
  {NONE_FOUND}  a file carries no mark at all
  {BROKEN}  a mark does not fit its file, or is damaged: one of both was changed
With several files the highest one counts. No mark proves who made a file, and none is no proof of the opposite.
"""


def run(argv: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="voxcpm verify",
        description="Tell which marks sound files carry (label, content credentials, watermark) and what they prove.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="WAV, FLAC, MP3, or Ogg (Opus, Vorbis)")
    parser.add_argument("--trust", type=Path, metavar="PEM", help="certificate of an authority whose signers you trust")
    parser.add_argument(
        "--no-watermark", action="store_true", help="do not look for the watermark, which takes longest"
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object to stdout")
    options = parser.parse_args(argv)
    try:
        authority = None if options.trust is None else _certificate(options.trust)
    except OSError as error:
        terminal.note(f"voxcpm: {options.trust} cannot be read: {error.strerror or error}.")
        return terminal.EXIT_REQUEST
    except ValueError:
        terminal.note(f"voxcpm: {options.trust} holds no certificate in the form PEM.")
        return terminal.EXIT_REQUEST
    remarks: list[str] = []
    watermark: Watermark | None = None
    if not options.no_watermark:
        try:
            watermark = PerthWatermark()
        except WatermarkUnavailable as error:
            remarks.append(f"The watermark was not looked for: {error}")
    found: list[Verification] = []
    failed: list[dict[str, str]] = []
    for path in options.files:
        try:
            found.append(verify(path, watermark, authority))
        except OSError as error:
            failed.append({"file": str(path), "error": f"cannot be read: {error.strerror or error}"})
    _report(found, failed, remarks, as_json=options.json)
    codes = [_CODES[one.verdict] for one in found] + [terminal.EXIT_AUDIO for _ in failed]
    return max(codes)


def _certificate(path: Path) -> bytes:
    """Read certificates in PEM; ValueError for anything else, which would make every file look damaged."""
    from cryptography import x509

    data = path.read_bytes()
    x509.load_pem_x509_certificates(data)
    return data


def _report(found: list[Verification], failed: list[dict[str, str]], remarks: list[str], *, as_json: bool) -> None:
    if as_json:
        terminal.write_json({"files": [*(one.as_json() for one in found), *failed], "remarks": remarks})
        return
    for one in found:
        sys.stdout.write(f"{one.path}: {_WORDS[one.verdict]}\n")
        sys.stdout.writelines(f"  {sentence}\n" for sentence in one.sentences())
    for failure in failed:
        terminal.note(f"voxcpm: {failure['file']} {failure['error']}.")
    for remark in remarks:
        terminal.note(f"voxcpm: {remark}")


_WORDS: dict[Verdict, str] = {
    "intact": "marked as generated",
    "none": "no mark found",
    "broken": "a mark that does not fit",
}
