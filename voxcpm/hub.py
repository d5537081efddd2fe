"""Fetches published checkpoints from a model hub: pinned, resumable, and verified before anyone can load them.

Layout of a models folder::

    models.lock.json      which revision of which repository was taken, and the sha256 of every file
    VoxCPM2/              a complete, verified checkpoint (it appears all at once)
    .VoxCPM2.part/        a download under way or broken off; it is resumed

The commit that a branch stands for is recorded before the first byte is fetched. Every later download of
that model takes the same commit again, until a revision is asked for by name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from voxcpm.errors import DownloadError
from voxcpm.hub_lock import LOCK_NAME, problems, read_pins
from voxcpm.hub_transfer import DownloadProgress, PublishedModel, Transfer

__all__ = [
    "MODELS",
    "DownloadProgress",
    "PublishedModel",
    "download",
    "downloaded",
    "identify",
    "models_folder",
    "verify",
]

MODELS: dict[str, PublishedModel] = {
    name: PublishedModel(name, f"openbmb/{name}") for name in ("VoxCPM-0.5B", "VoxCPM1.5", "VoxCPM2")
}


def models_folder() -> Path:
    """Return the folder in which downloaded models are kept for this user (it may not exist yet)."""
    from platformdirs import user_data_path

    return user_data_path("voxcpm-studio", appauthor=False) / "models"


def identify(name_or_repo: str) -> PublishedModel:
    """Turn ``VoxCPM2`` or ``owner/name`` into a model.

    Raises:
        DownloadError: it is neither.
    """
    for model in MODELS.values():
        if name_or_repo.lower() in (model.name.lower(), model.repo.lower()):
            return model
    if re.fullmatch(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", name_or_repo) and ".." not in name_or_repo:
        # The owner is part of the folder's name, so that two owners' models of one name do not meet.
        return PublishedModel(name_or_repo.replace("/", "--"), name_or_repo)
    known = ", ".join(MODELS)
    raise DownloadError(f"No model is called {name_or_repo!r}. Known are {known}; or give a repository as owner/name.")


def downloaded(name_or_repo: str, folder: Path | None = None) -> Path | None:
    """Return the folder of a completely downloaded model, or None."""
    path = (folder or models_folder()) / identify(name_or_repo).name
    return path if path.is_dir() else None


def download(
    name_or_repo: str,
    dest: str | Path,
    *,
    revision: str | None = None,
    endpoint: str | None = None,
    progress: Callable[[DownloadProgress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    token: str | None = None,
) -> Path:
    """Fetch a model into the models folder ``dest`` and return the model's own folder in it.

    Nothing is contacted when the model is already there at the wanted revision. A broken or cancelled
    download is continued by calling this again with the same arguments.

    Args:
        name_or_repo: a name of ``MODELS`` or a repository ``owner/name``.
        dest: the models folder; it is created.
        revision: commit, tag or branch. Without it the revision recorded in the lock file is taken,
            and at the first download the branch ``main``.
        endpoint: address of another hub or a mirror (``https://...``).
        progress: called with a ``DownloadProgress`` some twenty times a second and at the end of every
            file, from this thread.
        cancelled: asked between blocks; when it returns True the download stops.
        token: access token for a closed repository. A token saved on this machine is never sent by itself.

    Raises:
        DownloadError: the model could not be fetched or did not verify; the message says what to do.
        Cancelled: ``cancelled`` said so. What was fetched is kept.
    """
    model = identify(name_or_repo)
    dest = Path(dest)
    wanted = cancelled or (lambda: False)
    try:
        dest.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DownloadError(f"The folder {dest} cannot be made ({error}). Choose another one.") from error
    with _only_one(dest, model):
        pin = read_pins(dest).get(model.name)
        if pin is not None and pin.repo != model.repo:
            raise DownloadError(f"{dest / LOCK_NAME} says that {model.name} comes from {pin.repo}, not {model.repo}.")
        target = dest / model.name
        if pin and pin.files and revision in (None, pin.revision) and not problems(target, pin, hashes=False):
            return target
        return Transfer(model, dest, endpoint, token, progress, wanted).run(revision, pin)


def verify(name_or_repo: str, dest: str | Path) -> Path:
    """Check every file of a downloaded model against the lock file, without any network; return its folder.

    Raises:
        DownloadError: the model was not downloaded, or files are missing or changed (all are named).
    """
    model = identify(name_or_repo)
    pin = read_pins(Path(dest)).get(model.name)
    if pin is None or not pin.files:
        raise DownloadError(f"{model.name} was not downloaded to {dest}. Download it first.")
    target = Path(dest) / model.name
    if wrong := problems(target, pin, hashes=True):
        raise DownloadError(f"{target} is damaged: {'; '.join(wrong)}. Delete the folder and download it again.")
    return target


@contextmanager
def _only_one(dest: Path, model: PublishedModel) -> Iterator[None]:
    """Keep a second program from downloading the same model into the same folder at the same time."""
    # Read when the library is first imported, and only then.
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from filelock import Timeout
    from huggingface_hub.utils import WeakFileLock  # type: ignore[attr-defined]

    try:
        with WeakFileLock(dest / f".{model.name}.lock", timeout=1):
            yield
    except Timeout as error:
        raise DownloadError(f"{model.name} is being downloaded to {dest} by another program. Wait for it.") from error
