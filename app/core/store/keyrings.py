"""The keyring of the operating system, if there is one that keeps secrets properly."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from app.core.store.errors import KeyringError

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

_T = TypeVar("_T")

log = logging.getLogger(__name__)

SERVICE = "voxcpm-studio"
# A locked keyring asks whoever sits at the screen. Where nothing can show the question (a remote login, a bare X
# server) it waits for ever, so somebody has this long to answer.
ANSWER_SECONDS = 30.0
# Files in the clear, and those that keep nothing or only pass on to others.
_NEVER = ("keyrings.alt.", "keyring.backends.null", "keyring.backends.fail", "keyring.backends.chainer")


def system_keyring() -> KeyringBackend | None:
    """Return the keyring of this computer, or None: none is installed, none runs, or it is a file in the clear.

    A keyring that the user configured is preferred. This may load libraries and ask the session bus (0.2 s).
    """
    try:
        return _in_time(_best)
    except Exception as error:  # third-party backends raise what they like
        log.warning("The keyrings of this computer could not be listed (%s)", type(error).__name__)
        return None


def _best() -> KeyringBackend | None:
    import keyring
    from keyring.backend import get_all_keyring

    candidates = [keyring.get_keyring()]
    if "PYTHON_KEYRING_BACKEND" not in os.environ:  # who names one means that one and no other
        candidates += sorted(get_all_keyring(), key=lambda backend: backend.priority, reverse=True)
    for backend in candidates:
        if not type(backend).__module__.startswith(_NEVER) and backend.priority >= 1:
            return backend
    return None


def fetch(backend: KeyringBackend, name: str) -> bytes | None:
    """Return the secret of that name, or None if there is none. Waits ``ANSWER_SECONDS`` at most, as all here.

    Raises:
        KeyringError: the keyring does not answer, or the user refused.
    """
    try:
        kept = _in_time(lambda: backend.get_password(SERVICE, name))
        return None if kept is None else bytes.fromhex(kept)
    except Exception as error:  # backends raise more than the library's own errors (D-Bus, system calls)
        raise _said(error) from error


def keep(backend: KeyringBackend, name: str, secret: bytes) -> None:
    """Keep a secret and look that it is really there.

    Raises:
        KeyringError: it is not.
    """
    try:
        _in_time(lambda: backend.set_password(SERVICE, name, secret.hex()))
    except Exception as error:
        raise _said(error) from error
    if fetch(backend, name) != secret:
        raise KeyringError("The keyring of this computer did not keep the key. Choose a passphrase instead.")


def forget(backend: KeyringBackend, name: str) -> None:
    """Remove a secret; what goes wrong is only logged."""
    try:
        _in_time(lambda: backend.delete_password(SERVICE, name))
    except Exception as error:
        log.warning("A key could not be removed from the keyring (%s)", type(error).__name__)


def _in_time(ask: Callable[[], _T]) -> _T:
    """Return what ``ask`` returns, or raise what it raises; TimeoutError when it takes too long and is left behind."""
    answer: list[_T] = []
    failure: list[Exception] = []

    def run() -> None:
        try:
            answer.append(ask())
        except Exception as error:
            failure.append(error)

    thread = threading.Thread(target=run, name="keyring", daemon=True)
    thread.start()
    thread.join(ANSWER_SECONDS)
    if failure:
        raise failure[0]
    if not answer:
        raise TimeoutError
    return answer[0]


def _said(error: Exception) -> KeyringError:
    from keyring.errors import KeyringError as LibraryError

    kind = str(error) if isinstance(error, LibraryError) and str(error) else type(error).__name__
    return KeyringError(
        f"The keyring of this computer does not answer ({kind}). Unlock it, or log in to the desktop, and try again."
    )
