"""What is in a model folder, found out without loading the weights."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from voxcpm.config import VoxCPMConfig
from voxcpm.errors import CheckpointError

_BYTES = {"float32": 4, "bfloat16": 2}
_SAFETENSORS_NAMES = {
    "F64": ("float64", 8),
    "F32": ("float32", 4),
    "F16": ("float16", 2),
    "BF16": ("bfloat16", 2),
    "I64": ("int64", 8),
    "I32": ("int32", 4),
    "I16": ("int16", 2),
    "I8": ("int8", 1),
    "U8": ("uint8", 1),
    "BOOL": ("bool", 1),
}


@dataclass(frozen=True)
class DtypeShare:
    """What a checkpoint stores in one number format."""

    tensors: int
    parameters: int
    bytes: int


@dataclass(frozen=True)
class MemoryNeed:
    """Bytes that a model needs in one precision, computed from its shape: nothing is measured.

    ``full_context`` is the cache of both language models when one take fills the context to the end.
    """

    weights: int
    full_context: int


@dataclass(frozen=True)
class Inspection:
    """The content of a model folder. Rates in Hz; ``modes`` as in ``voxcpm.request.MODES``."""

    folder: Path
    config: VoxCPMConfig
    fingerprint: str
    files: dict[str, int]  # name -> bytes
    pickled: dict[str, list[str]]  # weight files that are not safetensors -> who knows them; nobody: not read
    stored: dict[str, DtypeShare]  # by number format
    parameters: dict[str, int]  # model, audiovae
    vocab_size: int
    modes: tuple[str, ...]
    takes_description: bool
    memory: dict[str, MemoryNeed]  # by precision of the model

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        config = asdict(self.config)
        unknown = list(config.pop("unknown_keys"))
        vae = self.config.audio_vae_config
        return {
            "folder": str(self.folder),
            "architecture": self.config.architecture,
            "fingerprint": self.fingerprint,
            "modes": list(self.modes),
            "takes_description": self.takes_description,
            "encode_rate": vae.sample_rate,
            "output_rate": vae.output_rate,
            "patch_seconds": self.config.patch_seconds,
            "max_length": self.config.max_length,
            "tokenizer": {"vocab_size": self.vocab_size},
            "parameters": self.parameters,
            "stored": {name: asdict(share) for name, share in sorted(self.stored.items())},
            "memory": {name: asdict(need) for name, need in self.memory.items()},
            "files": self.files,
            "pickled": self.pickled,
            "unknown_keys": unknown,
            "config": config,
        }


def inspect_folder(folder: str | Path, *, strict: bool = False) -> Inspection:
    """Read a model folder's config, tokenizer and the headers of its weight files. Pickles that are not known are not
    read: their parameters count as none.

    ``strict`` refuses a config with unknown keys, which are otherwise reported in ``config.unknown_keys``.

    Raises:
        CheckpointError: a part is missing or unreadable.
        ConfigError: the config is incomplete or describes something that this program does not run.
    """
    from voxcpm.checkpoint import CheckpointFiles
    from voxcpm.pins import vouchers
    from voxcpm.tokenizer import TextTokenizer

    folder = Path(folder)
    files = CheckpointFiles.locate(folder)
    config = VoxCPMConfig.from_file(folder, strict=strict)
    stored: dict[str, Counter[str]] = {}
    parameters: dict[str, int] = {}
    for part, paths in (("model", files.model), ("audiovae", files.vae)):
        parameters[part] = 0
        for dtype, size, count in _headers(paths):
            stored.setdefault(dtype, Counter()).update(tensors=1, parameters=count, bytes=count * size)
            parameters[part] += count
    weights = (*files.model, *files.vae)
    return Inspection(
        folder=folder,
        config=config,
        fingerprint=files.fingerprint(),
        files={path.name: path.stat().st_size for path in sorted(folder.iterdir()) if path.is_file()},
        pickled={path.name: vouchers(path) for path in weights if path.suffix != ".safetensors"},
        stored={dtype: DtypeShare(**counts) for dtype, counts in stored.items()},
        parameters=parameters,
        vocab_size=TextTokenizer.from_dir(folder).vocab_size,
        modes=("design", "reference", "continuation", "combined")
        if config.takes_reference
        else ("design", "continuation"),
        takes_description=config.takes_reference,
        memory={name: _memory(config, parameters, size) for name, size in _BYTES.items()},
    )


def _headers(paths: tuple[Path, ...]) -> Iterator[tuple[str, int, int]]:
    """Number format, bytes per number and count of numbers of every tensor."""
    from safetensors import SafetensorError, safe_open

    from voxcpm.checkpoint import read_tensors
    from voxcpm.pins import may_be_read

    for path in paths:
        if path.suffix != ".safetensors":
            if not may_be_read(path):
                continue
            for _, tensor in read_tensors((path,)):
                yield str(tensor.dtype).removeprefix("torch."), tensor.element_size(), tensor.numel()
            continue
        try:
            with safe_open(path, framework="pt") as reader:
                for name in reader.keys():  # noqa: SIM118 (not a dict)
                    part = reader.get_slice(name)
                    code = part.get_dtype()
                    dtype, size = _SAFETENSORS_NAMES.get(code, (code.lower(), 1))
                    yield dtype, size, math.prod(part.get_shape())
        except (SafetensorError, OSError) as error:
            raise CheckpointError(f"{path.name} cannot be read ({error}); fetch the model again") from error


def _memory(config: VoxCPMConfig, parameters: dict[str, int], size: int) -> MemoryNeed:
    """The codec stays in float32 whatever the precision of the model."""
    cache = 0
    for lm in (config.lm_config, config.residual_lm_config):
        cache += 2 * lm.num_hidden_layers * lm.num_key_value_heads * lm.head_dim * config.max_length * size
    return MemoryNeed(parameters["model"] * size + parameters["audiovae"] * 4, cache)
