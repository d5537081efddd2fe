"""A model hub on 127.0.0.1: the part of the hub's HTTP interface that a download uses, with faults on demand."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit


def git_sha1(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class HubServer:
    """Serves the files of one folder as repository ``repo`` at commit ``commit``, branch ``main``.

    Large files are redirected to a second path, as the real hub redirects to its store.
    """

    def __init__(self, repo: str, folder: Path, commit: str = "a" * 40) -> None:
        self.repo = repo
        self.commit = commit
        self.files = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
        self.large = {name for name in self.files if name.endswith((".safetensors", ".pth", ".bin"))}
        self.sent: Counter[str] = Counter()  # bytes of bodies, per file
        self.requests: list[tuple[str, str]] = []  # path, Range
        self.tokens: list[str] = []
        self.hosts: list[str] = []
        self.cut_after: dict[str, int] = {}  # file -> bytes after which the connection breaks, once
        self.corrupt: set[str] = set()
        self.announced_sizes: dict[str, int] = {}
        self.answer_commit: str | None = None
        self.ranges = True
        self.status: dict[str, list[int]] = {}  # file -> statuses answered before it is served
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> HubServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    hub: HubServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        hub = self.hub
        path = unquote(urlsplit(self.path).path)
        hub.requests.append((path, self.headers.get("Range", "")))
        hub.tokens.append(self.headers.get("Authorization", ""))
        hub.hosts.append(self.headers.get("Host", ""))
        api = f"/api/models/{hub.repo}/revision/"
        resolve = f"/{hub.repo}/resolve/{hub.commit}/"
        if path.startswith(api):
            revision = path[len(api) :]
            if revision in ("main", "v1", hub.commit):
                self._json(self._info())
            else:
                self._error(404, "RevisionNotFound")
        elif path.startswith(resolve) and path[len(resolve) :] in hub.files:
            self._resolve(path[len(resolve) :])
        elif path.startswith("/store/"):
            self._body(path[len("/store/") :], {})
        else:
            self._error(404, "EntryNotFound" if hub.repo in path else "RepoNotFound")

    def _info(self) -> dict[str, object]:
        hub = self.hub
        siblings = []
        for name, data in hub.files.items():
            entry: dict[str, object] = {
                "rfilename": name,
                "size": hub.announced_sizes.get(name, len(data)),
                "blobId": git_sha1(data),
            }
            if name in hub.large:
                sha256 = hashlib.sha256(data).hexdigest()
                entry["lfs"] = {"sha256": sha256, "size": len(data), "pointerSize": 134}
            siblings.append(entry)
        return {"id": hub.repo, "modelId": hub.repo, "sha": hub.answer_commit or hub.commit, "siblings": siblings}

    def _resolve(self, name: str) -> None:
        hub = self.hub
        if hub.status.get(name):
            self._error(hub.status[name].pop(0), "")
            return
        headers = {"X-Repo-Commit": hub.commit}
        if name not in hub.large:
            headers["ETag"] = f'"{git_sha1(hub.files[name])}"'
            self._body(name, headers)
            return
        self.send_response(302)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("X-Linked-Etag", f'"{hashlib.sha256(hub.files[name]).hexdigest()}"')
        self.send_header("X-Linked-Size", str(len(hub.files[name])))
        self.send_header("Location", f"{hub.endpoint}/store/{name}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _body(self, name: str, headers: dict[str, str]) -> None:
        hub = self.hub
        data = hub.files[name]
        if name in hub.corrupt:
            data = data[:-1] + bytes([data[-1] ^ 1])
        start = 0
        asked = self.headers.get("Range")
        if asked and hub.ranges:
            start = int(asked.removeprefix("bytes=").split("-")[0])
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        else:
            self.send_response(200)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        end = len(data)
        if name in hub.cut_after:
            end = start + hub.cut_after.pop(name)
            self.close_connection = True
        for at in range(start, end, 1 << 16):
            block = data[at : min(at + (1 << 16), end)]
            try:
                self.wfile.write(block)
            except OSError:
                self.close_connection = True
                return
            hub.sent[name] += len(block)
        self.wfile.flush()

    def _json(self, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _error(self, status: int, code: str) -> None:
        self.send_response(status)
        if code:
            self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()
