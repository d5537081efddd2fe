"""One download of one model: asks the hub, fetches what is missing, checks it, and puts the folder in its place."""

from __future__ import annotations

import hashlib
import logging
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voxcpm.errors import Cancelled, DownloadError
from voxcpm.hub_lock import LOCK_NAME, Pin, write_pin

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo

logger = logging.getLogger(__name__)

_ATTEMPTS = 5  # without any progress in between
_BLOCK = 1 << 20
_TIMEOUT_SECONDS = 30.0
_REPORT_SECONDS = 0.05
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SPARE_BYTES = 64 << 20  # a file system that is filled to the last byte troubles everything else on it

_SMALL_FILES = frozenset(
    {
        "config.json",
        "tokenizer.json",
        "tokenizer_config.json",
        "special_tokens_map.json",
        "added_tokens.json",
        "tokenizer.model",
        "model.safetensors.index.json",
        "pytorch_model.bin.index.json",
    }
)
_PICKLED_MODEL = re.compile(r"pytorch_model(-\d+-of-\d+)?\.bin(\.index\.json)?")


@dataclass(frozen=True)
class PublishedModel:
    """A checkpoint that its makers published: ``name`` as people say it, ``repo`` as the hub knows it."""

    name: str
    repo: str


MODELS: dict[str, PublishedModel] = {
    name: PublishedModel(name, f"openbmb/{name}") for name in ("VoxCPM-0.5B", "VoxCPM1.5", "VoxCPM2")
}


@dataclass(frozen=True)
class DownloadProgress:
    """How far a download is. Bytes count over all files; ``done`` includes what earlier tries had fetched."""

    file: str
    done: int
    total: int


@dataclass(frozen=True)
class RemoteFile:
    """One file of a revision, as the hub describes it. One of ``sha256`` and ``git_sha1`` is known."""

    name: str
    size: int
    sha256: str | None
    git_sha1: str | None


def choose_files(files: list[RemoteFile]) -> list[RemoteFile]:
    """Keep what is needed to run the model. Of two forms of the same weights, safetensors is taken.

    Raises:
        DownloadError: what every checkpoint has is not among the files.
    """
    names = {f.name for f in files}
    model_is_safe = any(n.endswith(".safetensors") and not n.startswith("audiovae.") for n in names)

    def needed(name: str) -> bool:
        if "/" in name or "\\" in name:
            return False
        if _PICKLED_MODEL.fullmatch(name):
            return not model_is_safe
        if name.startswith("audiovae."):
            return name.endswith(".safetensors") or "audiovae.safetensors" not in names
        return name in _SMALL_FILES or name.endswith(".safetensors")

    chosen = sorted((f for f in files if needed(f.name)), key=lambda f: (f.size, f.name))
    have = {f.name for f in chosen}
    missing = [n for n in ("config.json", "tokenizer.json") if n not in have]
    if not any(n.endswith((".safetensors", ".bin")) and not n.startswith("audiovae.") for n in have):
        missing.append("model weights")
    if not any(n.startswith("audiovae.") for n in have):
        missing.append("audiovae weights")
    if missing:
        raise DownloadError(f"This repository holds no VoxCPM checkpoint: it has no {', no '.join(missing)}.")
    return chosen


