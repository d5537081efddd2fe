"""How much memory a model needs on this machine: computed from its shape and what the machine is, nothing measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.core.published_models import PublishedModel

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
INT8_BYTES = 1.3  # a weight at most: embeddings and small layers keep more bits (demo voice: 1.3 held)


@dataclass(frozen=True)
class Device:
    """Something that a model can run on; memory in bytes."""

    name: str
    memory: int
    free: int


@dataclass(frozen=True)
class Machine:
    """``device`` is what ``auto`` means here; ``bfloat16`` whether that keeps 16-bit weights so.

    ``half_weights``: the processor then computes in float32, and its context takes as much.
    """

    device: str
    bfloat16: bool
    devices: tuple[Device, ...]
    half_weights: bool = False

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Machine:
        """Read what ``voxcpm info --machine --json`` says."""
        devices = tuple(Device(str(one["name"]), int(one["memory"]), int(one["free"])) for one in raw["devices"])
        return cls(str(raw["device"]), bool(raw["bfloat16"]), devices, bool(raw.get("half_weights", False)))

    def find(self, device: str) -> Device | None:
        """The device that ``auto``, ``cpu``, ``cuda`` or ``mps`` means; None where there is none."""
        wanted = self.device if device == "auto" else device
        exact = next((one for one in self.devices if one.name == wanted), None)
        return exact or next((one for one in self.devices if one.name.split(":")[0] == wanted), None)


@dataclass(frozen=True)
class Size:
    """The shape of a model, as far as memory goes. ``stored`` is the number format that most of it is stored in."""

    parameters: int
    codec_parameters: int
    context_numbers: int
    stored: str

    @classmethod
    def of_published(cls, model: PublishedModel) -> Size:
        """From the published config."""
        return cls(model.parameters, model.codec_parameters, model.context_numbers, "bfloat16")

    @classmethod
    def from_info(cls, raw: Mapping[str, Any]) -> Size:
        """Read what ``voxcpm info --json`` says."""
        stored = max(raw["stored"].items(), key=lambda item: int(item[1]["bytes"]))[0]
        context = int(raw["memory"]["float32"]["full_context"]) // BYTES["float32"]
        return cls(int(raw["parameters"]["model"]), int(raw["parameters"]["audiovae"]), context, str(stored))


@dataclass(frozen=True)
class Need:
    """Bytes on ``device`` in ``dtype``: ``weights``, and up to ``context`` more for a take of the longest length."""

    device: Device
    dtype: str
    weights: int
    context: int

    @property
    def fits(self) -> bool:
        """Whether that much is free now. What is loaded already counts as not free."""
        return self.weights + self.context <= self.device.free


def need(size: Size, machine: Machine, device: str = "auto", dtype: str = "auto") -> Need | None:
    """What a model of ``size`` needs; None where the machine has no such device. The codec is always float32."""
    found = machine.find(device)
    if found is None:
        return None
    if dtype == "auto":  # as voxcpm.devices.choose_dtype does it
        native = machine.bfloat16 and found.name.split(":")[0] == machine.device.split(":")[0]
        dtype = "bfloat16" if size.stored != "float32" and native else "float32"
    if dtype == "int8":  # computed in float32 between the layers
        weights = int(size.parameters * INT8_BYTES) + size.codec_parameters * 4
        return Need(found, dtype, weights, size.context_numbers * BYTES["float32"])
    width = BYTES[dtype]
    weights = size.parameters * width + size.codec_parameters * 4
    wide = dtype == "bfloat16" and machine.half_weights and found.name == "cpu"
    return Need(found, dtype, weights, size.context_numbers * (BYTES["float32"] if wide else width))
