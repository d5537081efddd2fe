"""Loading published checkpoints: find the files, read tensors without a second copy, assign them strictly.

Layout of a model folder: ``config.json``, ``model.safetensors`` (or shards with ``model.safetensors.index.json``, or
``pytorch_model.bin``), ``audiovae.safetensors`` (or ``audiovae.pth``), ``tokenizer.json``.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from voxcpm.config import VoxCPMConfig
from voxcpm.errors import CheckpointError
from voxcpm.model import VoxCPMModel
from voxcpm.pins import check_pickle
from voxcpm.vae.audio_vae import AudioVAE
from voxcpm.vae.causal_conv import fold_weight_norm

logger = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
"""Called with (bytes assigned, bytes in all)."""

# Tensors that a file may carry and that are not loaded, each with its reason.
IGNORED = (
    (re.compile(r"(^|\.)rope_emb\."), "rotary tables are computed from the config"),
    (re.compile(r"(^|\.)rotary_emb\."), "rotary tables are computed from the config"),
)


@dataclass(frozen=True)
class CheckpointFiles:
    """Where the parts of a model folder are."""

    folder: Path
    config: Path
    model: tuple[Path, ...]
    vae: tuple[Path, ...]

    @classmethod
    def locate(cls, folder: Path) -> CheckpointFiles:
        """Find the parts; :class:`CheckpointError` names what is missing."""
        folder = Path(folder)
        if not folder.is_dir():
            raise CheckpointError(f"{folder} is not a folder; choose the folder that holds config.json and the weights")
        model = _weights(folder, "model.safetensors") or _weights(folder, "pytorch_model.bin")
        vae = _weights(folder, "audiovae.safetensors") or _weights(folder, "audiovae.pth")
        missing = [
            name
            for name, found in (
                ("config.json", (folder / "config.json").is_file()),
                ("model.safetensors or pytorch_model.bin", model),
                ("audiovae.safetensors or audiovae.pth", vae),
            )
            if not found
        ]
        if missing:
            raise CheckpointError(
                f"{folder.name} lacks {', '.join(missing)}; fetch the model again or choose another folder"
            )
        return cls(folder, folder / "config.json", model, vae)

    def fingerprint(self) -> str:
        """Short identity of the model: config, file sizes and the ends of every weight file (not all gigabytes)."""
        digest = hashlib.sha256(self.config.read_bytes())
        for file in (*self.model, *self.vae):
            size = file.stat().st_size
            digest.update(f"{file.name}:{size}".encode())
            with file.open("rb") as stream:
                digest.update(stream.read(1 << 20))
                stream.seek(max(0, size - (1 << 20)))
                digest.update(stream.read())
        return digest.hexdigest()[:16]


def _weights(folder: Path, name: str) -> tuple[Path, ...]:
    """One file, or the shards that ``name.index.json`` lists."""
    index = folder / f"{name}.index.json"
    if (folder / name).is_file():
        return (folder / name,)
    if not index.is_file():
        return ()
    try:
        shards = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise CheckpointError(f"{index.name} is not a shard index ({error}); fetch it again") from error
    files = []
    for shard in shards:
        if not isinstance(shard, str) or Path(shard).name != shard:
            raise CheckpointError(f"{index.name} points outside the model folder ({shard!r}); do not use this model")
        if not (folder / shard).is_file():
            raise CheckpointError(f"{index.name} lists {shard}, which is missing; fetch the model again")
        files.append(folder / shard)
    return tuple(files)


def read_tensors(files: tuple[Path, ...]) -> Iterator[tuple[str, Tensor]]:
    """All tensors of the files, mapped and not copied. Pickles whose hash is not known are refused, others are read by
    torch's restricted loader only."""
    for file in files:
        try:
            if file.suffix == ".safetensors":
                with safe_open(file, framework="pt") as reader:
                    for name in reader.keys():  # noqa: SIM118 (not a dict)
                        yield name, reader.get_tensor(name)
            else:
                yield from _read_pickle(file)
        except (SafetensorError, OSError, RuntimeError, EOFError, ValueError) as error:
            raise CheckpointError(f"{file.name} cannot be read ({error}); fetch it again") from error


def _read_pickle(file: Path) -> Iterator[tuple[str, Tensor]]:
    check_pickle(file)
    try:
        try:
            content = torch.load(file, map_location="cpu", weights_only=True, mmap=True)
        except (RuntimeError, ValueError):  # files of the old, unzipped format cannot be mapped
            content = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # UnpicklingError and whatever else a foreign pickle provokes
        raise CheckpointError(f"{file.name} is not a plain file of tensors ({error}); do not use it") from error
    if isinstance(content, dict) and isinstance(content.get("state_dict"), dict):
        content = content["state_dict"]
    if not isinstance(content, dict):
        raise CheckpointError(f"{file.name} holds no table of tensors; fetch it again")
    for name, value in content.items():
        if not isinstance(value, Tensor):
            raise CheckpointError(f"{file.name}: {name} is not a tensor; fetch it again")
        yield str(name), value


