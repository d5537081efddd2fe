"""Voices get keys, takes get files, both are deleted, the passphrase changes: the base of everything that is saved."""

from __future__ import annotations

import contextlib
import random
import uuid
from pathlib import Path
from typing import Any

from app.core.store import Store, errors
from app.core.store.master import ScryptCost
from tests.kill.scenario import Journal, Say, Step

_FIRST = "the first passphrase"


def opened(folder: Path, passphrase: str) -> Store:
    """Open the store of a scenario, without the keyring of this computer and with a cheap passphrase."""
    return Store.open(folder / "data", passphrase=passphrase, find_keyring=lambda: None, cost=ScryptCost(n=1 << 4))


def content(seed: int) -> bytes:
    """Return the content of a file by its seed: now and then several pieces long."""
    rng = random.Random(seed)
    return rng.randbytes(rng.choice([0, 10, 5_000, 300_000, 2_500_000]))


class FilesAndKeysScenario:
    """``voices``: id -> takes; ``takes``: id -> (seed, blob id). Both ids are never used twice."""

    name = "files-and-keys"

    def __init__(self) -> None:
        self.voices: dict[str, set[str]] = {}
        self.gone: set[str] = set()
        self.takes: dict[str, tuple[int, str]] = {}
        self.passphrase = _FIRST
        self.key_id = ""

    def prepare(self, folder: Path) -> None:
        """Leave the passphrase where the child finds it."""
        (folder / "passphrase").write_text(self.passphrase)

    def act(self, folder: Path, rng: random.Random, say: Say) -> None:
        """Save and delete without end."""
        passphrase = (folder / "passphrase").read_text()
        with opened(folder, passphrase) as store:
            say.begin({"do": "sign"})
            say.done({"do": "sign", "key_id": store.keys.key_id})
            with store.database.read() as connection:
                living = {row[0][6:] for row in connection.execute("SELECT name FROM keys WHERE name GLOB 'voice/*'")}
                owners = {row[0] for row in connection.execute("SELECT owner FROM blob_uses")}
            while True:
                step = self._draw(rng, sorted(living), sorted(owners))
                say.begin(step)
                match step["do"]:
                    case "voice":
                        store.keys.new_voice_key(step["voice"])
                        living.add(step["voice"])
                    case "take":
                        step["blob"] = store.blobs.put(
                            content(step["seed"]), key=store.keys.voice_key(step["voice"]), owner=step["take"]
                        )
                        owners.add(step["take"])
                    case "drop":
                        store.blobs.release(step["take"])
                        owners.discard(step["take"])
                    case "delete":
                        mine = {owner for owner in owners if owner.startswith(step["voice"])}
                        with store.database.write():
                            for owner in sorted(mine):
                                store.blobs.release(owner)
                            store.keys.destroy_voice_key(step["voice"])
                        living.discard(step["voice"])
                        owners -= mine
                    case "passphrase":
                        store.keys.set_passphrase(step["new"], passphrase)
                        passphrase = step["new"]
                    case "backup":
                        store.backups.run()
                    case "sweep":
                        store.blobs.sweep(grace_seconds=0)
                say.done(step)

    def check(self, folder: Path, journal: Journal) -> list[str]:
        """Everything acknowledged is there; the step that was begun happened wholly or not at all."""
        for step in journal.done:
            self._happened(step)
        if journal.begun is not None:
            self._settle(folder, journal.begun)
        try:
            with opened(folder, self.passphrase) as store:
                return list(self._problems(store))
        except errors.StoreError as error:
            return [f"{type(error).__name__}: {error}"]

    @staticmethod
    def _draw(rng: random.Random, living: list[str], owners: list[str]) -> Step:
        kinds = ["voice", "passphrase", "backup", "sweep", *["take"] * 8, *["drop"] * 2, "delete"]
        do = rng.choice(kinds)
        if do == "voice" or (do in ("take", "delete") and not living) or (do == "drop" and not owners):
            return {"do": "voice", "voice": str(uuid.UUID(int=rng.getrandbits(128)))}
        if do == "take":
            voice, seed = rng.choice(living), rng.randrange(1 << 40)
            return {"do": do, "voice": voice, "take": f"{voice}/{seed}", "seed": seed}
        if do == "drop":
            return {"do": do, "take": rng.choice(owners)}
        if do == "delete":
            return {"do": do, "voice": rng.choice(living)}
        if do == "passphrase":
            return {"do": do, "new": f"a new passphrase {rng.randrange(1 << 40)}"}
        return {"do": do}

    def _happened(self, step: Step) -> None:
        match step["do"]:
            case "sign":
                self.key_id = self.key_id or step["key_id"]
                if step["key_id"] != self.key_id:
                    raise AssertionError("the signing key is another one")
            case "voice":
                self.voices[step["voice"]] = set()
            case "take":
                self.voices[step["voice"]].add(step["take"])
                self.takes[step["take"]] = (step["seed"], step["blob"])
            case "drop":
                self.voices[step["take"].split("/")[0]].discard(step["take"])
                del self.takes[step["take"]]
            case "delete":
                for take in self.voices.pop(step["voice"]):
                    del self.takes[take]
                self.gone.add(step["voice"])
            case "passphrase":
                self.passphrase = step["new"]

    def _settle(self, folder: Path, step: Step) -> None:
        """Find out whether the step that was begun had happened."""
        if step["do"] == "passphrase":
            with opened(folder, step["new"]) as store:
                if store.keys.lasting:
                    self._happened(step)
            return
        with opened(folder, self.passphrase) as store:
            happened: Any = False
            match step["do"]:
                case "sign":
                    self.key_id = self.key_id or store.keys.key_id
                case "voice":
                    happened = store.keys.has_voice_key(step["voice"])
                case "take":
                    step["blob"] = next(iter(store.blobs.used_by(step["take"])), None)
                    happened = step["blob"]
                case "drop":
                    happened = not store.blobs.used_by(step["take"])
                case "delete":
                    happened = not store.keys.has_voice_key(step["voice"])
            if happened:
                self._happened(step)

    def _problems(self, store: Store) -> list[str]:
        found = store.database.integrity() + [f"the file {each} is missing" for each in store.blobs.lost()]
        if self.key_id and store.keys.key_id != self.key_id:
            found.append("the signing key is another one")
        for voice in self.gone:
            if store.keys.has_voice_key(voice):
                found.append(f"the key of the deleted voice {voice} is back")
        for voice, takes in self.voices.items():
            try:
                key = store.keys.voice_key(voice)
                for take in takes:
                    seed, blob_id = self.takes[take]
                    if store.blobs.used_by(take) != [blob_id] or store.blobs.get(blob_id, key=key) != content(seed):
                        found.append(f"the take {take} is not what was saved")
            except errors.StoreError as error:
                found.append(f"{voice}: {type(error).__name__}: {error}")
        store.blobs.sweep(grace_seconds=0)
        kept = {path.name for path in (store.folder / "blobs").rglob("*") if path.is_file()}
        if kept != {blob_id for _, blob_id in self.takes.values()}:
            found.append("after sweeping, the files are not those of the takes")
        if len(list((store.folder / "temp").iterdir())) != 2:  # the gate, and the folder of this program
            found.append("the temporary folder of the killed program is still there")
        store.wait_for_maintenance()  # which changes the backups at the start, under a journal of its own
        with contextlib.suppress(FileNotFoundError):
            found += [f"half a backup: {path.name}" for path in (store.folder / "backups").glob("*-journal")]
        return found
