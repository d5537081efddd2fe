"""``voxcpm audit``: check the audit log or an exported one, export it for somebody else, show what it says."""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from app.core.audit import AuditLog, as_json
from app.core.audit_chain import AuditEntry, AuditFileError, AuditReport, Head, check_export, head_of_export
from app.core.store import Store, default_data_folder, errors
from app.core.store.store import DATABASE_NAME
from voxcpm import terminal

COMMANDS = {"audit": "check, export or show the log of what was done with voices"}
UNSIGNED, BROKEN = 8, 9
_CODES = {"empty": terminal.EXIT_OK, "intact": terminal.EXIT_OK, "unsigned": UNSIGNED, "broken": BROKEN}
_HELP = f"""\
exit codes:
  0  the log is intact, or was exported or shown
  1  a fault of this program
  2  the command line was refused, or the file or data folder cannot be used
  7  the export cannot be written, or its keys are locked
  {UNSIGNED}  the entries fit, but the end is not signed: entries may be missing there
  {BROKEN}  the log was changed; the first entry that does not fit is named
The log holds ids, hashes, numbers and words of a closed list, never texts or names. An intact log proves that nothing
was changed since it was signed, not who signed it: compare the key id with one that you had from the operator before.
"""


def run(argv: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    options = _parser().parse_args(argv)
    try:
        return int(options.run(options))
    except AuditFileError as error:
        terminal.note(f"voxcpm: {error}")
        return terminal.EXIT_OUTPUT if options.run is _export else terminal.EXIT_REQUEST
    except errors.KeysError as error:
        terminal.note(f"voxcpm: {error}")
        return terminal.EXIT_OUTPUT
    except errors.StoreError as error:
        terminal.note(f"voxcpm: {error}")
        return terminal.EXIT_REQUEST


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="voxcpm audit",
        description="Check, export or show the log of what was done with voices.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    check = actions.add_parser(
        "check", help="check this computer's log, or a file that was exported", allow_abbrev=False
    )
    check.add_argument("file", nargs="?", type=Path, metavar="FILE", help="an exported log; no data folder is needed")
    check.add_argument("--since", type=Path, metavar="FILE", help="an earlier export, which the log must contain")
    check.set_defaults(run=_check)
    export = actions.add_parser("export", help="write the log to a signed file for somebody else", allow_abbrev=False)
    export.add_argument("file", type=Path, metavar="FILE", help="where to, such as log.jsonl")
    export.add_argument("--force", action="store_true", help="overwrite a file that exists")
    export.set_defaults(run=_export)
    show = actions.add_parser("show", help="list the entries, one JSON object a line", allow_abbrev=False)
    show.add_argument("--after", type=int, default=0, metavar="N", help="only entries with a higher number")
    show.add_argument("--event", metavar="NAME", help="only entries of this kind")
    show.add_argument("--voice", metavar="ID", help="only entries about this voice")
    show.add_argument("--last", type=int, metavar="N", help="only the last N of them")
    show.add_argument("--reasons", action="store_true", help="with the reasons that people gave, in plain text")
    show.set_defaults(run=_show)
    for action in (check, export, show):
        action.add_argument("--data", type=Path, metavar="FOLDER", help="the data folder (default: this user's)")
    for action in (check, export):
        action.add_argument("--json", action="store_true", help="write one JSON object to stdout")
    return parser


def _check(options: argparse.Namespace) -> int:
    known: Head | None = None if options.since is None else head_of_export(options.since)
    if options.file is not None:
        report = check_export(options.file, known)
    else:
        with _opened(options, readonly=True) as store:
            report = AuditLog(store.database, store.keys).verify(known)
    return _say(report, options.file, as_json=options.json)


def _export(options: argparse.Namespace) -> int:
    with _opened(options, readonly=False) as store:
        report = AuditLog(store.database, store.keys).export(options.file, overwrite=options.force)
        if notice := store.keys.notice:
            terminal.note(f"voxcpm: {notice}")
    code = _say(report, options.file, as_json=options.json)
    return code if report.state == "broken" else terminal.EXIT_OK


def _show(options: argparse.Namespace) -> int:
    with _opened(options, readonly=True) as store:
        log = AuditLog(store.database, store.keys)
        entries: Iterable[AuditEntry] = (entry for entry in log.entries(options.after) if _is_wanted(entry, options))
        if options.last is not None:
            entries = deque(entries, maxlen=max(options.last, 0))
        for entry in entries:
            line = as_json(entry)
            if options.reasons and "reason" in entry.facts:
                line = as_json(entry, reason=log.reason(entry))
            sys.stdout.write(f"{line}\n")
    return terminal.EXIT_OK


def _is_wanted(entry: AuditEntry, options: argparse.Namespace) -> bool:
    return (options.event is None or entry.event == options.event) and (
        options.voice is None or entry.facts.get("voice") == options.voice
    )


def _opened(options: argparse.Namespace, *, readonly: bool) -> Store:
    """Open the data folder; one that is not there is not made for a look at its log."""
    folder = options.data or default_data_folder()
    if not (folder / DATABASE_NAME).is_file():
        raise errors.StoreAccessError(f"There is no saved data in {folder}, and so no log. Give another --data folder.")
    return Store.open(folder, readonly=readonly)


def _say(report: AuditReport, file: Path | None, *, as_json: bool) -> int:
    if as_json:
        terminal.write_json({"file": None if file is None else str(file), **asdict(report)})
        return _CODES[report.state]
    what = "the audit log" if file is None else str(file)
    entries = f"{report.entries} {'entry' if report.entries == 1 else 'entries'}"
    said = {
        "empty": f"{what}: nothing was logged yet",
        "intact": f"{what}: intact, {entries}",
        "unsigned": f"{what}: {entries} fit, but the end is not signed",
        "broken": f"{what}: BROKEN. {report.problem}",
    }
    sys.stdout.write(f"{said[report.state]}\n")
    if report.entries:
        sys.stdout.write(f"  from {report.first_at} to {report.last_at}\n  last entry's hash {report.head.hash}\n")
    if report.key_id:
        sys.stdout.write(f"  key id {report.key_id}\n")
    for note in report.notes:
        terminal.note(f"voxcpm: {note}")
    return _CODES[report.state]
