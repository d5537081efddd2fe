"""All takes that were ever made and not deleted: append-only, searchable, with a bin. One library per data folder."""

from __future__ import annotations

import functools
import json
import logging
import sqlite3
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from app.core import take_codec
from app.core.audit import AuditLog
from app.core.store import Store, errors
from app.core.take_codec import StoredSound, TakeUnreadableError
from app.core.take_search import matching
from app.core.takes import Take, TakeMarks

log = logging.getLogger(__name__)

PAGE = 100
EARLIER = 2**40  # more than any library has takes: what is subtracted from the numbers of earlier starts

_ROW = (
    "SELECT t.seq, t.take_id, t.press_id, t.row, t.facts, t.key_name, t.sound, m.rating, m.favourite, m.note,"
    " b.seq IS NOT NULL AS binned, (SELECT min(p.seq) FROM takes p WHERE p.press_id = t.press_id) AS press_seq,"
    " (SELECT c.chosen FROM comparison_rows c WHERE c.seq = t.seq ORDER BY c.number DESC LIMIT 1) AS chosen"
    " FROM takes t LEFT JOIN take_bin b ON b.seq = t.seq LEFT JOIN take_marks m ON m.number ="
    " (SELECT max(n.number) FROM take_marks n WHERE n.seq = t.seq)"
)


class TakeError(Exception):
    """Base of what can go wrong with takes; what the store itself says are StoreErrors."""


class UnknownTakeError(TakeError, LookupError):
    """There is no such take (any more)."""


class NoOriginError(TakeError, ValueError):
    """Nobody can tell where this take came from, so it is not taken in."""


class TakeExistsError(TakeError, ValueError):
    """This take is in the library already."""


@dataclass(frozen=True)
class Page:
    """Takes, newest first, without their sound; ``after`` is what the next page begins behind, None at the end."""

    takes: tuple[Take, ...]
    after: int | None


