"""``voxcpm voices statement``, ``renew``, ``extend``: what raises a consent, gives it anew or lets it last longer."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from app.core.consent.record import ConsentRecord
from app.core.library import Library
from app.core.renewal import Renewal, extend_voice, renew_voice
from app.core.spoken import Listeners, SpokenSound, add_spoken, what_would_raise
from app.core.voice_card import VoiceError
from app.core.voice_making import read_documents
from voxcpm import terminal


def speak_statement(options: argparse.Namespace, library: Library) -> int:
    """Show the statement of a record, or take in a recording of it."""
    voice = library.voices.find(options.voice)
    record = library.voices.record(voice.voice_id)
    if record is None or record.statement.text.text is None:
        raise VoiceError("The statement of this voice cannot be read here.")
    if options.audio is None:
        sys.stdout.write(f"{record.statement.text.text}\n")
        terminal.note("Record this, spoken by the person, and give the file: --audio FILE.")
        return terminal.EXIT_OK
    there = listeners_of(options)(record.statement.lang)
    moment = datetime.fromtimestamp(options.audio.stat().st_mtime, UTC).replace(microsecond=0)
    spoken = SpokenSound.of_file(options.audio, moment)
    signed = add_spoken(
        library.voices, voice.voice_id, record.statement, spoken, there, though_unheard=options.though_unheard
    )
    return _report(options, signed, there)


def renew(options: argparse.Namespace, library: Library) -> int:
    """Write down that the person agreed anew, with a new statement."""
    from app.cli_voice_consent import scope_of

    voice = library.voices.find(options.voice)
    documents = read_documents(options.document)
    wider = any((options.commercial, options.training, options.sharing, options.sensitive))
    wish = Renewal(options.months, scope_of(options) if wider else None, options.lang or "", documents)
    return _report(options, renew_voice(library.voices, voice.voice_id, wish), Listeners())


def extend(options: argparse.Namespace, library: Library) -> int:
    """Let a consent last longer."""
    voice = library.voices.find(options.voice)
    return _report(options, extend_voice(library.voices, voice.voice_id, options.months), Listeners())


def listeners_of(options: argparse.Namespace) -> Callable[[str], Listeners]:
    """Return what loads the listeners that the options name. Raises EvidenceUnavailable for one that is not there."""

    def opened(lang: str) -> Listeners:
        from app.engine.evidence import EvidenceUnavailable
        from app.engine.listeners import open_listeners

        there = open_listeners(lang, options.recogniser, options.embedding)
        for named, state in (
            (options.recogniser, there.recogniser_state),
            (options.embedding, there.matcher_state),
        ):
            if named is not None and not state.available:
                raise EvidenceUnavailable(state)
        return there

    return opened


def add_listener_options(command: argparse.ArgumentParser) -> None:
    """Add the options that :func:`listeners_of` reads."""
    command.add_argument(
        "--recogniser", type=Path, metavar="DIR", help="Whisper model that checks the spoken statement"
    )
    command.add_argument(
        "--embedding", type=Path, metavar="FILE", help="weights that compare voices (default: those of Resemblyzer)"
    )


def _report(options: argparse.Namespace, record: ConsentRecord, there: Listeners) -> int:
    more = [problem.message for problem in what_would_raise(record, there)]
    if options.json:
        known = {"id": record.voice_id, "record_id": record.record_id, "version": record.version}
        end = record.expires_at.isoformat() if record.expires_at else None
        terminal.write_json({**known, "level": record.level, "expires_at": end, "would_raise": more})
        return terminal.EXIT_OK
    until = f"until {record.expires_at:%Y-%m-%d}" if record.expires_at else "without an end"
    sys.stdout.write(f"The record has version {record.version} and level {record.level}; it holds {until}.\n")
    for line in more:
        terminal.note(line)
    return terminal.EXIT_OK
