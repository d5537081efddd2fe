"""The data folder, shared by threads."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from app.core.library import Library
from app.core.store import Store


def test_threads_that_open_parts_in_another_order_do_not_wait_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The takes at the start of the window, and the voices that a person looks at just then."""
    opening, asked = threading.Event(), threading.Event()
    really_open = Store.open

    def slowly(folder: Path | None = None, *, passphrase: str | None = None) -> Store:
        opening.set()
        asked.wait(10)
        return really_open(folder, passphrase=passphrase)

    monkeypatch.setattr(Store, "open", slowly)
    library = Library(tmp_path)
    found: dict[str, object] = {}
    voices = threading.Thread(target=lambda: found.update(voices=library.voices), daemon=True)
    takes = threading.Thread(target=lambda: found.update(takes=library.takes), daemon=True)
    voices.start()
    assert opening.wait(10)
    takes.start()
    takes.join(0.2)  # it got as far as it could
    asked.set()
    for thread in (voices, takes):
        thread.join(20)
    assert not voices.is_alive() and not takes.is_alive()
    assert found == {"voices": library.voices, "takes": library.takes}
    library.close()
