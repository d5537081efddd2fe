"""``voxcpm takes``: list the takes of the library, show one, make it again and compare, or export it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from app.cli_marks import Door, describe
from app.cli_options import add_sound_options
from app.cli_sensitive import add_sensitive_option, decided_about
from app.core.engine_api import EngineError
from app.core.library import Library
from app.core.messages import PARTS
from app.core.reproduce import Comparison, NotReproducibleError, job_of, reproduce
from app.core.store import default_data_folder, errors
from app.core.store.store import DATABASE_NAME
from app.core.take_codec import TakeUnreadableError
from app.core.take_files import OutputError
from app.core.take_store import PAGE, TakeError, TakeLibrary
from app.core.takes import Take
from app.marks.origin import origin_of_take
from voxcpm import terminal
from voxcpm.errors import RequestError

COMMANDS = {"takes": "list the takes that the studio keeps, show, reproduce or export one"}
DIFFERENT = 8
_HELP = f"""\
An id may be shortened to its beginning, as long as only one take begins so.

exit codes:
  0  done; with reproduce: the same samples came out
  1  a fault of this program
  2  the command line was refused, or there is no such take
  4  the model is missing or cannot make the take again
  5  the voice of the take may not be used (any more); the reason is said
  7  a file or the data folder cannot be read or written, or its keys are locked
  {DIFFERENT}  reproduce: other samples came out; what differs is listed
"""


def run(argv: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    options = _parser().parse_args(argv)
    folder = options.data or default_data_folder()
    try:
        if not (folder / DATABASE_NAME).is_file():
            raise TakeError(f"There are no takes yet: {folder} holds no library.")
        with Library(options.data) as library:
            return int(options.run(options, library))
    except (TakeError, RequestError) as error:
        return _failed(error, terminal.EXIT_REQUEST)
    except EngineError as error:
        refused = error.failure.field == "consent"
        return _failed(error, terminal.EXIT_CONSENT if refused else terminal.EXIT_CHECKPOINT)
    except NotReproducibleError as error:
        return _failed(error, terminal.EXIT_CHECKPOINT)
    except (errors.StoreError, OutputError, TakeUnreadableError) as error:
        return _failed(error, terminal.EXIT_OUTPUT)


def _failed(error: Exception, code: int) -> int:
    terminal.note(f"voxcpm: {error}")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="voxcpm takes",
        description="The takes that the studio keeps: list them, show, reproduce or export one.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="list takes, newest first", allow_abbrev=False)
    listing.add_argument("query", nargs="*", metavar="WORD", help="only those whose text or note holds every word")
    listing.add_argument("--bin", action="store_true", help="those in the bin")
    listing.add_argument("--limit", type=int, default=50, metavar="N", help="at most so many (default 50)")
    listing.set_defaults(run=_list)
    show = actions.add_parser("show", help="everything that is known of a take", allow_abbrev=False)
    show.set_defaults(run=_show)
    again = actions.add_parser("reproduce", help="make a take again and compare the samples", allow_abbrev=False)
    again.add_argument("--model", type=Path, metavar="FOLDER", help="the model (default: where it was then)")
    again.add_argument("--device", help="where to compute (default: as then)")
    again.add_argument("--dtype", help="precision (default: as then)")
    add_sensitive_option(again)
    again.set_defaults(run=_reproduce)
    export = actions.add_parser("export", help="write a take to a file, with its marks", allow_abbrev=False)
    export.set_defaults(run=_export)
    for action in (show, again, export):
        action.add_argument("id", metavar="ID", help="the take")
    export.add_argument("out", type=Path, metavar="FILE", help="WAV, FLAC, MP3 or Opus, by the end of the name")
    export.add_argument("--force", action="store_true", help="overwrite a file that exists")
    add_sound_options(export.add_argument_group("output"), export.add_argument_group("marks"))
    for action in (listing, show, again, export):
        action.add_argument("--data", type=Path, metavar="FOLDER", help="the data folder (default: this user's)")
        action.add_argument("--json", action="store_true", help="write one JSON object to stdout")
    return parser


def _list(options: argparse.Namespace, library: Library) -> int:
    if options.limit < 1:
        raise RequestError("limit", f"at least one take must be listed, not {options.limit}.")
    query, takes = " ".join(options.query), list[Take]()
    page = library.takes.page(query=query, binned=options.bin, limit=min(options.limit, PAGE))
    takes += page.takes
    while page.after is not None and len(takes) < options.limit:
        page = library.takes.page(
            query=query, binned=options.bin, after=page.after, limit=min(PAGE, options.limit - len(takes))
        )
        takes += page.takes
    if options.json:
        terminal.write_json({"takes": [_row(take) for take in takes]})
        return terminal.EXIT_OK
    for take in takes:
        stars = "*" * take.marks.rating + ("+" if take.marks.favourite else "")
        made = f"{take.created_at.astimezone():%Y-%m-%d %H:%M}"
        text = " ".join(take.job.text.split())
        sys.stdout.write(
            f"{take.uid[:8]}  {made}  {take.seconds:6.2f} s  {take.job.mode:<12}  seed {take.seed}  "
            f"{take.state.value}  {stars:<5}  {text[:60]}\n"
        )
    return terminal.EXIT_OK


def _row(take: Take) -> dict[str, Any]:
    return {
        "id": take.uid,
        "press": take.press,
        "row": take.row,
        "created_at": take.created_at.isoformat(),
        "text": take.job.text,
        "mode": take.job.mode,
        "voice": take.voice_id or None,
        "seconds": take.seconds,
        "sample_rate": take.sample_rate,
        "seed": take.seed,
        "state": take.state.value,
        "end": take.end,
        "flags": list(take.flags),
        **asdict(take.marks),
        "in_bin": take.binned,
    }


def _everything(take: Take, library: TakeLibrary) -> dict[str, Any]:
    """All that is known; what a person's voice was made of is not shown, only that it was one."""
    job, model, result = asdict(take.job), asdict(take.model), take.result
    job["decided"] = sorted(take.job.decided)
    job.pop("voice")
    job["decided"] = sorted(job["decided"])
    known: dict[str, Any] = {
        **_row(take),
        "final_text": take.final_text,
        "settings": job,
        "model": model,
        "reproduces": take.reproduces or None,
        "made_with": [other.uid for other in library.press_of(take.uid)],
    }
    if result is not None:
        known["lora"] = result.lora or None
        known["batch"] = [asdict(row) for row in result.batch]
        known["parts"] = list(result.settings.get(PARTS, ()))
        known["timings"] = {
            "time_to_first_audio": result.time_to_first_audio,
            "total_seconds": result.total_seconds,
            "real_time_factor": result.real_time_factor,
        }
        known["latent_frames"] = len(take.latents)
    return known


