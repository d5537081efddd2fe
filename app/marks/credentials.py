"""C2PA content credentials in WAV, MP3 and FLAC: written with a key of this machine, read and put into words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from app.marks.errors import MarkError
from app.marks.identity import Identity

MIME = {"wav": "audio/wav", "flac": "audio/flac", "mp3": "audio/mpeg"}  # Ogg cannot carry credentials
SOURCE_TYPE = "http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"
ASSERTION = "org.voxcpm.studio.origin"
_PRODUCT = "VoxCPM-Studio"
# States of what is found. "valid" and "trusted" both mean that nothing was changed since it was signed.
State = Literal["valid", "trusted", "invalid", "absent"]
_UNTRUSTED = "signingCredential.untrusted"


@dataclass(frozen=True)
class Credentials:
    """What the credentials of a file say. ``problems`` are C2PA's own codes of what failed."""

    state: State
    signer: str = ""
    claim_generator: str = ""
    source_type: str = ""
    actions: tuple[str, ...] = ()
    origin: Mapping[str, str] | None = None
    problems: tuple[str, ...] = ()

    @property
    def intact(self) -> bool:
        """Whether the file is as it was when it was signed."""
        return self.state in ("valid", "trusted")

    @property
    def says_generated(self) -> bool:
        """Whether they state that a trained model made the content."""
        return self.source_type == SOURCE_TYPE


def sign(
    source: BinaryIO, target: BinaryIO, kind: str, identity: Identity, title: str, origin: Mapping[str, object]
) -> None:
    """Copy a finished file of ``kind`` (a key of MIME) to ``target`` with credentials; it must be the last step.

    ``title`` is the file's name; ``origin`` holds ids and hashes of what the sound came from. Both streams can seek;
    ``target`` is open for reading too.

    Raises:
        MarkError: the credentials cannot be made.
        OSError: ``target`` does not take them.
    """
    import c2pa

    manifest = {
        "claim_generator_info": [{"name": _PRODUCT, "version": _version()}],
        "title": title,
        "format": MIME[kind],
        "assertions": [
            {
                "label": "c2pa.actions.v2",
                "data": {
                    "actions": [
                        {
                            "action": "c2pa.created",
                            "digitalSourceType": SOURCE_TYPE,
                            "softwareAgent": {"name": _PRODUCT, "version": _version()},
                        }
                    ]
                },
            },
            {"label": ASSERTION, "data": dict(origin)},
        ],
    }
    info = c2pa.C2paSignerInfo(alg=b"es256", sign_cert=identity.chain, private_key=identity.private_key, ta_url=None)
    watched = _Watched(target)
    try:
        with c2pa.Signer.from_info(info) as signer, c2pa.Builder(manifest) as builder:
            builder.sign(signer, MIME[kind], source, watched)
    except (c2pa.C2paError, ValueError) as error:
        if watched.failure is not None:
            raise watched.failure from error
        raise MarkError(
            f"Content credentials could not be made ({error}). Try again, or leave them out with a reason."
        ) from error


class _Watched:
    """A file that remembers what the disk said: the library below tells of it only that something failed."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.failure: OSError | None = None

    def write(self, data: bytes) -> int:
        """Write to the file."""
        try:
            return self._file.write(data)
        except OSError as error:
            self.failure = self.failure or error
            raise

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def read(path: Path, kind: str, authority: bytes | None = None) -> Credentials:
    """Read and check the credentials of a file; ``authority`` (PEM) is a certificate to trust for this look.

    Nothing is fetched from anywhere. A file of a kind that cannot carry any has none.

    Raises:
        OSError: the file cannot be read.
    """
    if kind not in MIME:
        return Credentials("absent")
    import c2pa

    settings: dict[str, Any] = {"verify": {"remote_manifest_fetch": False, "ocsp_fetch": False}}
    if authority is not None:
        settings["trust"] = {"trust_anchors": authority.decode()}
    with path.open("rb") as stream:
        try:
            with c2pa.Context.from_dict(settings) as context:
                reader = c2pa.Reader.try_create(MIME[kind], stream, context=context)
                if reader is None:
                    return Credentials("absent")
                with reader:
                    return _told(json.loads(reader.json()))
        except c2pa.C2paError as error:
            return Credentials("invalid", problems=(type(error).__name__,))


def in_words(found: Credentials) -> str:
    """What the credentials prove and what not, in plain words."""
    match found.state:
        case "absent":
            return "There are no content credentials."
        case "invalid":
            return "There are content credentials, but the file was changed after it was signed, or they are damaged."
        case "trusted":
            who = "by a trusted authority"
        case _:
            who = "not by a trusted authority: whoever made the key calls itself that"
    what = (
        "They state that a trained model made the sound."
        if found.says_generated
        else "They do not say who or what made the sound."
    )
    return f"The file is as it was when it was signed by {found.signer or 'somebody unnamed'} ({who}). {what}"


def _told(manifests: dict[str, Any]) -> Credentials:
    manifest = manifests.get("manifests", {}).get(manifests.get("active_manifest"), {})
    source, actions, origin = "", [], None
    for assertion in manifest.get("assertions", []):
        data = assertion.get("data", {})
        if assertion.get("label", "").startswith("c2pa.actions"):
            for action in data.get("actions", []):
                actions.append(str(action.get("action", "")))
                source = source or str(action.get("digitalSourceType", ""))
        elif assertion.get("label") == ASSERTION:
            origin = {str(key): str(value) for key, value in data.items()}
    failures = [str(entry.get("code", "")) for entry in manifests.get("validation_status") or []]
    state: State
    match manifests.get("validation_state"):
        case "Trusted":
            state = "trusted"
        case "Valid":
            state = "valid"
        case _:
            state = "invalid"
    generators = manifest.get("claim_generator_info") or [{}]
    generator = " ".join(str(generators[0][key]) for key in ("name", "version") if key in generators[0])
    signature = manifest.get("signature_info") or {}
    return Credentials(
        state=state,
        signer=str(signature.get("issuer") or signature.get("common_name") or ""),
        claim_generator=generator,
        source_type=source,
        actions=tuple(actions),
        origin=origin,
        problems=tuple(code for code in failures if code != _UNTRUSTED),
    )


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("voxcpm-studio")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return "0"
