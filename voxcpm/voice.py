"""A voice's encoded condition, and the cache of the key-value prefix that it fills."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from voxcpm.consent import ConsentRecord
from voxcpm.errors import CheckpointError
from voxcpm.files import write_atomically
from voxcpm.model import PrefixState
from voxcpm.modules.kv_cache import KVCache

FORMAT = "voxcpm-voice-1"


@dataclass(frozen=True, eq=False)
class Voice:
    """Encoded reference and/or prompt. Made by :meth:`VoxCPM.encode_voice`, which demands the consent record."""

    reference: Tensor | None
    """Latent patches float32 [n, P, D]."""
    prompt: Tensor | None
    """Latent patches float32 [n, P, D]."""
    transcript: str
    """The exact words of the prompt; empty without one."""
    fingerprint: str
    """Of the model that encoded it."""
    consent: ConsentRecord
    patch_seconds: float
    findings: tuple[str, ...] = ()
    """What was mended or is worth knowing about the audio, in words."""
    prefix: PrefixState | None = None
    """Filled key-value prefix, if it was saved along."""

    @property
    def mode(self) -> str:
        """``reference``, ``continuation`` or ``combined``."""
        if self.prompt is None:
            return "reference"
        return "continuation" if self.reference is None else "combined"

    @property
    def reference_seconds(self) -> float:
        """Seconds of reference, after trimming and padding to whole patches."""
        return 0.0 if self.reference is None else self.reference.shape[0] * self.patch_seconds

    @property
    def prompt_seconds(self) -> float:
        """Seconds of prompt, after trimming and padding to whole patches."""
        return 0.0 if self.prompt is None else self.prompt.shape[0] * self.patch_seconds

    @property
    def consent_id(self) -> str:
        """Id of the consent record."""
        return self.consent.record_id

    @cached_property
    def key(self) -> str:
        """Identity by content: latents, transcript and model."""
        digest = hashlib.sha256(f"{self.fingerprint}\0{self.transcript}".encode())
        for part in (self.reference, self.prompt):
            digest.update(b"\0")
            if part is not None:
                digest.update(str(list(part.shape)).encode() + part.contiguous().numpy().tobytes())
        return digest.hexdigest()[:24]

    def save(self, path: Path, prefix: PrefixState | None = None) -> None:
        """Write as safetensors (atomically); ``prefix`` goes along if given, so that the next use starts warm."""
        tensors: dict[str, Tensor] = {}
        if self.reference is not None:
            tensors["reference"] = self.reference.contiguous()
        if self.prompt is not None:
            tensors["prompt"] = self.prompt.contiguous()
        if prefix is not None:
            for name, cache in (("lm", prefix.lm_cache), ("residual", prefix.residual_cache)):
                tensors[f"{name}.k"] = cache.k[:, :, :, : cache.used].cpu().contiguous()
                tensors[f"{name}.v"] = cache.v[:, :, :, : cache.used].cpu().contiguous()
        meta = {
            "format": FORMAT,
            "transcript": self.transcript,
            "fingerprint": self.fingerprint,
            "consent": json.dumps(self.consent.to_dict()),
            "patch_seconds": repr(self.patch_seconds),
            "findings": json.dumps(self.findings),
        }
        write_atomically(Path(path), save(tensors, meta))

    @classmethod
    def load(cls, path: Path) -> Voice:
        """Read what :meth:`save` wrote; :class:`CheckpointError` if it is something else or damaged."""
        path = Path(path)
        try:
            with safe_open(path, framework="pt") as reader:
                meta = reader.metadata() or {}
                tensors = {name: reader.get_tensor(name).clone() for name in reader.keys()}  # noqa: SIM118
        except (SafetensorError, OSError) as error:
            raise CheckpointError(f"{path.name} cannot be read as a voice ({error}); encode its audio again") from error
        if meta.get("format") != FORMAT or not ("reference" in tensors or "prompt" in tensors):
            raise CheckpointError(f"{path.name} is not a voice saved by this program")
        prefix = None
        if "lm.k" in tensors:
            caches = [
                KVCache(tensors[f"{n}.k"], tensors[f"{n}.v"], tensors[f"{n}.k"].shape[3]) for n in ("lm", "residual")
            ]
            prefix = PrefixState(*caches)
        return cls(
            tensors.get("reference"),
            tensors.get("prompt"),
            meta["transcript"],
            meta["fingerprint"],
            ConsentRecord.from_dict(json.loads(meta["consent"])),
            float(meta["patch_seconds"]),
            tuple(json.loads(meta["findings"])),
            prefix,
        )


class PrefixCache:
    """Filled prefixes by voice, held under a byte cap; the least recently used goes first. Safe over threads."""

    def __init__(self, cap_bytes: int) -> None:
        self.cap_bytes = cap_bytes
        self._entries: OrderedDict[str, PrefixState] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str, make: Callable[[], PrefixState]) -> PrefixState:
        """The prefix of ``key``, filled by ``make`` if it is not there. One larger than the cap is not kept."""
        with self._lock:
            found = self._entries.get(key)
            if found is not None:
                self._entries.move_to_end(key)
                return found
        made = make()
        with self._lock:
            if made.nbytes <= self.cap_bytes:
                self._entries[key] = made
                self._entries.move_to_end(key)
            while sum(entry.nbytes for entry in self._entries.values()) > self.cap_bytes:
                self._entries.popitem(last=False)
        return made

    def __len__(self) -> int:
        with self._lock:
            return len(self._entries)

    def nbytes(self) -> dict[str, int]:
        """Bytes held in RAM (``cpu``) and on the GPU (``gpu``)."""
        sizes = {"cpu": 0, "gpu": 0}
        with self._lock:
            for entry in self._entries.values():
                sizes["cpu" if entry.lm_cache.k.device.type == "cpu" else "gpu"] += entry.nbytes
        return sizes

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()


def to_device(prefix: PrefixState, device: torch.device, dtype: torch.dtype) -> PrefixState:
    """A saved prefix where the model is."""
    caches = [
        KVCache(c.k.to(device, dtype), c.v.to(device, dtype), c.used) for c in (prefix.lm_cache, prefix.residual_cache)
    ]
    return PrefixState(*caches)
