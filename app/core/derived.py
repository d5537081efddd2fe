"""Everything that was derived from a saved voice, as far as is known: what goes with it, and what is outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.core.exports import Export, exports_of
from app.core.voice_rows import copies_of
from app.core.voice_uses import VoiceUse, uses_of

if TYPE_CHECKING:
    from app.core.store import Store


@dataclass(frozen=True)
class Derived:
    """What belongs to a voice. Deleting the voice deletes the first part; ``exports`` and ``uses`` are out of reach.

    ``files`` are part and SHA-256; ``takes`` ids, of which ``binned`` lie in the bin; ``compared`` comparisons of them.
    ``adapter`` is the SHA-256 of the LoRA that the voice is used with. ``copies`` are the ids of other voices that
    stand on the same consent: they go with it when it is taken down.
    """

    voice_id: str
    files: tuple[tuple[str, str], ...] = ()
    records: int = 0
    latents: int = 0
    takes: tuple[str, ...] = ()
    binned: int = 0
    compared: int = 0
    exports: tuple[Export, ...] = ()
    uses: tuple[VoiceUse, ...] = ()
    adapter: str = ""
    copies: tuple[str, ...] = ()

    def used_as(self, kind: str) -> tuple[VoiceUse, ...]:
        """The uses of one kind."""
        return tuple(use for use in self.uses if use.kind == kind)

    def plain(self, *, places: bool = False) -> dict[str, Any]:
        """As JSON: ids, hashes and numbers; the paths of projects and training only with ``places``."""
        return {
            "voice_id": self.voice_id,
            "files": [{"part": part, "sha256": digest} for part, digest in self.files],
            "records": self.records,
            "latents": self.latents,
            "takes": list(self.takes),
            "takes_in_bin": self.binned,
            "comparisons": self.compared,
            "exports": [export.plain() for export in self.exports],
            "outside": [
                {"kind": use.kind, "id": use.what}
                | ({"place": str(use.place), "is_there": use.is_there} if places and use.place is not None else {})
                for use in self.uses
            ],
            "adapter_sha256": self.adapter or None,
            "copies": list(self.copies),
        }


def derived_of(store: Store, voice_id: str, adapter: str = "") -> Derived:
    """List what was derived from a voice. ``adapter``: the hash on its card. Raises StoreError."""
    with store.database.read() as connection:
        files = connection.execute(
            "SELECT part, sha256 FROM voice_files WHERE voice_id = ? ORDER BY part, sha256", (voice_id,)
        ).fetchall()
        numbers = connection.execute(
            "SELECT (SELECT count(*) FROM consent_versions WHERE voice_id = :id),"
            " (SELECT count(*) FROM voice_latents WHERE voice_id = :id),"
            " (SELECT count(*) FROM take_bin b JOIN takes t USING (seq) WHERE t.voice_id = :id),"
            " (SELECT count(DISTINCT r.number) FROM comparison_rows r JOIN takes t USING (seq) WHERE t.voice_id = :id)",
            {"id": voice_id},
        ).fetchone()
        takes = connection.execute("SELECT take_id FROM takes WHERE voice_id = ? ORDER BY seq", (voice_id,)).fetchall()
        return Derived(
            voice_id,
            tuple((part, digest) for part, digest in files),
            numbers[0],
            numbers[1],
            tuple(row[0] for row in takes),
            numbers[2],
            numbers[3],
            exports_of(connection, voice_id),
            uses_of(store, connection, voice_id),
            adapter,
            copies_of(connection, voice_id),
        )
