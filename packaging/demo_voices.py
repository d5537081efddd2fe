"""Make the voices that ship with the studio: ``PYTHONPATH=. python packaging/demo_voices.py``. Needs flite.

Three references are spoken by flite's voices rms, slt and awb, built from recordings of real people that Carnegie
Mellon University published under a permissive licence. Each gets a consent record (subject_kind licensed) with that
licence as evidence, signed by a key that is made here and thrown away: only its public half is written down.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import uuid
from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.core.consent.history import append_version
from app.core.consent.making import for_licensed, make_scope
from app.core.consent.record import Evidence, key_id_of
from app.core.shipped_voices import FORMAT, SIGNER
from app.core.sound_files import KeptSound, read_sound

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "resources" / "voices"
LICENCE = "LICENSE.txt"
MADE = datetime(2026, 11, 30, tzinfo=UTC)
VOICES = {
    "rms": ("Demo: Rms, US English, low", ("demo", "English", "low")),
    "slt": ("Demo: Slt, US English, high", ("demo", "English", "high")),
    "awb": ("Demo: Awb, Scottish English, low", ("demo", "English", "low")),
}
TEXT = "The north wind and the sun were arguing which of them was the stronger."


def main() -> int:
    """Write the folder anew."""
    licence = FOLDER / LICENCE
    text = licence.read_bytes()
    for old in [*FOLDER.glob("*.json"), *FOLDER.glob("*.flac")]:
        old.unlink()
    key = Ed25519PrivateKey.generate()
    key_id = key_id_of(key.public_key())
    signer = {"key_id": key_id, "public_key": key.public_key().public_bytes_raw().hex()}
    (FOLDER / SIGNER).write_text(json.dumps(signer, indent=1) + "\n", encoding="utf-8")
    evidence = [Evidence("licence", hashlib.sha256(text).hexdigest())]
    scope = make_scope(commercial=True, redistribution=True, training=True)
    for name, (title, tags) in VOICES.items():
        sound = _spoken(name)
        (FOLDER / f"{name}.flac").write_bytes(sound.to_flac())
        voice_id = str(uuid.uuid4())
        draft = for_licensed(
            voice_id,
            [sound.reference("shipped", MADE)],
            name=f"the speaker known as {name} (CMU ARCTIC and Festvox), as spoken by flite's voice {name}",
            operator="anyone who has this studio",
            licence="Copyright Carnegie Mellon University; permissive, see LICENSE.txt beside the recording",
            evidence=evidence,
            scope=scope,
            months=None,
            now=MADE,
        )
        (record,) = append_version((), draft, key=key, key_id=key_id)
        shipped = {
            "format": FORMAT,
            "voice_id": voice_id,
            "card": {"name": title, "tags": list(tags), "kind": record.subject_kind, "licence": text.decode()},
            "versions": [{"record": record.to_json().decode(), "private": record.private()}],
            "sounds": {"reference": f"{name}.flac"},
        }
        path = FOLDER / f"{name}.json"
        path.write_text(json.dumps(shipped, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    total = sum(path.stat().st_size for path in FOLDER.iterdir())
    sys.stdout.write(f"{len(VOICES)} voices, {total / 1000:.0f} kB\n")
    return 0 if total < 300_000 else 1


def _spoken(name: str) -> KeptSound:
    if shutil.which("flite") is None:
        raise SystemExit("The program flite is needed (Debian package flite).")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.wav"
        subprocess.run(["flite", "-voice", name, "-t", TEXT, "-o", str(path)], check=True)
        return read_sound(path)


if __name__ == "__main__":
    sys.exit(main())
