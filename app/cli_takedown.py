"""``voxcpm voices takedown``, ``complaints``, ``tombstone`` and ``purge``: what ends, and what is told about it."""

from __future__ import annotations

import argparse
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from app.core.complaints import Complaint
from app.core.derived import Derived
from app.core.library import Library
from app.core.retention import next_due
from app.core.voice_card import SavedVoice
from app.core.voice_deletion import export_tombstone, read_tombstone
from app.core.voice_uses import ADAPTER, CACHE, PROJECT
from voxcpm import terminal
from voxcpm.errors import RequestError

NOT_SIGNED = 8
_OUTSIDE = {PROJECT: "project", ADAPTER: "training run", CACHE: "cache of training"}


def take_down(options: argparse.Namespace, library: Library) -> int:
    """Freeze, list, and with ``--yes`` delete."""
    voice = library.voices.find(options.voice)
    if options.out is not None and options.out.exists():
        raise RequestError("out", f"{options.out} exists and is not overwritten.")
    reason = (options.reason or "").strip()
    if not voice.complaint and not reason:
        raise RequestError("reason", "say what the complaint is: --reason TEXT. It is kept encrypted.")
    if reason:
        library.voices.freeze(voice.voice_id, reason, timedelta(hours=options.hours))
    derived = library.voices.derived(voice.voice_id)
    open_ones = [each for each in library.complaints.of_voice(voice.voice_id) if not each.outcome]
    stone = b""
    if options.yes:
        library.voices.delete(voice.voice_id)
        stone = export_tombstone(library.store, voice.voice_id)
        if options.out is not None:
            options.out.write_bytes(stone)
    if options.json:
        terminal.write_json(
            {
                "voice": voice.voice_id,
                "complaints": [_plain(each) for each in open_ones],
                "derived": derived.plain(places=True),
                "deleted": options.yes,
                "tombstone": read_tombstone(stone)[0] if stone else None,
            }
        )
        return terminal.EXIT_OK
    _tell(voice, derived, open_ones, library.now())
    if options.yes:
        sys.stdout.write("Deleted. A signed note with hashes only is kept: voxcpm voices tombstone " + voice.voice_id)
        sys.stdout.write("\n")
    else:
        sys.stdout.write("Nothing is deleted yet; the voice is frozen. Delete all of it: add --yes.\n")
    return terminal.EXIT_OK


def list_complaints(options: argparse.Namespace, library: Library) -> int:
    """List complaints, the oldest first."""
    found = library.complaints.all(open_only=not options.all)
    texts = {each.complaint_id: library.complaints.text(each.complaint_id) for each in found if options.texts}
    if options.json:
        plain = [_plain(each) | ({"text": texts[each.complaint_id]} if options.texts else {}) for each in found]
        terminal.write_json({"complaints": plain})
        return terminal.EXIT_OK
    for each in found:
        said = each.outcome or _left(each, library.now())
        sys.stdout.write(f"{each.complaint_id}  voice {each.voice_id}  {said}\n")
        if texts.get(each.complaint_id):
            sys.stdout.write(f"    {texts[each.complaint_id]}\n")
    return terminal.EXIT_OK


def show_tombstone(options: argparse.Namespace, library: Library) -> int:
    """Write a note out, or check one."""
    if not options.check:
        data = export_tombstone(library.store, options.what)
        if options.out is None:
            sys.stdout.write(data.decode())
            return terminal.EXIT_OK
        if options.out.exists():
            raise RequestError("out", f"{options.out} exists and is not overwritten.")
        options.out.write_bytes(data)
        return terminal.EXIT_OK
    stone, signed = read_tombstone(Path(options.what).read_bytes())
    sys.stdout.write(f"voice: {stone.get('voice_id')}\ndeleted: {stone.get('deleted_at')}\n")
    sys.stdout.write(f"signed with the key: {stone.get('key_id') or 'none'}\n")
    if signed:
        sys.stdout.write("The note was not changed since. Compare the key with one that you had before.\n")
        return terminal.EXIT_OK
    sys.stdout.write("The note is not signed, or was changed: it proves nothing.\n")
    return NOT_SIGNED


def purge(options: argparse.Namespace, library: Library) -> int:
    """Delete recordings whose time is over."""
    gone = library.voices.enforce_retention()
    gone += library.purged_at_opening  # the voices had to be opened first
    following = next_due(library.store)
    if options.json:
        terminal.write_json({"deleted": gone, "next_due": following.isoformat() if following else None})
    else:
        sys.stdout.write(f"{gone} recordings deleted.\n")
        if following is not None:
            sys.stdout.write(f"The next one has to go on {following:%Y-%m-%d %H:%M} UTC.\n")
    return terminal.EXIT_OK


def _tell(voice: SavedVoice, derived: Derived, complaints: list[Complaint], now: datetime) -> None:
    write = sys.stdout.write
    write(f"{voice.voice_id}  {voice.name or '(locked)'}\n")
    for each in complaints:
        write(f"complaint {each.complaint_id}: {_left(each, now)}\n")
    write("In the library, and deleted with the voice:\n")
    for part, digest in derived.files:
        write(f"  {part}  sha256 {digest}\n")
    binned = f", {derived.binned} of them in the bin" if derived.binned else ""
    write(f"  {derived.records} versions of the consent record, {derived.latents} encodings (latents)\n")
    write(f"  {len(derived.takes)} takes{binned}, in {derived.compared} comparisons\n")
    if derived.copies:
        write(f"  {len(derived.copies)} copies of the voice, each with its own takes: {', '.join(derived.copies)}\n")
    write("Known to be outside, and not reached by deleting:\n")
    if not derived.exports and not derived.uses and not derived.adapter:
        write("  nothing\n")
    for export in derived.exports:
        known = "  ".join(filter(None, (export.format, export.produce_id, export.sha256 and f"sha256 {export.sha256}")))
        write(f"  {export.kind} exported {export.at}  {known}\n")
    for use in derived.uses:
        where = (
            "place unknown" if use.place is None else f"{use.place}{'' if use.is_there else ' (not there any more)'}"
        )
        write(f"  {_OUTSIDE[use.kind]}: {where}\n")
    if derived.adapter:
        write(f"  LoRA of the voice  sha256 {derived.adapter}\n")


def _left(complaint: Complaint, now: datetime) -> str:
    hours = complaint.seconds_left(now) / 3600
    when = f"decide by {complaint.decide_by:%Y-%m-%d %H:%M} UTC"
    return f"{when} ({hours:.0f} h left)" if hours >= 0 else f"{when} ({-hours:.0f} h too late)"


def _plain(complaint: Complaint) -> dict[str, Any]:
    return {
        "complaint": complaint.complaint_id,
        "voice": complaint.voice_id,
        "opened_at": complaint.opened_at.isoformat(),
        "decide_by": complaint.decide_by.isoformat(),
        "outcome": complaint.outcome or None,
    }
