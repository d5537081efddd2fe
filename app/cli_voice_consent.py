"""``voxcpm voices add``, ``request`` and ``answer``: where consent is given and taken in."""

from __future__ import annotations

import argparse
import getpass
import sys
from datetime import UTC, datetime

from app.cli_voice_renewal import listeners_of
from app.cli_voice_spec import OWN
from app.core.consent.bundle import (
    Answer,
    RecordedFile,
    make_request,
    read_request,
    write_answer,
)
from app.core.consent.making import make_scope
from app.core.consent.record import OTHER, SELF, Scope
from app.core.library import Library
from app.core.store import errors
from app.core.voice_card import SavedVoice, VoiceCard
from app.core.voice_making import Word, save_answer, save_files
from voxcpm import terminal
from voxcpm.errors import RequestError

_SOUNDS = {".wav", ".flac", ".ogg", ".opus", ".mp3"}


def add_voice(options: argparse.Namespace, library: Library) -> int:
    """Save a voice from files, or from the answer to a request."""
    from app.engine.loras import hash_of_lora

    lora = str(options.lora.resolve()) if options.lora else ""
    digest = hash_of_lora(options.lora) if options.lora else ""
    if options.lora and not digest:
        raise RequestError("lora", f"{options.lora} holds no file.")
    card = VoiceCard(
        options.name,
        tuple(options.tag),
        transcript=options.transcript,
        style=options.style,
        lora=lora,
        lora_sha256=digest,
    ).checked()
    files = {part: path for part in ("reference", "prompt") if (path := getattr(options, part)) is not None}
    if options.answer is not None:
        if files or options.consent:
            raise RequestError("answer", "an answer brings recordings and consent along; leave the others out.")
        make_lasting(library)
        saved = save_answer(library.voices, card, options.answer, listeners_of(options) if options.recogniser else None)
    else:
        if not files:
            raise RequestError("reference", "give a recording: --reference FILE, or --prompt FILE with --transcript.")
        word = _word(options)
        make_lasting(library)
        saved = save_files(library.voices, card, word, files)
    _report(options, library, saved)
    return terminal.EXIT_OK


def write_request(options: argparse.Namespace, library: Library) -> int:
    """Write a request for consent."""
    if options.out.exists():
        raise RequestError("out", f"{options.out} exists and is not overwritten.")
    make_lasting(library)
    keys = library.store.keys
    request = make_request(
        operator=options.operator,
        scope=scope_of(options),
        key=keys.signing_key(),
        key_id=keys.key_id,
        lang=options.lang,
        use=options.use,
        for_guardian=options.guardian,
        months=options.months,
        references_wanted=options.references,
        note=options.note,
    )
    options.out.write_bytes(request.to_json())
    sys.stdout.write(f"{options.out}\n")
    terminal.note(f"Send it to the person; the answer is due by {request.answer_by:%Y-%m-%d}.")
    return terminal.EXIT_OK


def answer_request(options: argparse.Namespace, library: Library) -> int:
    """Show a request, or make the answer to it."""
    request = read_request(options.request.read_bytes())
    if options.out is None:
        sys.stdout.write(f"{request.operator} asks to use your voice, for {request.months} months.\n")
        if request.note:
            sys.stdout.write(f"They write: {request.note}\n")
        sys.stdout.write(f"Speak this and record it:\n\n  {request.text}\n\n")
        sys.stdout.write(f"Recordings of your voice that are wanted besides: {request.references_wanted}.\n")
        return terminal.EXIT_OK
    if options.statement is None:
        raise RequestError("statement", "record the statement and give the file: --statement FILE.")
    recordings, described = {}, []
    for number, path in enumerate([options.statement, *options.reference]):
        suffix = path.suffix.lower()
        if suffix not in _SOUNDS:
            raise RequestError("reference", f"{path}: give WAV, FLAC, Ogg, Opus or MP3.")
        name = f"audio/{'statement' if number == 0 else f'reference-{number}'}{suffix}"
        recordings[name] = path
        moment = datetime.fromtimestamp(path.stat().st_mtime, UTC).replace(microsecond=0)
        described.append(RecordedFile(name, "file", moment))
    answer = Answer(
        request_id=request.request_id,
        name=options.name,
        contact=options.contact,
        adult=not options.minor,
        representative=(options.representative, options.authority) if options.representative else (),
        statement=described[0],
        references=tuple(described[1:]),
    )
    digest = write_answer(options.out, request, answer, dict(recordings))
    sys.stdout.write(f"{options.out}\n")
    terminal.note(f"Send it back. SHA-256 {digest}")
    return terminal.EXIT_OK


def make_lasting(library: Library) -> None:
    """See that what is saved can be read after this program: with a passphrase where there is no keyring.

    Raises:
        KeysLockedError: nobody is there to choose or enter one.
    """
    keys = library.store.keys
    if keys.lasting:
        return
    if not (sys.stdin is not None and sys.stdin.isatty()):
        raise errors.KeysLockedError(f"{keys.notice} Give a passphrase in VOXCPM_PASSPHRASE.")
    terminal.note(keys.notice)
    if keys.wants_passphrase:
        keys.unlock(getpass.getpass("Passphrase: "))
        return
    chosen = getpass.getpass("New passphrase: ")
    if getpass.getpass("Once more: ") != chosen:
        raise RequestError("passphrase", "the two are not the same.")
    keys.set_passphrase(chosen)


def _word(options: argparse.Namespace) -> Word:
    who = (options.consent or "").strip()
    if not who:
        raise RequestError(
            "consent", "every voice has a consent record: add --consent me for your own voice, or --consent NAME."
        )
    own = who.lower() in OWN
    allowed = any((options.commercial, options.training, options.sharing, options.sensitive))
    if options.minor and not options.representative:
        raise RequestError("minor", "a minor needs somebody who speaks for them: add --representative NAME.")
    return Word(
        SELF if own else OTHER,
        name="" if own else who,
        contact=options.contact,
        operator=options.operator,
        adult=not options.minor,
        representative=(options.representative, options.authority) if options.representative else None,
        lang=options.lang,
        scope=scope_of(options) if allowed or not own else None,
        months=options.months,
        documents=tuple(options.document),
        keep_recordings=options.keep_recordings,
        keep_statement=options.keep_statement,
    )


def scope_of(options: argparse.Namespace) -> Scope:
    """What the options of a consent allow."""
    return make_scope(
        commercial=options.commercial,
        training=options.training,
        redistribution=options.sharing,
        sensitive_text=options.sensitive,
    )


def _report(options: argparse.Namespace, library: Library, saved: SavedVoice) -> None:
    record = library.voices.record(saved.voice_id)
    assert record is not None
    if options.json:
        known = {"id": saved.voice_id, "name": saved.name, "record_id": record.record_id, "level": record.level}
        terminal.write_json(known)
    else:
        sys.stdout.write(f"{saved.voice_id}\n")
        terminal.note(f"Saved as {saved.name}, with a consent record of level {record.level}.")
