"""The options of ``voxcpm voices``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

from app.cli_voice_renewal import add_listener_options
from app.core.consent.record import KEPT_FOR
from app.core.voice_card import ORDERS

COMMANDS = {"voices": "the saved voices, and the consent of the people they belong to"}
_HELP = """\
A voice is named by its id, the beginning of it (8 characters or more), or its whole name.
The keys are those of this computer's keyring, or come from the passphrase in VOXCPM_PASSPHRASE.

exit codes:
  0  done
  1  a fault of this program
  2  the command line was refused, or a file is not what it should be
  3  a sound file cannot be used
  5  the consent does not allow it; the reason is said
  7  a file or the data folder cannot be read or written, or its keys are locked
  8  import: the voice has no valid record and is in quarantine; tombstone --check: the note is not signed, or changed
"""
_CHANNELS = ("in_person", "phone", "e_mail", "letter", "message", "other")
Action = Callable[..., int]


def build_parser(actions: Mapping[str, Action]) -> argparse.ArgumentParser:
    """Return the parser; ``options.run`` is the chosen action."""
    parser = argparse.ArgumentParser(
        prog="voxcpm voices",
        description="The saved voices and the consent of the people they belong to.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="data folder (default: this user's)")
    commands = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False)
        command.set_defaults(run=actions[name])
        return command

    listing = add("list", "list voices")
    listing.add_argument("words", nargs="*", metavar="WORD", help="only those whose name or tags have every word")
    listing.add_argument("--tag", action="append", default=[], help="only those with this tag")
    listing.add_argument("--sort", choices=ORDERS, default=ORDERS[0], help="in which order (default: oldest)")
    _json(listing)
    _voice(showing := add("show", "show a voice and its consent record in sentences"))
    _json(showing)
    _add(add("add", "save a voice with its consent record"))
    _voice(copying := add("copy", "save a copy of a voice that stands on the same consent"))
    copying.add_argument("name", metavar="NAME", help="what the copy is called")
    _voice(speaking := add("statement", "show the statement to speak, or add a recording of it to the record"))
    speaking.add_argument("--audio", type=Path, metavar="FILE", help="recording of the person speaking it")
    speaking.add_argument(
        "--though-unheard", action="store_true", help="keep it as evidence (L1) also when it was not recognised"
    )
    add_listener_options(speaking)
    _json(speaking)
    _voice(renewing := add("renew", "write down that the person agreed anew, with a new statement"))
    renewing.add_argument("--months", type=int, metavar="N", help="how long it holds (others: 12, at most 36)")
    renewing.add_argument("--lang", choices=("en", "zh"), help="language of the new statement (default: as before)")
    renewing.add_argument("--document", type=Path, action="append", default=[], metavar="FILE", help="proof: level L1")
    _scope(renewing)
    _json(renewing)
    _voice(extending := add("extend", "let a consent last longer, at most 36 months from when it was given"))
    extending.add_argument("--months", type=int, required=True, metavar="N", help="how many months longer")
    _json(extending)
    _voice(withdrawing := add("withdraw", "take a consent back: the voice is frozen at once"))
    withdrawing.add_argument("--channel", choices=_CHANNELS, default="other", help="how the person said so")
    withdrawing.add_argument("--delete", action="store_true", help="delete the voice as well")
    _voice(freezing := add("freeze", "freeze a voice because of a complaint, or release it again"))
    freezing.add_argument("--reason", required=True, metavar="TEXT", help="kept encrypted; the log has its hash")
    freezing.add_argument("--release", action="store_true", help="close the complaint")
    _term(freezing)
    _voice(taking := add("takedown", "after a complaint: freeze a voice, list what was made of it, delete it all"))
    taking.add_argument("--reason", metavar="TEXT", help="the complaint, kept encrypted; unless one is open")
    taking.add_argument("--yes", action="store_true", help="delete now; without it nothing is deleted")
    taking.add_argument("--out", type=Path, metavar="FILE", help="where the signed note about the deletion is written")
    _term(taking)
    _json(taking)
    complaining = add("complaints", "list complaints and when they have to be decided")
    complaining.add_argument("--all", action="store_true", help="those that are closed as well")
    complaining.add_argument("--texts", action="store_true", help="with what people wrote, in plain text")
    _json(complaining)
    stone = add("tombstone", "write out or check the signed note about a deleted voice")
    stone.add_argument("what", metavar="ID-OR-FILE", help="id of the deleted voice, or with --check a note")
    stone.add_argument("--check", action="store_true", help="check a note that was written out; needs no data folder")
    stone.add_argument("--out", type=Path, metavar="FILE", help="where to (default: stdout)")
    _json(add("purge", "delete recordings whose time is over; this happens at every start as well"))
    _voice(deleting := add("delete", "delete a voice and all takes made with it, for ever"))
    deleting.add_argument("--yes", action="store_true", help="do not ask")
    _json(deleting)
    _voice(exporting := add("export", "write a voice with its record to one file"))
    exporting.add_argument("out", type=Path, metavar="FILE", help="NAME.voice.zip")
    exporting.add_argument("--personal", action="store_true", help="let names and texts of the record go along")
    exporting.add_argument("--force", action="store_true", help="overwrite a file that exists")
    importing = add("import", "take a voice in from a file; without a valid record it goes to quarantine")
    importing.add_argument("file", type=Path, metavar="FILE", help="NAME.voice.zip")
    _json(importing)
    verifying = add("verify", "check the records of voices: hashes, chain, signatures, dates")
    verifying.add_argument("voices", nargs="*", metavar="VOICE", help="which (default: all)")
    _json(verifying)
    _request(add("request", "write a request for consent to send to a person far away"))
    _answer(add("answer", "answer a request: record its statement, and this makes the file to send back"))
    return parser


def _add(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", help="what the voice is called")
    command.add_argument("--tag", action="append", default=[], help="may be repeated")
    command.add_argument("--reference", type=Path, metavar="FILE", help="recording that gives the voice, 30 s at most")
    command.add_argument("--prompt", type=Path, metavar="FILE", help="recording that is continued, 30 s at most")
    command.add_argument("--transcript", default="", metavar="TEXT", help="the exact words of the prompt")
    command.add_argument("--style", default="", metavar="WORDS", help="how it speaks unless said otherwise")
    command.add_argument("--lora", type=Path, metavar="PATH", help="LoRA that belongs to the voice")
    command.add_argument("--answer", type=Path, metavar="FILE", help="the answer to a request of yours (.consent.zip)")
    add_listener_options(command)
    consent = command.add_argument_group("consent")
    consent.add_argument("--consent", metavar="WHO", help="me (it is your own voice), or the name of the person")
    consent.add_argument("--contact", default="", metavar="HOW", help="how that person can be reached")
    consent.add_argument("--operator", default="", metavar="NAME", help="who will use the voice (default: you)")
    consent.add_argument("--minor", action="store_true", help="the person is under age; needs --representative")
    consent.add_argument("--representative", metavar="NAME", help="who speaks for the person")
    consent.add_argument("--authority", choices=("parent", "guardian", "estate", "agent"), default="guardian")
    consent.add_argument("--document", type=Path, action="append", default=[], metavar="FILE", help="proof: level L1")
    consent.add_argument("--months", type=int, metavar="N", help="how long it holds (others: 12, at most 36)")
    consent.add_argument("--lang", choices=("en", "zh"), default="en", help="language of the statement")
    for name, usual, what in (
        ("recordings", "until_expiry", "the trimmed recordings"),
        ("statement", "30d", "the spoken statement"),
    ):
        consent.add_argument(
            f"--keep-{name}",
            choices=(*KEPT_FOR, "until_expiry"),
            default=usual,
            metavar="TIME",
            help=f"how long {what} stay: {', '.join(KEPT_FOR)} or until_expiry (default {usual})",
        )
    _scope(consent)
    _json(command)


def _request(command: argparse.ArgumentParser) -> None:
    command.add_argument("out", type=Path, metavar="FILE", help="NAME.consent-request.json")
    command.add_argument("--operator", required=True, metavar="NAME", help="who will use the voice")
    command.add_argument("--use", default="", metavar="TEXT", help="what for, in a few words")
    command.add_argument("--note", default="", metavar="TEXT", help="a word to the person")
    command.add_argument("--guardian", action="store_true", help="somebody else speaks for the person")
    command.add_argument("--months", type=int, default=12, metavar="N", help="1 to 36 (default 12)")
    command.add_argument("--references", type=int, default=1, metavar="N", help="recordings wanted, 0 to 3 (default 1)")
    command.add_argument("--lang", choices=("en", "zh"), default="en", help="language of the statement")
    _scope(command)


def _answer(command: argparse.ArgumentParser) -> None:
    command.add_argument("request", type=Path, metavar="REQUEST", help="the file that was sent to you")
    command.add_argument("--out", type=Path, metavar="FILE", help="NAME.consent.zip; without it the request is shown")
    command.add_argument("--statement", type=Path, metavar="FILE", help="recording of you speaking the statement")
    command.add_argument("--reference", type=Path, action="append", default=[], metavar="FILE", help="of your voice")
    command.add_argument("--name", default="", help="your name (of the person whose voice it is)")
    command.add_argument("--contact", default="", metavar="HOW", help="how you can be reached")
    command.add_argument("--minor", action="store_true", help="the person is under age")
    command.add_argument("--representative", metavar="NAME", help="who speaks for the person")
    command.add_argument("--authority", choices=("parent", "guardian", "estate", "agent"), default="guardian")


def _scope(group: argparse._ActionsContainer) -> None:
    for name, text in (
        ("commercial", "earning money with it"),
        ("training", "training a model"),
        ("sharing", "passing the voice itself on"),
        ("sensitive", "sensitive text"),
    ):
        group.add_argument(f"--{name}", action="store_true", help=f"allow {text} (one's own voice: allowed anyway)")


def _voice(command: argparse.ArgumentParser) -> None:
    command.add_argument("voice", metavar="VOICE", help="id or name")


def _term(command: argparse.ArgumentParser) -> None:
    command.add_argument("--hours", type=int, default=48, metavar="N", help="decide within (default 48, at most 744)")


def _json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="write one JSON object to stdout")
