"""``voxcpm voices``: the saved voices and the consent of the people they belong to."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from app import cli_takedown
from app.cli_voice_consent import add_voice, answer_request, write_request
from app.cli_voice_options import COMMANDS, build_parser
from app.cli_voice_renewal import extend, renew, speak_statement
from app.core.audio_files import AudioFileError
from app.core.consent.explain import explain
from app.core.consent.problems import ConsentError
from app.core.consent.verify import ConsentRefused, Use, Verdict
from app.core.library import Library
from app.core.safe_zip import BundleError
from app.core.store import errors
from app.core.voice_bundle import export_voice, import_voice
from app.core.voice_card import SavedVoice, VoiceState, in_order
from app.core.voice_copying import copy_voice
from voxcpm import terminal
from voxcpm.errors import RequestError

__all__ = ["COMMANDS", "run"]

QUARANTINED = 8


def run(argv: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    options = build_parser(_ACTIONS).parse_args(argv)
    try:
        with Library(options.data) as library:
            return int(options.run(options, library))
    except AudioFileError as error:
        return _failed(error, terminal.EXIT_AUDIO)
    except ConsentRefused as error:
        return _failed(error, terminal.EXIT_CONSENT)
    except (RequestError, ConsentError, BundleError, ValueError) as error:
        return _failed(error, terminal.EXIT_REQUEST)
    except (errors.StoreError, OSError) as error:
        return _failed(error, terminal.EXIT_OUTPUT)


def _failed(error: Exception, code: int) -> int:
    terminal.note(f"voxcpm: {error}")
    return code


def _list(options: argparse.Namespace, library: Library) -> int:
    voices = in_order(library.voices.search(" ".join(options.words), options.tag), options.sort)
    if options.json:
        terminal.write_json({"voices": [_short(voice) for voice in voices], "locked": library.voices.has_locked})
        return terminal.EXIT_OK
    for voice in voices:
        card = voice.card
        tags = f"  [{', '.join(card.tags)}]" if card is not None and card.tags else ""
        state = "" if voice.state is VoiceState.ACTIVE else f"  ({voice.state})"
        sys.stdout.write(f"{voice.voice_id}  {voice.mode:<12}  {voice.name or '(locked)'}{tags}{state}\n")
    if library.voices.has_locked:
        terminal.note(f"voxcpm: {library.store.keys.notice or 'Some voices cannot be read.'} (VOXCPM_PASSPHRASE)")
    return terminal.EXIT_OK


def _show(options: argparse.Namespace, library: Library) -> int:
    voice = library.voices.find(options.voice)
    verdict = library.voices.verdict(voice.voice_id, Use("generate"))
    record = None if "unreadable" in verdict.codes else library.voices.record(voice.voice_id)
    card = voice.card
    known: dict[str, Any] = {
        **_short(voice),
        "transcript": card.transcript if card else None,
        "style": card.style if card else None,
        "lora": card.lora or None if card else None,
        "record_id": verdict.record_id or None,
        "level": verdict.level or None,
        "signed_elsewhere": library.voices.is_foreign(voice.voice_id),
        "may_be_used": verdict.ok,
        "reasons": [problem.message for problem in verdict.problems],
        "record": explain(record) if record is not None else [],
    }
    if options.json:
        terminal.write_json(known)
        return terminal.EXIT_OK
    for name in ("id", "name", "tags", "mode", "state", "transcript", "style", "lora", "record_id", "level"):
        value = known[name]
        if value not in (None, "", []):
            sys.stdout.write(f"{name}: {', '.join(value) if isinstance(value, list) else value}\n")
    if known["signed_elsewhere"]:
        sys.stdout.write("Another studio signed the record: it shows that nothing was changed, not who signed.\n")
    sys.stdout.writelines(f"{line}\n" for line in known["record"])
    sys.stdout.write(_said(verdict))
    return terminal.EXIT_OK


def _copy(options: argparse.Namespace, library: Library) -> int:
    voice = library.voices.find(options.voice)
    copy = copy_voice(library.door, voice.voice_id, options.name)
    sys.stdout.write(f"{copy.voice_id}  {copy.name}\n")
    terminal.note("It stands on the same consent: what is withdrawn or complained about for one holds for both.")
    return terminal.EXIT_OK


def _withdraw(options: argparse.Namespace, library: Library) -> int:
    voice = library.voices.find(options.voice)
    action = "delete" if options.delete else "freeze"
    library.voices.withdraw(voice.voice_id, channel=options.channel, action=action)
    done = "deleted" if options.delete else "frozen; delete it with: voxcpm voices delete"
    sys.stdout.write(f"The consent is withdrawn. The voice is {done}.\n")
    return terminal.EXIT_OK


def _delete(options: argparse.Namespace, library: Library) -> int:
    voice = library.voices.find(options.voice)
    if not options.yes:
        if not sys.stdin.isatty():
            raise RequestError("yes", "deleting cannot be undone; add --yes.")
        terminal.note(f"Delete {voice.name or voice.voice_id}, its recordings and all takes made with it, for ever?")
        if input("Type yes: ").strip().lower() != "yes":
            return terminal.EXIT_REQUEST
    stone = library.voices.delete(voice.voice_id)
    if options.json:
        sys.stdout.write(stone.decode() + "\n")
    else:
        sys.stdout.write(f"{voice.voice_id} is deleted; a signed note with hashes only is kept.\n")
    return terminal.EXIT_OK


def _export(options: argparse.Namespace, library: Library) -> int:
    voice = library.voices.find(options.voice)
    digest = export_voice(library.door, voice.voice_id, options.out, personal=options.personal, overwrite=options.force)
    sys.stdout.write(f"{options.out}\n")
    terminal.note(f"SHA-256 {digest}" + ("" if options.personal else "; the record's names did not go along"))
    return terminal.EXIT_OK


def _import(options: argparse.Namespace, library: Library) -> int:
    done = import_voice(library.voices, options.file)
    if options.json:
        reasons = [problem.message for problem in done.verdict.problems]
        terminal.write_json({**_short(done.voice), "reasons": reasons, "signed_elsewhere": done.foreign})
    else:
        sys.stdout.write(f"{done.voice.voice_id}  {done.voice.name}\n{_said(done.verdict)}")
    return terminal.EXIT_OK if done.verdict.ok else QUARANTINED


def _verify(options: argparse.Namespace, library: Library) -> int:
    chosen = [library.voices.find(said) for said in options.voices] or library.voices.all()
    found = [(voice, library.voices.verdict(voice.voice_id)) for voice in chosen]
    if options.json:
        terminal.write_json(
            {
                "voices": [
                    {**_short(voice), "ok": verdict.ok, "problems": {p.code: p.message for p in verdict.problems}}
                    for voice, verdict in found
                ]
            }
        )
    else:
        for voice, verdict in found:
            sys.stdout.write(f"{voice.voice_id}  {voice.name or '(locked)'}: {_said(verdict)}")
    return terminal.EXIT_OK if all(verdict.ok for _, verdict in found) else terminal.EXIT_CONSENT


def _freeze(options: argparse.Namespace, library: Library) -> int:
    voice = library.voices.find(options.voice)
    if options.release:
        library.voices.release(voice.voice_id, options.reason)
        sys.stdout.write("The complaint is closed.\n")
    else:
        complaint = library.voices.freeze(voice.voice_id, options.reason, timedelta(hours=options.hours))
        sys.stdout.write(f"The voice is frozen. Complaint {complaint}\n")
    return terminal.EXIT_OK


def _short(voice: SavedVoice) -> dict[str, Any]:
    return {
        "id": voice.voice_id,
        "name": voice.name or None,
        "tags": list(voice.card.tags) if voice.card else [],
        "mode": voice.mode,
        "state": str(voice.state),
        "shipped": voice.shipped,
        "parts": list(voice.parts),
        "consent_of": voice.consent_of or None,
    }


def _said(verdict: Verdict) -> str:
    if verdict.ok:
        return "The record is whole and holds now.\n"
    return "".join(f"Not usable: {problem.message}\n" for problem in verdict.problems)


_ACTIONS = {
    "list": _list,
    "show": _show,
    "add": add_voice,
    "copy": _copy,
    "statement": speak_statement,
    "renew": renew,
    "extend": extend,
    "withdraw": _withdraw,
    "freeze": _freeze,
    "delete": _delete,
    "export": _export,
    "import": _import,
    "verify": _verify,
    "request": write_request,
    "answer": answer_request,
    "takedown": cli_takedown.take_down,
    "complaints": cli_takedown.list_complaints,
    "tombstone": cli_takedown.show_tombstone,
    "purge": cli_takedown.purge,
}