class TakeLibrary:
    """The takes in ``store``. Threads and programs may share it; what a method has returned from lasts.

    Every method that touches the disk raises the StoreErrors of ``Database`` and ``Blobs``. ``audit`` hears of
    takes that are deleted for good. ``without_key`` holds the voices that came with the studio, which have no key.
    """

    def __init__(
        self,
        store: Store,
        audit: AuditLog | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        without_key: Container[str] = (),
    ) -> None:
        self._store = store
        self._without_key = without_key
        self._database = store.database
        self._audit = audit
        self._now = now
        self._deleted: list[Callable[[Sequence[str]], None]] = []

    def on_deleted(self, listener: Callable[[Sequence[str]], None]) -> None:
        """Call ``listener`` with the uids of takes that were deleted for good, on whichever thread did it."""
        self._deleted.append(listener)

    # Adding ----------------------------------------------------------------------------------------------------------

    def add(self, take: Take) -> int:
        """Keep a take that has ended and return its sequence number; the take itself is not changed.

        What was made from a person's voice is encrypted: with the key of the voice, or, for recordings that were
        used as they are, with a key of its own. ``keys.lasting`` tells beforehand whether that can be read after
        the program has ended.

        Raises:
            NoOriginError: it has no press, model or text; or a person's voice that is not saved, and no consent.
            TakeExistsError: it was kept before.
            KeysError: the key of the voice is not at hand.
            ValueError: the take still grows, or has no sound.
        """
        if take.is_growing or not len(take.samples):
            raise ValueError("only a take that has ended and has sound can be kept")
        _check_origin(take)
        facts, data = take_codec.write_facts(take), take_codec.write_sound(take)
        keys = self._store.keys
        saved = bool(take.voice_id) and take.voice_id not in self._without_key
        key_name = None if take.job.voice is None else take.voice_id if saved else take.uid
        key = keys.voice_key(take.voice_id) if saved else None
        if key_name is not None and key is None:
            _ = keys.source  # may ask the keyring, which must not happen while others wait to write
        try:
            with self._database.write() as connection:
                if key_name is not None and key is None:
                    key = keys.new_voice_key(key_name)
                sound = self._store.blobs.put(data, key=key, owner=_owner(take.uid))
                row = (take.uid, take.press, take.row, take.voice_id or None, key_name, facts, sound)
                cursor = connection.execute(
                    "INSERT INTO takes (take_id, press_id, row, voice_id, key_name, facts, sound)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    row,
                )
                seq = cursor.lastrowid
                assert seq is not None
                connection.execute(
                    "INSERT INTO take_search (rowid, text, note) VALUES (?, ?, ?)", (seq, take.job.text, "")
                )
                if take.marks != TakeMarks():
                    self._add_marks(connection, seq, take.marks)
                if take.binned:
                    connection.execute("INSERT INTO take_bin VALUES (?)", (seq,))
        except (sqlite3.IntegrityError, errors.KeyExistsError) as error:
            if self.has(take.uid):
                raise TakeExistsError("This take is in the library already.") from error
            raise
        return seq

    # Looking ---------------------------------------------------------------------------------------------------------

    def page(self, *, query: str = "", after: int | None = None, limit: int = PAGE, binned: bool = False) -> Page:
        """Return at most ``limit`` takes, newest first, of those in the bin or of the others.

        ``query``: words (or parts of words) that all stand in the text or the note; empty for every take.
        ``after``: that of the page before. A take that cannot be read is left out, with a log line.
        """
        where, values = matching(query)
        if after is not None:
            where, values = [*where, "t.seq < ?"], [*values, after]
        where.append("b.seq IS NOT NULL" if binned else "b.seq IS NULL")
        sql = f"{_ROW} WHERE {' AND '.join(where)} ORDER BY t.seq DESC LIMIT ?"
        with self._database.read() as connection:
            rows = connection.execute(sql, [*values, limit]).fetchall()
        takes = [take for row in rows if (take := _take(row)) is not None]
        return Page(tuple(takes), rows[-1]["seq"] if len(rows) == limit else None)

    def all(self, *, binned: bool = False) -> Iterator[Take]:
        """Yield every take, newest first, without its sound."""
        page = self.page(binned=binned)
        yield from page.takes
        while page.after is not None:
            page = self.page(after=page.after, binned=binned)
            yield from page.takes

    def newer(self, seq: int, limit: int = PAGE) -> tuple[Take, ...]:
        """Return the takes with a sequence number above ``seq``, oldest first, those in the bin too."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_ROW} WHERE t.seq > ? ORDER BY t.seq LIMIT ?", (seq, limit)).fetchall()
        return tuple(take for row in rows if (take := _take(row)) is not None)

    def get(self, uid: str) -> Take:
        """Return one take without its sound, also from the bin.

        Raises:
            UnknownTakeError: there is none.
            TakeUnreadableError: its facts are damaged.
        """
        take = _take(self._row(uid))
        if take is None:
            raise TakeUnreadableError("The facts of this take cannot be read.")
        return take

    def has(self, uid: str) -> bool:
        """Whether there is such a take, also in the bin."""
        with self._database.read() as connection:
            return connection.execute("SELECT 1 FROM takes WHERE take_id = ?", (uid,)).fetchone() is not None

    def find(self, beginning: str) -> Take:
        """Return the take whose uid begins so.

        Raises:
            UnknownTakeError: there is none, or there are several.
        """
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT take_id FROM takes WHERE take_id >= ? AND take_id < ? LIMIT 2", (beginning, beginning + "\x7f")
            ).fetchall()
        if not beginning or len(rows) != 1:
            many = "Several takes begin" if rows else "No take begins"
            raise UnknownTakeError(f"{many} with {beginning!r}. List them, and give more of the id.")
        return self.get(rows[0][0])

    def press_of(self, uid: str) -> tuple[Take, ...]:
        """Return the takes that were asked for together with this one, in row order, itself among them."""
        press = self._row(uid)["press_id"]
        with self._database.read() as connection:
            rows = connection.execute(f"{_ROW} WHERE t.press_id = ? ORDER BY t.row", (press,)).fetchall()
        return tuple(take for row in rows if (take := _take(row)) is not None)

    def sound(self, uid: str) -> StoredSound:
        """Read samples, latents, result and voice of a take.

        Raises:
            UnknownTakeError: there is none.
            KeysError: the key of its voice is not at hand.
            TakeUnreadableError: what is stored does not fit together.
        """
        row = self._row(uid)
        key = self._store.keys.voice_key(row["key_name"]) if row["key_name"] else None
        return take_codec.read_sound(self._store.blobs.get(row["sound"], key=key), row["facts"])

    def filled(self, uid: str) -> Take:
        """Return one take with its sound. Raises as ``get`` and ``sound``."""
        take, sound = self.get(uid), self.sound(uid)
        take.fill(sound.samples, sound.latents, sound.result, sound.voice)
        return take

    def lacking(self, uids: Iterable[str]) -> frozenset[str]:
        """Return those of the ids that no take has, not even in the bin."""
        wanted = frozenset(uids)
        with self._database.read() as connection:
            held = connection.execute(
                "SELECT take_id FROM takes WHERE take_id IN (SELECT value FROM json_each(?))", (json.dumps([*wanted]),)
            )
            return wanted - {row[0] for row in held}

    def sample_of(self, voice_id: str) -> str:
        """Return the uid of the take to show a voice by: a favourite, the best rated, or the newest; empty for none.

        Takes in the bin do not count.
        """
        with self._database.read() as connection:
            row = connection.execute(
                f"{_ROW} WHERE t.voice_id = ? AND b.seq IS NULL "
                "ORDER BY coalesce(m.favourite, 0) DESC, coalesce(m.rating, 0) DESC, t.seq DESC LIMIT 1",
                (voice_id,),
            ).fetchone()
        return "" if row is None else str(row["take_id"])

    def count(self, *, binned: bool = False) -> int:
        """Return how many takes there are in the bin, or outside it."""
        with self._database.read() as connection:
            in_bin = int(connection.execute("SELECT count(*) FROM take_bin").fetchone()[0])
            return in_bin if binned else int(connection.execute("SELECT count(*) FROM takes").fetchone()[0]) - in_bin

    # Marks -----------------------------------------------------------------------------------------------------------

    def mark(
        self, uid: str, *, rating: int | None = None, favourite: bool | None = None, note: str | None = None
    ) -> TakeMarks:
        """Add a version of what a person thinks of a take; what is None stays as it was. Returns what holds now.

        Raises:
            UnknownTakeError: there is no such take.
            ValueError: a rating that is not 0..5.
        """
        if rating is not None and not 0 <= rating <= 5:
            raise ValueError(f"a rating is 1 to 5, or 0 for none, not {rating}")
        with self._database.write() as connection:
            row = self._row(uid)
            marks = _marks(row)
            new = TakeMarks(
                marks.rating if rating is None else rating,
                marks.favourite if favourite is None else favourite,
                marks.note if note is None else note,
            )
            if new != marks:
                self._add_marks(connection, row["seq"], new)
        return new

    def marks(self, uid: str) -> tuple[TakeMarks, ...]:
        """Return all versions of the marks of a take, oldest first."""
        seq = self._row(uid)["seq"]
        with self._database.read() as connection:
            rows = connection.execute("SELECT * FROM take_marks WHERE seq = ? ORDER BY number", (seq,)).fetchall()
        return tuple(_marks(row) for row in rows)

    # Bin and deletion ------------------------------------------------------------------------------------------------

    def move_to_bin(self, uids: Iterable[str]) -> None:
        """Put takes into the bin; those that are there, or are gone, do not matter."""
        with self._database.write() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO take_bin SELECT seq FROM takes WHERE take_id = ?", [(uid,) for uid in uids]
            )

    def restore(self, uids: Iterable[str]) -> None:
        """Take takes out of the bin; those that are not there do not matter."""
        with self._database.write() as connection:
            connection.executemany(
                "DELETE FROM take_bin WHERE seq = (SELECT seq FROM takes WHERE take_id = ?)", [(uid,) for uid in uids]
            )

    def empty_bin(self) -> int:
        """Delete what is in the bin for good and return how many takes that were."""
        return self._delete("seq IN (SELECT seq FROM take_bin)", ())

    def delete_takes_of(self, voice_id: str) -> int:
        """Delete every take of a voice for good, those in the bin too. Joins a ``database.write`` that is open.

        Whoever deletes the voice destroys its key as well.
        """
        return self._delete("voice_id = ?", (voice_id,))

    def delete_all(self) -> int:
        """Delete every take for good and return how many that were."""
        return self._delete("1", ())

    # Inside ----------------------------------------------------------------------------------------------------------

    def _row(self, uid: str) -> sqlite3.Row:
        with self._database.read() as connection:
            row: sqlite3.Row | None = connection.execute(f"{_ROW} WHERE t.take_id = ?", (uid,)).fetchone()
        if row is None:
            raise UnknownTakeError("There is no such take (any more). It may have been deleted by another window.")
        return row

    def _add_marks(self, connection: sqlite3.Connection, seq: int, marks: TakeMarks) -> None:
        connection.execute(
            "INSERT INTO take_marks (seq, made_at, rating, favourite, note) VALUES (?, ?, ?, ?, ?)",
            (seq, self._now().isoformat(), marks.rating, marks.favourite, marks.note),
        )
        connection.execute("UPDATE take_search SET note = ? WHERE rowid = ?", (marks.note, seq))

    def _delete(self, where: str, values: Sequence[object]) -> int:
        with self._database.write() as connection:
            rows = connection.execute(
                f"SELECT seq, take_id, voice_id, key_name FROM takes WHERE {where}", values
            ).fetchall()
            if not rows:
                return 0
            for seq, uid, voice_id, key_name in rows:
                connection.execute("DELETE FROM take_search WHERE rowid = ?", (seq,))
                connection.execute("DELETE FROM takes WHERE seq = ?", (seq,))
                connection.execute("INSERT OR IGNORE INTO deleted_takes VALUES (?)", (uid,))
                self._store.blobs.release(_owner(uid))
                if key_name == uid:
                    self._store.keys.destroy_voice_key(key_name)
                if self._audit is not None:
                    self._audit.append("take_deleted", {"take": uid} | ({"voice": voice_id} if voice_id else {}))
            # The index keeps what was deleted until its parts are merged.
            connection.execute("INSERT INTO take_search (take_search) VALUES ('optimize')")
            connection.execute("INSERT OR REPLACE INTO store_facts VALUES ('backups_behind', '1')")
            self._database.after_commit(self._store.backups.catch_up)
            uids = [uid for _, uid, _, _ in rows]
            for listener in self._deleted:
                self._database.after_commit(functools.partial(listener, uids))
        log.info("%d takes were deleted for good", len(rows))
        return len(rows)


def _take(row: sqlite3.Row) -> Take | None:
    try:
        take = take_codec.read_facts(row["facts"])
    except TakeUnreadableError as error:
        log.warning("The take %s is left out: %s", row["take_id"], error)
        return None
    take.uid, take.press, take.row = row["take_id"], row["press_id"], row["row"]
    take.number = row["press_seq"] - EARLIER
    take.job = replace(take.job, job_id=take.number)
    take.marks, take.binned, take.kept = _marks(row), bool(row["binned"]), True
    take.chosen = bool(row["chosen"])
    return take


def _marks(row: sqlite3.Row) -> TakeMarks:
    return TakeMarks(row["rating"] or 0, bool(row["favourite"]), row["note"] or "")


def _owner(uid: str) -> str:
    return f"take:{uid}"


def _check_origin(take: Take) -> None:
    voice = take.job.voice
    if voice is not None and not voice.voice_id and (voice.consent is None or not voice.consent.record_id):
        raise NoOriginError("This take was made from a person's voice and names no consent. It is not taken in.")
    if not take.uid or not take.press or not take.model.name or not take.job.text.strip():
        raise NoOriginError("This take does not say what it was made of (text, model, press). It is not taken in.")


__all__ = [
    "EARLIER", "PAGE", "NoOriginError", "Page", "StoredSound", "TakeError", "TakeExistsError", "TakeLibrary",
    "TakeUnreadableError", "UnknownTakeError",
]  # fmt: skip