def load_model(
    config: VoxCPMConfig,
    tensors: Iterator[tuple[str, Tensor]],
    *,
    device: torch.device,
    dtype: torch.dtype | None,
    progress: Progress | None = None,
) -> VoxCPMModel:
    """The language models and local transformers, every parameter cast to ``dtype`` (None: as stored) one at a time."""
    with torch.device("meta"):
        model = VoxCPMModel(config)
    _assign(model, tensors, device, dtype, "model", progress)
    return finish(model)


def load_vae(config: VoxCPMConfig, tensors: Iterator[tuple[str, Tensor]], *, device: torch.device) -> AudioVAE:
    """The codec in float32, weight norm folded into plain weights."""
    with torch.device("meta"):
        vae = AudioVAE(config.audio_vae_config)
    _assign(vae, _folded(tensors), device, torch.float32, "audiovae", None)
    return vae.eval().requires_grad_(False)


def finish(model: VoxCPMModel) -> VoxCPMModel:
    """Ready for inference: rotary tables, no gradients."""
    model.prepare()
    return model.eval().requires_grad_(False)


def detach_from_files(module: nn.Module) -> None:
    """Copy what is still mapped from a file into memory, tensor by tensor.

    Loading maps files, so that packed and cast weights cost one copy only; but a mapped file that is overwritten in
    place while the model lives would end the whole program.
    """
    for tensor in (*module.parameters(), *module.buffers()):
        if tensor.device.type == "cpu":
            tensor.data = tensor.data.clone()


def _folded(tensors: Iterator[tuple[str, Tensor]]) -> Iterator[tuple[str, Tensor]]:
    """Join ``weight_g`` and ``weight_v`` (also under torch's newer parametrisation names) into ``weight``."""
    waiting: dict[str, dict[str, Tensor]] = {}
    for raw_name, tensor in tensors:
        name = raw_name.replace(".parametrizations.weight.original0", ".weight_g")
        name = name.replace(".parametrizations.weight.original1", ".weight_v")
        base, _, kind = name.rpartition(".")
        if kind not in ("weight_g", "weight_v"):
            yield name, tensor
            continue
        pair = waiting.setdefault(base, {})
        pair[kind] = tensor
        if len(pair) == 2:
            del waiting[base]
            yield f"{base}.weight", fold_weight_norm(pair["weight_v"], pair["weight_g"])
    if waiting:
        raise CheckpointError("audiovae has half of a weight-norm pair only: " + _some(sorted(waiting)))


def _assign(
    module: nn.Module,
    tensors: Iterator[tuple[str, Tensor]],
    device: torch.device,
    dtype: torch.dtype | None,
    what: str,
    progress: Progress | None,
) -> None:
    """Put tensors in place of meta ones; missing, foreign, repeated and misshapen ones are named."""
    owners = {
        name: owner
        for owner_name, owner in module.named_modules()
        for name in (f"{owner_name}.{n}".lstrip(".") for n in (*owner._parameters, *owner._buffers))
    }
    wanted = dict(module.named_parameters()) | dict(module.named_buffers())
    total = sum(t.numel() for t in wanted.values())
    foreign: list[str] = []
    misshapen: list[str] = []
    seen: set[str] = set()
    done = 0
    for name, tensor in tensors:
        if name not in wanted:
            if not any(pattern.search(name) for pattern, _ in IGNORED):
                foreign.append(name)
            continue
        if name in seen:
            raise CheckpointError(f"{what}: {name} is there twice; fetch the model again")
        seen.add(name)
        if tensor.shape != wanted[name].shape:
            misshapen.append(f"{name} is {list(tensor.shape)}, the config wants {list(wanted[name].shape)}")
            continue
        owner, leaf = owners[name], name.rpartition(".")[2]
        value = tensor.to(device=device, dtype=dtype if dtype and tensor.is_floating_point() else tensor.dtype)
        if leaf in owner._buffers:
            owner._buffers[leaf] = value
        else:
            owner._parameters[leaf] = nn.Parameter(value, requires_grad=False)
        done += tensor.numel()
        if progress is not None:
            progress(done, total)
    missing = sorted(set(wanted) - seen)
    problems = [
        f"{label}: {_some(names)}"
        for label, names in (("missing", missing), ("foreign", foreign), ("wrong shape", misshapen))
        if names
    ]
    if problems:
        raise CheckpointError(
            f"{what} does not fit its config.json. "
            + "; ".join(problems)
            + ". Fetch the model again, or check that all files are of the same model"
        )


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:8])
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"