class Transfer:
    """One download of one model, from asking for the revision to the finished folder."""

    def __init__(
        self,
        model: PublishedModel,
        dest: Path,
        endpoint: str | None,
        token: str | None,
        progress: Callable[[DownloadProgress], None] | None,
        cancelled: Callable[[], bool],
    ) -> None:
        if endpoint is not None and not re.match(r"https?://[^/\s]+", endpoint):
            raise DownloadError(f"{endpoint!r} is no address of a model hub; it must begin with https://.")
        self.model = model
        self.dest = dest
        self.part = dest / f".{model.name}.part"
        self.endpoint = endpoint.rstrip("/") if endpoint else None
        self.token = token
        self.progress = progress
        self.cancelled = cancelled
        self.done = 0
        self.total = 0
        self._next_report = 0.0

    def run(self, revision: str | None, pin: Pin | None) -> Path:
        """Fetch ``revision``, or without one what ``pin`` records; return the finished folder of the model."""
        wanted = revision or (pin.revision if pin else None)
        commit, files = self._ask(wanted or "main")
        if pin and pin.revision == commit:
            self._compare_with_pin(pin, files)
        else:
            pin = Pin(self.model.repo, commit)
        self._prepare_part(commit)
        self._check_space(files)
        write_pin(self.dest, self.model.name, pin)
        self.total = sum(f.size for f in files)
        digests: dict[str, dict[str, Any]] = {}
        for remote in files:
            digests[remote.name] = {"size": remote.size, "sha256": self._fetch(remote, commit)}
        if pin.files and pin.files != digests:
            raise DownloadError(f"{self.model.name} differs from what {LOCK_NAME} records for {commit}. Do not use it.")
        target = self.dest / self.model.name
        _swap_in(self.part, target, keep=set(digests))
        write_pin(self.dest, self.model.name, Pin(self.model.repo, commit, digests))
        return target

    def _ask(self, revision: str) -> tuple[str, list[RemoteFile]]:
        """Return the commit that ``revision`` stands for and the files that are needed of it."""
        from huggingface_hub import HfApi

        with _explained(self.model.repo, self.endpoint):
            api = HfApi(endpoint=self.endpoint, token=self.token or False, library_name="voxcpm-studio")
            info: ModelInfo = api.model_info(
                self.model.repo, revision=revision, files_metadata=True, timeout=_TIMEOUT_SECONDS
            )
        commit = info.sha or ""
        if not _COMMIT.fullmatch(commit):
            raise DownloadError(f"The hub does not say which commit {revision!r} of {self.model.repo} is.")
        if _COMMIT.fullmatch(revision) and commit != revision:
            raise DownloadError(f"Revision {revision} was asked for, but the hub answered with {commit}. Not taken.")
        files = []
        for sibling in info.siblings or []:
            sha256 = sibling.lfs.sha256 if sibling.lfs else None
            files.append(RemoteFile(sibling.rfilename, sibling.size or 0, sha256, sibling.blob_id))
        return commit, choose_files(files)

    def _compare_with_pin(self, pin: Pin, files: list[RemoteFile]) -> None:
        for remote in files:
            known = pin.files.get(remote.name)
            if known and remote.sha256 and known["sha256"] != remote.sha256:
                raise DownloadError(
                    f"{remote.name} of {self.model.name} is not the file that was pinned in {LOCK_NAME} "
                    f"for the same revision {pin.revision}. It was not taken."
                )

    def _prepare_part(self, commit: str) -> None:
        """Make the working folder; parts of another revision are of no use and go."""
        stamp = self.part / ".revision"
        if self.part.is_dir() and (not stamp.is_file() or stamp.read_text(encoding="utf-8") != commit):
            shutil.rmtree(self.part)
        self.part.mkdir(exist_ok=True)
        stamp.write_text(commit, encoding="utf-8")

    def _check_space(self, files: list[RemoteFile]) -> None:
        there = sum(self._fetched(f) for f in files)
        need = sum(f.size for f in files) - there + _SPARE_BYTES
        free = shutil.disk_usage(self.dest).free
        if need > free:
            short = f"needs {format_size(need)} more on the disk of {self.dest}, but {format_size(free)} are free"
            raise DownloadError(f"{self.model.name} {short}. Free some space or choose a folder on another disk.")

    def _fetched(self, remote: RemoteFile) -> int:
        """Bytes of a file that are already here."""
        path = self.part / f"{remote.name}.incomplete"
        return path.stat().st_size if path.is_file() else 0

    def _fetch(self, remote: RemoteFile, commit: str) -> str:
        """Fetch what is missing of one file, check it, and return its sha256."""
        path = self.part / f"{remote.name}.incomplete"
        if self._fetched(remote) > remote.size:
            path.unlink()
        before = self.done
        failures = 0
        while (have := self._fetched(remote)) < remote.size or not path.exists():
            self.done = before + have
            try:
                self._stream(remote, commit, path, have)
            except DownloadError as error:
                failures = 1 if self._fetched(remote) > have else failures + 1
                if failures >= _ATTEMPTS or not isinstance(error, _BrokenError):
                    raise DownloadError(str(error)) from error
                logger.info("%s: %s; trying again", remote.name, error)
                self._wait(0.25 * 2**failures)
        self.done = before + remote.size
        self._report(remote.name, last=True)
        return self._check(remote, path)

    def _stream(self, remote: RemoteFile, commit: str, path: Path, have: int) -> None:
        """Append to ``path`` from byte ``have`` on until the connection ends or the file is complete."""
        from huggingface_hub import get_session, hf_hub_url
        from huggingface_hub.utils import build_hf_headers, hf_raise_for_status  # type: ignore[attr-defined]

        url = hf_hub_url(self.model.repo, remote.name, revision=commit, endpoint=self.endpoint)
        headers = build_hf_headers(token=self.token or False, library_name="voxcpm-studio")
        headers["Accept-Encoding"] = "identity"  # sizes and ranges are those of the file, not of a packed form
        if have:
            headers["Range"] = f"bytes={have}-"
        self._stop_if_cancelled()
        with (
            _explained(self.model.repo, self.endpoint),
            get_session().stream("GET", url, headers=headers, timeout=_TIMEOUT_SECONDS) as response,
        ):
            hf_raise_for_status(response)
            for answer in (*response.history, response):
                told = answer.headers.get("X-Repo-Commit")
                if told and told != commit:
                    raise DownloadError(f"The hub sent {remote.name} of revision {told} instead of {commit}.")
            if have and not response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
                self.done -= have  # the server knows no ranges and sends the file from its beginning
                have = 0
            with path.open("r+b" if have else "wb") as out:
                out.seek(have)
                for block in response.iter_bytes():  # as they come: what was received is never lost
                    have += len(block)
                    if have > remote.size:
                        raise DownloadError(
                            f"{remote.name} is longer than the {remote.size} bytes that were announced."
                        )
                    out.write(block)
                    out.flush()
                    self.done += len(block)
                    self._report(remote.name)
                    self._stop_if_cancelled()
        if have < remote.size:
            raise _BrokenError(
                f"The connection ended after {format_size(have)} of {format_size(remote.size)} of {remote.name}."
            )

    def _check(self, remote: RemoteFile, path: Path) -> str:
        """Compare with the hub's digest. Small files are named by git's own hash, large ones by sha256."""
        sha256, sha1 = hashlib.sha256(), hashlib.sha1(b"blob %d\0" % remote.size, usedforsecurity=False)
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                self._stop_if_cancelled()
                sha256.update(block)
                if remote.sha256 is None:
                    sha1.update(block)
        if remote.sha256 is None and remote.git_sha1 is None:
            path.unlink()
            raise DownloadError(f"The hub gives no checksum of {remote.name}; it cannot be verified and was not taken.")
        right = sha256.hexdigest() == remote.sha256 if remote.sha256 else sha1.hexdigest() == remote.git_sha1
        if not right:
            path.unlink()
            raise DownloadError(f"{remote.name} was damaged on the way and is deleted again. Start the download again.")
        return sha256.hexdigest()

    def _report(self, name: str, *, last: bool = False) -> None:
        """Tell how far it is, but not more often than anyone can look; the end of a file is always told."""
        if self.progress is None or (not last and time.monotonic() < self._next_report):
            return
        self._next_report = time.monotonic() + _REPORT_SECONDS
        self.progress(DownloadProgress(name, self.done, self.total))

    def _stop_if_cancelled(self) -> None:
        if self.cancelled():
            raise Cancelled(f"The download of {self.model.name} was stopped. What was fetched is kept.")

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._stop_if_cancelled()
            time.sleep(0.05)