def _show(options: argparse.Namespace, library: Library) -> int:
    uid = library.takes.find(options.id).uid
    known = _everything(library.takes.filled(uid), library.takes)
    if options.json:
        terminal.write_json(known)
    else:
        for name, value in known.items():
            sys.stdout.write(f"{name}: {value}\n")
    return terminal.EXIT_OK


def _reproduce(options: argparse.Namespace, library: Library) -> int:
    take = library.takes.filled(library.takes.find(options.id).uid)
    job = job_of(take, 1)  # what cannot be made again is refused before a model is loaded
    decided = decided_about(options, [job.text], library, voice=take.voice_id, decided=job.decided)
    take.job = replace(take.job, decided=decided)
    from app.engine.local import LocalEngine

    engine = LocalEngine(lambda: library.door)
    try:
        folder = str(options.model or take.model.folder)
        device, dtype = options.device or take.model.device, options.dtype or take.model.dtype
        model = engine.load(folder, device, dtype, lambda fraction: None, lambda: False)
        comparison, _ = reproduce(take, engine, model)
    finally:
        engine.close()
    if options.json:
        terminal.write_json({"id": take.uid, **asdict(comparison)})
    else:
        sys.stdout.write("".join(f"{line}\n" for line in said(comparison)))
    return terminal.EXIT_OK if comparison.identical else DIFFERENT


def said(comparison: Comparison) -> list[str]:
    """Return a comparison in sentences."""
    lines = []
    if comparison.identical:
        lines.append(f"The same: all {comparison.compared} samples are equal.")
        if comparison.samples_before != comparison.samples_now:
            lines[0] = f"The same: the first {comparison.compared} samples are equal; one of both was broken off there."
    elif comparison.level is not None:
        lines.append(
            f"Not the same: over {comparison.compared} samples the difference lies at {comparison.level:.1f} dB of the "
            f"take, the largest is {comparison.largest:.2g} of full scale."
        )
    else:
        lines.append("Not the same.")
    if comparison.samples_before != comparison.samples_now and not comparison.identical:
        lines.append(f"  samples: {comparison.samples_before} then, {comparison.samples_now} now")
    lines += [
        f"  {one.name}: {one.before or 'unknown'} then, {one.now or 'unknown'} now" for one in comparison.differences
    ]
    if not comparison.identical and not comparison.differences:
        lines.append("  Nothing that is recorded differs: this machine does not compute the same sums twice.")
    return lines


def _export(options: argparse.Namespace, library: Library) -> int:
    door = Door(options, secret=library.secret, audit=library.hear)
    door.check([options.out], force=options.force)
    take = library.takes.filled(library.takes.find(options.id).uid)
    exported = door.save_sound(options.out, take.samples, take.sample_rate, origin_of_take(take), force=options.force)
    for note in exported.notes:
        terminal.note(f"voxcpm: {note}")
    if options.json:
        terminal.write_json({"id": take.uid, "file": str(exported.path), **describe(exported)})
    else:
        sys.stdout.write(f"{exported.path}\n")
    return terminal.EXIT_OK
