"""Copies of saved voices: another name, key and recordings, and the same consent.

A copy is no new consent. It keeps the versions of the record as they are, signed for the voice that they were given
for, and what happens to the consent of one happens to all that stand on it: a withdrawal freezes them, a complaint
freezes them, and deleting one of them to take it down deletes them. Only tidying up, deleting a voice that nobody
complained about, is of one alone.
"""

from __future__ import annotations

import dataclasses
import uuid

from app.core.door import Door
from app.core.voice_card import SavedVoice, VoiceError, VoiceState
from app.core.voice_rows import StoredVersion, insert_version, insert_voice, until
from app.core.voices import facts_of


def copy_voice(door: Door, voice_id: str, name: str) -> SavedVoice:
    """Save a copy of a voice as ``name``.

    Raises:
        ConsentRefused: the voice may not be used now.
        VoiceError: it came with the studio, its recordings are gone, the name is none, or the voice just changed.
        KeysError, StoreError: nothing was saved.
    """
    voices = door.voices
    if voice_id in voices.shipped:
        raise VoiceError("This voice came with the studio and is there for everybody. Use it as it is.")
    consent = door.admit(voice_id)
    source, versions = voices.get(voice_id), voices.versions(voice_id)
    if source.card is None or not versions[-1].is_open:
        raise VoiceError("The texts of this voice cannot be read here, so there is nothing to copy. Unlock the voices.")
    if versions[-1].references and not source.parts:
        raise VoiceError("The recordings of this voice are gone: their time was over. There is nothing to copy.")
    card, record = dataclasses.replace(source.card, name=name).checked(), versions[-1]
    copy_id, keys = str(uuid.uuid4()), voices.store.keys
    files = voices.files(voice_id)
    with voices.store.database.write() as connection:
        now = connection.execute("SELECT state, head FROM voices WHERE voice_id = ?", (voice_id,)).fetchone()
        if (now["state"], now["head"]) != (VoiceState.ACTIVE, record.record_hash):
            raise VoiceError("The voice was changed while it was copied. Look at it, and copy it anew.")
        key = keys.new_voice_key(copy_id)
        insert_voice(
            connection,
            copy_id,
            VoiceState.ACTIVE,
            source.mode,
            card.sealed(key, copy_id),
            until(record),
            head=record.record_hash,
            level=record.level,
            consent_of=source.stands_on,
        )
        for file in files:
            voices.put_file(connection, copy_id, file.part, file.sha256, file.data, key, file.until)
        for version in versions:
            insert_version(connection, StoredVersion.of(version, key, copy_id))
        connection.execute(
            "INSERT INTO foreign_signers SELECT ?, key_id, public FROM foreign_signers WHERE voice_id = ?",
            (copy_id, voice_id),
        )
        voices.audit.append("voice_copied", facts_of(record) | {"voice": copy_id, "copy_of": voice_id})
        assert consent.record_id == record.record_id
    voices.keep_as_long(copy_id, voice_id)
    return voices.get(copy_id)
