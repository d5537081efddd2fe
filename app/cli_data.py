"""``voxcpm data``: check the saved data, back it up, go back to a backup, and say where a file came from."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from app.core import data_health
from app.core.library import Library
from app.core.store import default_data_folder, errors
from app.core.store.backups import number_of
from voxcpm import terminal
from voxcpm.errors import RequestError

COMMANDS = {"data": "check the saved voices and takes, back them up, restore them"}
DAMAGED, UNKNOWN = 8, 8
_HELP = f"""\
exit codes:
  0  done; check: all is whole
  1  a fault of this program
  2  the command line was refused
  7  the data folder cannot be opened, read or written, or is in use
  {DAMAGED}  check: something is damaged or missing; find: no such file left here
A backup is made every day at the first start: the newest of each of 7 days, 4 weeks and 12 months stay. They hold the
database (voices, records, takes, log), not the sound itself, which is kept in files of its own. A restore goes back to
the moment of the backup; what was deleted for good stays deleted.
"""


def run(argv: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    options = _parser().parse_args(argv)
    try:
        with Library(options.data) as library:
            return int(options.run(options, library))
    except RequestError as error:
        terminal.note(f"voxcpm: {error}")
        return terminal.EXIT_REQUEST
    except (errors.StoreError, OSError) as error:
        terminal.note(f"voxcpm: {error}")
        return terminal.EXIT_OUTPUT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="voxcpm data",
        description="Check the saved voices and takes, back them up, restore them.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the data folder (default: this user's)")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        action = actions.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False)
        action.set_defaults(run=_ACTIONS[name])
        action.add_argument("--json", action="store_true", help="write one JSON object to stdout")
        return action

    add("check", "look whether database, stored files and audit log are whole")
    add("backups", "list the backups, newest first")
    add("backup", "make a backup now")
    restoring = add("restore", "go back to a backup; what was there is kept beside it for 30 days")
    restoring.add_argument("--number", type=int, metavar="N", help="which backup (default: the newest intact one)")
    restoring.add_argument("--yes", action="store_true", help="do not ask")
    finding = add("find", "say whether a file was exported here, and with which voices")
    finding.add_argument("what", metavar="FILE", help="a file, its SHA-256, or the id in its label (voxcpm verify)")
    return parser


def _check(options: argparse.Namespace, library: Library) -> int:
    try:
        found = data_health.check(library)
    except errors.DamagedError as error:
        found = data_health.Health((str(error),))
    if options.json:
        terminal.write_json(
            {
                "whole": found.is_whole,
                "database": list(found.database),
                "lost_files": list(found.lost),
                "audit": found.audit,
            }
        )
        return terminal.EXIT_OK if found.is_whole else DAMAGED
    for line in found.database:
        sys.stdout.write(f"database: {line}\n")
    for blob_id in found.lost:
        sys.stdout.write(f"not there: {blob_id}\n")
    sys.stdout.write(f"audit log: {found.audit}\n")
    sys.stdout.write("All is whole.\n" if found.is_whole else "Something is damaged. Go back: voxcpm data restore\n")
    return terminal.EXIT_OK if found.is_whole else DAMAGED


def _backups(options: argparse.Namespace, library: Library) -> int:
    found = data_health.backups_in(options.data or default_data_folder())
    if options.json:
        terminal.write_json(
            {
                "backups": [
                    {"number": each.backup.number, "made_on": each.backup.made_on.isoformat(), "bytes": each.size}
                    for each in found
                ]
            }
        )
        return terminal.EXIT_OK
    for each in found:
        sys.stdout.write(f"{each.backup.number:>6}  {each.backup.made_on.isoformat()}  {each.size:>12,} bytes\n")
    return terminal.EXIT_OK


def _backup(options: argparse.Namespace, library: Library) -> int:
    library.store.wait_for_maintenance()
    path = library.store.backups.run()
    if options.json:
        terminal.write_json({"number": number_of(path), "bytes": path.stat().st_size})
    else:
        sys.stdout.write(f"Backup {number_of(path)} is made.\n")
    return terminal.EXIT_OK


def _restore(options: argparse.Namespace, library: Library) -> int:
    if not options.yes:
        if not sys.stdin.isatty():
            raise RequestError("yes", "what was saved since the backup will not be there any more; add --yes.")
        terminal.note("Go back to the backup? What was saved since is not there any more afterwards.")
        if input("Type yes: ").strip().lower() != "yes":
            return terminal.EXIT_REQUEST
    number = library.restore(options.number)
    if options.json:
        terminal.write_json({"restored": number})
    else:
        sys.stdout.write(f"Backup {number} is in place.\n")
    return terminal.EXIT_OK


def _find(options: argparse.Namespace, library: Library) -> int:
    path = Path(options.what)
    said = options.what
    if path.is_file():
        with path.open("rb") as file:
            said = hashlib.file_digest(file, "sha256").hexdigest()
    found = library.exports.find(said)
    if options.json:
        terminal.write_json({"exports": [{**export.plain(), "voices": list(voices)} for export, voices in found]})
    elif not found:
        sys.stdout.write("No such file left here, as far as is known.\n")
    else:
        for export, voices in found:
            heard = ", ".join(voices) or "no saved voice"
            sys.stdout.write(f"{export.kind} exported {export.at} with {heard}\n")
    return terminal.EXIT_OK if found else UNKNOWN


_ACTIONS = {"check": _check, "backups": _backups, "backup": _backup, "restore": _restore, "find": _find}