class _BrokenError(DownloadError):
    """A failure that another try may mend."""


@contextmanager
def _explained(repo: str, endpoint: str | None) -> Iterator[None]:
    """Turn the hub client's errors into messages that say what to do."""
    from huggingface_hub import errors

    # The HTTP client under the hub's library was exchanged between its versions; its own base class is therefore
    # found through the library, and not imported by name.
    transport: tuple[type[Exception], ...] = errors.HfHubHTTPError.__bases__
    where = endpoint or "the model hub"
    try:
        yield
    except errors.GatedRepoError as error:
        raise DownloadError(f"{repo} asks you to accept its terms. Do so on its page, then give a token.") from error
    except errors.RepositoryNotFoundError as error:
        raise DownloadError(f"{where} has no model {repo}, or it is private and needs a token.") from error
    except errors.RevisionNotFoundError as error:
        raise DownloadError(f"{repo} has no such revision. Leave the revision out to take the current one.") from error
    except errors.EntryNotFoundError as error:
        raise DownloadError(f"{where} lists a file of {repo} that it does not have ({error}).") from error
    except errors.OfflineModeIsEnabled as error:
        raise DownloadError("HF_HUB_OFFLINE is set, which forbids downloads. Unset it and try again.") from error
    except errors.HfHubHTTPError as error:
        status = error.response.status_code
        kind = _BrokenError if status >= 500 or status in (408, 429) else DownloadError
        raise kind(f"{where} answered with HTTP status {status} for {repo}. Try again later.") from error
    except transport as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise DownloadError(f"The file could not be written: {error}.") from error
        reason = str(error) or type(error).__name__
        raise _BrokenError(f"No connection to {where} ({reason}). What was fetched is kept; try again.") from error


def _swap_in(part: Path, target: Path, keep: set[str]) -> None:
    """Make the finished working folder the model's folder, in one step that either happens or does not."""
    for path in part.iterdir():
        name = path.name.removesuffix(".incomplete")
        if name in keep:
            path.rename(part / name)
        else:
            path.unlink()
    old = target.with_name(f".{target.name}.old")
    if old.exists():
        shutil.rmtree(old)
    if target.exists():
        target.rename(old)
    part.rename(target)
    if old.exists():
        shutil.rmtree(old)


def format_size(count: float) -> str:
    """Write a number of bytes as people read it, in powers of 1000."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError("unreachable")
