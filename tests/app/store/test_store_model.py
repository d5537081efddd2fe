"""Random use of database, stored files and keys, compared after every step with a model in plain dictionaries."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from app.core.store import Store, errors
from app.core.store.master import ScryptCost
from tests.app.store.keyring_stand_in import FileKeyring

VOICES, OWNERS = st.sampled_from(["ann", "bo", "cy"]), st.sampled_from(["take:1", "take:2", "voice:x"])
DATA = st.sampled_from([b"", b"a", b"sound" * 1000, b"latents" * 300])


class StoreMachine(RuleBasedStateMachine):
    """``keys``: living voices; ``gone``: destroyed ones; ``contents``: id -> (data, voice); ``uses``: (owner, id)."""

    def __init__(self) -> None:
        super().__init__()
        memory = Path("/dev/shm")  # what lasts is the business of tests.kill
        self.folder = Path(tempfile.mkdtemp(prefix="voxcpm-store-", dir=memory if memory.is_dir() else None))
        self.keys: dict[str, bytes] = {}
        self.gone: set[str] = set()
        self.contents: dict[str, tuple[bytes, str | None]] = {}
        self.uses: set[tuple[str, str]] = set()
        self.secrets: dict[str, bytes] = {}
        self.passphrase: str | None = None
        self.names = itertools.count()
        self.backed_up: tuple | None = None

    @initialize(with_keyring=st.booleans())
    def begin(self, with_keyring: bool) -> None:
        self.keyring = FileKeyring(self.folder / "keyring.json") if with_keyring else None
        if not with_keyring:
            self.passphrase = "the first passphrase"
        self.open()

    def open(self) -> None:
        self.store = Store.open(
            self.folder / "data",
            passphrase=self.passphrase,
            find_keyring=lambda: self.keyring,
            cost=ScryptCost(n=1 << 4),
        )

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
        shutil.rmtree(self.folder)

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.open()

    @rule(voice=VOICES)
    def new_key(self, voice: str) -> None:
        if voice in self.keys or voice in self.gone:
            with pytest.raises((errors.KeyExistsError, errors.KeyDestroyedError)):
                self.store.keys.new_voice_key(voice)
        else:
            self.keys[voice] = self.store.keys.new_voice_key(voice)

    @rule(voice=VOICES)
    def delete_voice(self, voice: str) -> None:
        if voice not in self.keys:
            return
        mine = {blob_id for blob_id, (_, whose) in self.contents.items() if whose == voice}
        with self.store.database.write():
            for owner, blob_id in sorted(self.uses):
                if blob_id in mine:
                    self.store.blobs.release(owner, blob_id)
            self.store.keys.destroy_voice_key(voice)
        del self.keys[voice]
        self.gone.add(voice)
        self._drop({(owner, blob_id) for owner, blob_id in self.uses if blob_id in mine})

    @rule(data=DATA, owner=OWNERS, voice=st.none() | VOICES, undone=st.booleans())
    def put(self, data: bytes, owner: str, voice: str | None, undone: bool) -> None:
        key = None if voice is None else self.keys.get(voice)
        if voice is not None and key is None:
            return
        with contextlib.suppress(KeyError), self.store.database.write():
            blob_id = self.store.blobs.put(data, key=key, owner=owner)
            if undone:
                raise KeyError
            self.contents[blob_id] = (data, voice)
            self.uses.add((owner, blob_id))

    @rule(owner=OWNERS, undone=st.booleans())
    def release(self, owner: str, undone: bool) -> None:
        with contextlib.suppress(KeyError), self.store.database.write():
            self.store.blobs.release(owner)
            if undone:
                raise KeyError
        if not undone:
            self._drop({use for use in self.uses if use[0] == owner})

    @rule(pick=st.integers(0, 100), owner=OWNERS)
    @precondition(lambda self: self.contents)
    def use_again(self, pick: int, owner: str) -> None:
        blob_id = sorted(self.contents)[pick % len(self.contents)]
        self.store.blobs.use(blob_id, owner)
        self.uses.add((owner, blob_id))

    @rule(grace=st.sampled_from([0.0, 3600.0]))
    def sweep(self, grace: float) -> None:
        self.store.blobs.sweep(grace_seconds=grace)

    @rule(name=st.sampled_from(["c2pa", "other"]))
    def secret(self, name: str) -> None:
        made = f"{name} {next(self.names)}".encode()
        self.secrets.setdefault(name, made)
        assert self.store.keys.secret(name, lambda: made) == self.secrets[name]

    @rule()
    def change_passphrase(self) -> None:
        new = f"a longer passphrase {next(self.names)}"
        self.store.keys.set_passphrase(new, self.passphrase)
        self.passphrase = new

    @rule()
    def back_up(self) -> None:
        self.store.backups.run()
        self.backed_up = (set(self.keys), dict(self.secrets))

    @rule()
    @precondition(lambda self: self.backed_up)
    def look_into_the_backup(self) -> None:
        """Restored elsewhere, the newest backup opens with the present passphrase and knows no key that is gone."""
        elsewhere = self.folder / "elsewhere"
        shutil.copytree(self.folder / "data" / "backups", elsewhere / "backups")
        Store.restore(elsewhere)
        keys, secrets = self.backed_up
        with Store.open(
            elsewhere, passphrase=self.passphrase, find_keyring=lambda: self.keyring, cost=ScryptCost(n=1 << 4)
        ) as store:
            assert {voice for voice in ("ann", "bo", "cy") if store.keys.has_voice_key(voice)} == keys - self.gone
            for voice in keys - self.gone:
                assert store.keys.voice_key(voice) == self.keys[voice]
            for name, made in secrets.items():
                assert store.keys.secret(name, lambda: b"made anew") == made
        shutil.rmtree(elsewhere)

    @invariant()
    def store_and_model_agree(self) -> None:
        if not hasattr(self, "store"):
            return
        for voice, key in self.keys.items():
            assert self.store.keys.voice_key(voice) == key
        for voice in self.gone:
            with pytest.raises(errors.KeyDestroyedError):
                self.store.keys.voice_key(voice)
        for blob_id, (data, voice) in self.contents.items():
            assert self.store.blobs.get(blob_id, key=None if voice is None else self.keys[voice]) == data
        for owner in ("take:1", "take:2", "voice:x"):
            assert self.store.blobs.used_by(owner) == sorted(blob_id for whose, blob_id in self.uses if whose == owner)
        assert self.store.blobs.lost() == [] and self.store.database.integrity() == []

    def _drop(self, uses: set[tuple[str, str]]) -> None:
        self.uses -= uses
        for blob_id in {blob_id for _, blob_id in uses} - {blob_id for _, blob_id in self.uses}:
            del self.contents[blob_id]
            assert not self.store.blobs.exists(blob_id)


def of_steps(steps: int, length: int) -> settings:
    """``steps`` in runs of ``length``."""
    return settings(
        max_examples=-(-steps // length),
        stateful_step_count=length,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


TestStore = StoreMachine.TestCase
TestStore.settings = of_steps(250, 25)

if __name__ == "__main__":  # python -m tests.app.store.test_store_model STEPS
    run_state_machine_as_test(StoreMachine, settings=of_steps(int(sys.argv[1]), 50))
