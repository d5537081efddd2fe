"""Keys: found again by the keyring or the passphrase, never in a file in the clear, and gone when destroyed."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from app.core.store import Store, errors, keyrings
from app.core.store.keys import Keys
from app.core.store.master import Master, ScryptCost, Source
from tests.app.store.keyring_stand_in import FileKeyring, ForgetfulKeyring

CHEAP = ScryptCost(n=1 << 10)
PASSPHRASE, ANOTHER = "four words make sense", "andere Wörter, länger"


@pytest.fixture
def keyring(tmp_path: Path) -> FileKeyring:
    return FileKeyring(tmp_path / "keyring.json")


def opened(tmp_path: Path, passphrase: str | None = None, keyring: FileKeyring | None = None, **more) -> Store:
    return Store.open(tmp_path / "data", passphrase=passphrase, find_keyring=lambda: keyring, cost=CHEAP, **more)


def test_the_keyring_keeps_the_master_key(tmp_path: Path, keyring: FileKeyring) -> None:
    with opened(tmp_path, keyring=keyring) as store:
        assert (store.keys.source, store.keys.lasting, store.keys.notice) == (Source.KEYRING, True, "")
        key, key_id = store.keys.new_voice_key("v"), store.keys.key_id
    (kept,) = keyring._all().values()
    assert not [p for p in (tmp_path / "data").rglob("*") if p.is_file() and bytes.fromhex(kept) in p.read_bytes()]
    with opened(tmp_path, keyring=keyring) as store:
        assert store.keys.voice_key("v") == key and store.keys.key_id == key_id
    keyring.locked = True
    with opened(tmp_path, keyring=keyring) as store:
        assert store.keys.source is Source.LOCKED and not store.keys.lasting and "Unlock it" in store.keys.notice
        assert not store.keys.wants_passphrase
        for refused in (
            lambda: store.keys.voice_key("v"),
            lambda: store.keys.new_voice_key("w"),
            store.keys.signing_key,
        ):
            with pytest.raises(errors.KeysLockedError):
                refused()
        keyring.locked = False
        store.keys.unlock()
        assert store.keys.voice_key("v") == key
    for absent in (None, FileKeyring(tmp_path / "another.json")):
        with opened(tmp_path, passphrase=PASSPHRASE, keyring=absent) as store:
            assert store.keys.source is Source.LOCKED and "keyring" in store.keys.notice


def test_the_passphrase_opens_the_keys_and_a_wrong_one_is_told(tmp_path: Path) -> None:
    with opened(tmp_path, PASSPHRASE) as store:
        assert (store.keys.source, store.keys.lasting, store.keys.notice) == (Source.PASSPHRASE, True, "")
        key = store.keys.new_voice_key("v")
    with opened(tmp_path, "not the right one") as store:
        assert store.keys.source is Source.LOCKED and store.keys.wants_passphrase
        with pytest.raises(errors.WrongPassphraseError, match="not the passphrase"):
            store.keys.voice_key("v")
        with pytest.raises(errors.WrongPassphraseError):
            store.keys.unlock("nor this one")
        store.keys.unlock(PASSPHRASE)
        assert store.keys.voice_key("v") == key
    with opened(tmp_path) as store:
        with pytest.raises(errors.KeysLockedError, match="Enter it"):
            store.keys.voice_key("v")
        store.keys.destroy_voice_key("v")  # what must go can go without it


def test_a_passphrase_typed_with_other_accents_is_the_same(tmp_path: Path) -> None:
    with opened(tmp_path, "Gru\u0308\u00dfe aus Ko\u0308ln") as store:
        key = store.keys.new_voice_key("v")
    with opened(tmp_path, "Gr\u00fc\u00dfe aus K\u00f6ln") as store:
        assert store.keys.voice_key("v") == key


def test_changing_the_passphrase_keeps_everything_and_shuts_out_the_old_one(tmp_path: Path) -> None:
    with opened(tmp_path, PASSPHRASE) as store:
        key, secret = store.keys.new_voice_key("v"), store.keys.secret("c2pa", lambda: b"made once")
        copy = store.backups.run()
        with pytest.raises(errors.WeakPassphraseError):
            store.keys.set_passphrase("short", PASSPHRASE)
        for old in (None, "wrong wrong"):
            with pytest.raises(errors.WrongPassphraseError):
                store.keys.set_passphrase(ANOTHER, old)
        store.keys.set_passphrase(ANOTHER, PASSPHRASE)
        assert store.keys.voice_key("v") == key
    (tmp_path / "data" / "library.db").write_bytes(copy.read_bytes())  # backups take the new one as well
    with opened(tmp_path, PASSPHRASE) as store:
        assert store.keys.source is Source.LOCKED
        store.keys.unlock(ANOTHER)
        assert store.keys.voice_key("v") == key and store.keys.secret("c2pa", lambda: b"new") == secret


def test_without_keyring_and_passphrase_keys_last_until_the_end_and_that_is_said(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        keys = store.keys
        assert (keys.source, keys.lasting) == (Source.MEMORY, False) and "Choose a passphrase" in keys.notice
        key, key_id = keys.new_voice_key("v"), keys.key_id
        assert keys.voice_key("v") == key and keys.key_id == key_id
    with opened(tmp_path) as store:
        with pytest.raises(errors.KeyLostError, match="Delete it"):
            store.keys.voice_key("v")
        assert store.keys.has_voice_key("v") and store.keys.key_id != key_id
        assert store.keys.public_key(key_id) is not None  # what was signed can still be checked
        key = store.keys.new_voice_key("w")
        store.keys.set_passphrase(PASSPHRASE)
        assert store.keys.lasting and store.keys.notice == ""
    with opened(tmp_path, PASSPHRASE) as store:
        assert store.keys.voice_key("w") == key


def test_a_keyring_that_keeps_nothing_is_not_trusted(tmp_path: Path, keyring: FileKeyring) -> None:
    with opened(tmp_path, keyring=ForgetfulKeyring(tmp_path / "none.json")) as store:
        assert store.keys.source is Source.MEMORY
        with pytest.raises(errors.KeyringError, match="did not keep"):
            store.keys.use_keyring()
    keyring.locked = True
    with opened(tmp_path, keyring=keyring) as store:
        assert store.keys.source is Source.MEMORY


def test_a_keyring_that_asks_where_nobody_can_answer_is_given_up(tmp_path: Path, keyring, monkeypatch) -> None:
    asked = threading.Event()
    monkeypatch.setattr(keyrings, "ANSWER_SECONDS", 0.1)
    monkeypatch.setattr(keyring, "set_password", lambda *_: asked.wait())
    with opened(tmp_path, keyring=keyring) as store:
        assert store.keys.source is Source.MEMORY
    asked.set()


def test_keyring_and_passphrase_can_both_hold_the_key(tmp_path: Path, keyring: FileKeyring) -> None:
    with opened(tmp_path, PASSPHRASE, keyring) as store:
        assert store.keys.source is Source.PASSPHRASE and keyring._all() == {}  # a choice is a choice
        key = store.keys.new_voice_key("v")
        store.keys.use_keyring()
    with opened(tmp_path, keyring=keyring) as store:
        assert store.keys.source is Source.KEYRING and store.keys.voice_key("v") == key
        store.keys.set_passphrase(ANOTHER)  # the keyring vouches for who forgot the old one
    with opened(tmp_path, ANOTHER) as store:
        assert store.keys.voice_key("v") == key


def test_a_weak_passphrase_from_the_environment_protects_nothing_and_is_told(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("VOXCPM_PASSPHRASE", "short")
    with opened(tmp_path) as store:
        assert store.keys.source is Source.LOCKED and "at least 8" in store.keys.notice
        with pytest.raises(errors.KeysLockedError):
            store.keys.new_voice_key("v")
    monkeypatch.setenv("VOXCPM_PASSPHRASE", PASSPHRASE)
    with opened(tmp_path) as store:
        assert store.keys.source is Source.PASSPHRASE


def test_two_programs_that_begin_at_once_agree(tmp_path: Path, keyring: FileKeyring) -> None:
    with opened(tmp_path) as first, opened(tmp_path) as second:
        mine = first.keys.new_voice_key("a")
        theirs = second.keys.new_voice_key("b")
        second.keys.set_passphrase(PASSPHRASE)
        with pytest.raises(errors.KeysLockedError, match="another window"):
            first.keys.new_voice_key("c")
        with pytest.raises(errors.WrongPassphraseError):
            first.keys.set_passphrase(ANOTHER)
        first.keys.unlock(PASSPHRASE)
        assert first.keys.voice_key("a") == mine and first.keys.voice_key("b") == theirs
        assert second.keys.voice_key("a") == mine
    with opened(tmp_path / "more", keyring=keyring) as first, opened(tmp_path / "more", keyring=keyring) as second:
        made: list[bytes] = []
        threads = [
            threading.Thread(target=lambda s=s: made.append(s.keys.secret("same", lambda: b"made")))
            for s in (first, second, first)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert first.keys.new_voice_key("v") == second.keys.voice_key("v") and made == [b"made"] * 3
    assert len(keyring._all()) == 1


def test_a_first_key_that_is_undone_does_not_take_the_master_key_along(tmp_path: Path, keyring: FileKeyring) -> None:
    for place, passphrase, ring in (("p", PASSPHRASE, None), ("k", None, keyring)):
        with opened(tmp_path / place, passphrase, ring) as store:
            with pytest.raises(KeyError), store.database.write():
                store.keys.new_voice_key("v")
                raise KeyError
            key = store.keys.new_voice_key("v")
        with opened(tmp_path / place, passphrase, ring) as store:
            assert store.keys.voice_key("v") == key


def test_a_destroyed_key_is_in_no_file_and_its_id_is_never_used_again(tmp_path: Path) -> None:
    with opened(tmp_path, PASSPHRASE) as store:
        for number in range(300):
            store.keys.new_voice_key(f"voice {number}")
        store.backups.run()
        with store.database.read() as connection:
            wrapped = {row["name"][6:]: row["wrapped"] for row in connection.execute("SELECT * FROM keys")}
        gone = [name for number, name in enumerate(wrapped) if number % 3 == 0]
        with pytest.raises(RuntimeError), store.database.write():
            store.keys.destroy_voice_key(gone[0])
            raise RuntimeError
        store.keys.voice_key(gone[0])
        with store.database.write():
            for name in gone:
                store.keys.destroy_voice_key(name)
        contents = [path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()]
        assert not [name for name in gone for content in contents if wrapped[name] in content]
        left = [name for name in wrapped if name not in gone]
        assert all(sum(wrapped[name] in content for content in contents) >= 2 for name in left)
        store.keys.destroy_voice_key(gone[0])
        for refused in (store.keys.voice_key, store.keys.new_voice_key):
            with pytest.raises(errors.KeyDestroyedError):
                refused(gone[0])
        with pytest.raises(errors.KeyExistsError):
            store.keys.new_voice_key(left[0])
        for refused in (store.keys.voice_key, store.keys.destroy_voice_key):
            with pytest.raises(errors.KeyMissingError):
                refused("never there")


def test_a_deletion_that_backups_missed_is_caught_up_with(tmp_path: Path) -> None:
    with opened(tmp_path, PASSPHRASE) as store:
        store.keys.new_voice_key("v")
        copy = store.backups.run()
        keys = Keys(store.database, Master(store.database, PASSPHRASE, lambda: None, CHEAP), lambda: None)
        with store.database.read() as connection:
            (wrapped,) = connection.execute("SELECT wrapped FROM keys").fetchone()
        keys.destroy_voice_key("v")  # as if the program had been killed right then
        assert wrapped in copy.read_bytes()
    opened(tmp_path, PASSPHRASE).close()
    assert wrapped not in copy.read_bytes()


def test_a_damaged_database_that_was_kept_goes_with_the_first_deletion(tmp_path: Path) -> None:
    with opened(tmp_path, PASSPHRASE) as store:
        store.keys.new_voice_key("v")
        store.backups.run()
    library = tmp_path / "data" / "library.db"
    library.write_bytes(library.read_bytes()[:-4096] + b"\xff" * 4096)
    Store.restore(tmp_path / "data")
    with opened(tmp_path, PASSPHRASE) as store:
        assert (tmp_path / "data" / "library.db.damaged-1").exists()
        store.keys.destroy_voice_key("v")
    assert not list((tmp_path / "data").glob("*damaged*"))


def test_a_changed_key_is_told_from_a_missing_one(tmp_path: Path) -> None:
    with opened(tmp_path, PASSPHRASE) as store:
        for name in "ab":
            store.keys.new_voice_key(name)
        with store.database.write() as connection:
            connection.execute(
                "UPDATE keys SET wrapped = (SELECT wrapped FROM keys WHERE name = 'voice/b') WHERE name = 'voice/a'"
            )
        with pytest.raises(errors.DamagedError):
            store.keys.voice_key("a")  # another voice's key does not pass for its own


def test_signatures_are_checked_with_the_kept_public_half(tmp_path: Path) -> None:
    with opened(tmp_path, PASSPHRASE) as store:
        signature, key_id = store.keys.signing_key().sign(b"record"), store.keys.key_id
    with opened(tmp_path, readonly=True) as store:  # locked, and still able to check
        public = store.keys.public_key(key_id)
        assert public is not None and store.keys.public_key("0" * 32) is None
        public.verify(signature, b"record")


def test_a_read_only_store_without_keys_says_so(tmp_path: Path) -> None:
    opened(tmp_path).close()
    with opened(tmp_path, readonly=True) as store, pytest.raises(errors.KeysLockedError, match="Nothing was encrypted"):
        store.keys.secret("x", lambda: b"")


def test_the_keyring_of_this_computer_is_never_a_file_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring

    assert keyrings.system_keyring() is None  # the tests say that there is none
    backend = type("PlaintextKeyring", (FileKeyring,), {"__module__": "keyrings.alt.file", "priority": 9})(Path("x"))
    monkeypatch.setattr(keyring, "get_keyring", lambda: backend)
    assert keyrings.system_keyring() is None
    good = type("Vault", (FileKeyring,), {"__module__": "keyring.backends.vault", "priority": 5})(Path("x"))
    monkeypatch.setattr(keyring, "get_keyring", lambda: good)
    assert keyrings.system_keyring() is good
