"""Backups are made and rotated, the database is damaged, the newest intact backup is put back."""

from __future__ import annotations

import random
from pathlib import Path

from app.core.store import Store, errors
from tests.kill.scenario import Journal, Say

_NAME = "counter"


class BackupsScenario:
    """The store counts. ``backed_up`` is the count of the newest backup, which is the least that may come back."""

    name = "backups"

    def __init__(self) -> None:
        self.counted = 0
        self.backed_up = 0

    def prepare(self, folder: Path) -> None:
        """Nothing is needed."""

    def act(self, folder: Path, rng: random.Random, say: Say) -> None:
        """Count, back up, damage and restore without end."""
        data = folder / "data"
        while True:
            with _opened(data) as store:
                for _ in range(rng.randint(1, 4)):
                    count = _count(store) + 1
                    say.begin({"do": "count", "count": count})
                    with store.database.write() as connection:
                        connection.execute("INSERT OR REPLACE INTO store_facts VALUES (?, ?)", (_NAME, str(count)))
                    say.done({"do": "count", "count": count})
                say.begin({"do": "backup", "count": count})
                store.backups.run()
                say.done({"do": "backup", "count": count})
            if rng.random() < 0.5:
                say.begin({"do": "damage", "count": count})
                with (data / "library.db").open("r+b") as file:
                    file.seek(4096)
                    file.write(b"\xff" * 4096 * rng.randint(1, 5))
                Store.restore(data)
                say.done({"do": "damage", "count": count})

    def check(self, folder: Path, journal: Journal) -> list[str]:
        """The count is the acknowledged one; a damaged database comes back with the count of its backup."""
        for step in journal.done:
            self.counted = step["count"]
            if step["do"] == "backup":
                self.backed_up = step["count"]
        begun = journal.begun or {"do": "", "count": self.counted}
        allowed = {self.counted, begun["count"]}
        try:
            try:
                store = _opened(folder / "data")
            except errors.DamagedError:
                if begun["do"] != "damage":
                    raise
                Store.restore(folder / "data")
                store = _opened(folder / "data")
            with store:
                self.counted = _count(store)
                found = store.database.integrity()
                if self.counted not in allowed:
                    found.append(f"counted {self.counted}, not {sorted(allowed)}")
                if halves := [path.name for path in (folder / "data" / "backups").glob("*.part")]:
                    store.backups.run()
                    if [path.name for path in (folder / "data" / "backups").glob("*.part")]:
                        found.append(f"half backups stay: {halves}")
                return found
        except errors.StoreError as error:
            return [f"{type(error).__name__}: {error}"]


def _opened(data: Path) -> Store:
    return Store.open(data, find_keyring=lambda: None)


def _count(store: Store) -> int:
    with store.database.read() as connection:
        row = connection.execute("SELECT value FROM store_facts WHERE name = ?", (_NAME,)).fetchone()
    return int(row[0]) if row else 0
