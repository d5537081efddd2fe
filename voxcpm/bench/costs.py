"""What one patch costs by counting: bytes of weights and context read, and operations, for every part."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from voxcpm.config import VoxCPMConfig
from voxcpm.flow.solver import zero_velocity_steps
from voxcpm.model import VoxCPMModel
from voxcpm.vae.audio_vae import AudioVAE
from voxcpm.vae.decoder import DecoderState

WIDTHS = {"float32": 4, "float16": 2, "bfloat16": 2, "int8": 1}
PARTS = ("lm", "locdit", "locenc", "vae")


@dataclass(frozen=True)
class Cost:
    """Of one part, for one patch of every row together."""

    bytes: int
    flops: int


@dataclass(frozen=True)
class Shape:
    """A model's sizes, counted once."""

    config: VoxCPMConfig
    stacks: dict[str, int]
    """Weights in the stacks' linear layers, which 8 bits take."""
    others: dict[str, int]
    """Weights in the other linear layers that a patch passes."""
    vae_bytes: int
    vae_flops: int

    @classmethod
    def of(cls, config: VoxCPMConfig) -> Shape:
        """Count on tensors without memory."""
        with torch.device("meta"), torch.inference_mode():
            model, vae = VoxCPMModel(config), AudioVAE(config.audio_vae_config)
            if config.audio_vae_config.sr_bin_boundaries:  # these must be numbers
                boundaries = torch.tensor(config.audio_vae_config.sr_bin_boundaries, device="cpu")
                vae.decoder.sr_bin_boundaries = boundaries
            with FlopCounterMode(display=False) as counter:
                frames = torch.empty(1, config.feat_dim, config.patch_size)
                vae.decoder.stream(frames, _warm(vae, config), config.audio_vae_config.output_rate)
        stacks = dict.fromkeys(("lm", "locdit", "locenc"), 0)
        others = dict(stacks)
        for name, module in model.named_modules():
            if isinstance(module, nn.Linear) and "time_mlp" not in name:  # times are embedded once per take
                part = {"feat_decoder": "locdit", "feat_encoder": "locenc", "enc_to_lm_proj": "locenc"}.get(
                    name.split(".")[0], "lm"
                )
                (stacks if ".layers." in name else others)[part] += module.weight.numel()
        vae_bytes = sum(p.numel() * 4 for p in vae.decoder.parameters())
        return cls(config, stacks, others, vae_bytes, counter.get_total_flops())

    def costs(self, precision: str, rows: int, *, steps: int, guided: bool, positions: int) -> dict[str, Cost]:
        """Per patch. ``positions`` is how far the context is filled; attention's own operations are left out."""
        width, narrow = WIDTHS[precision], 4 if precision == "int8" else WIDTHS[precision]
        evaluations = steps - zero_velocity_steps(steps)
        tokens = (3 if self.config.separate_dit_conditions else 1) + 2 * self.config.patch_size
        runs = {"lm": 1, "locenc": 1, "locdit": evaluations}
        row_count = {
            "lm": rows,
            "locenc": rows * (1 + self.config.patch_size),
            "locdit": rows * tokens * (2 if guided else 1),
        }
        out = {}
        for part, count in runs.items():
            size = (self.stacks[part] * width + self.others[part] * narrow) * count
            flops = 2 * (self.stacks[part] + self.others[part]) * row_count[part] * count
            out[part] = Cost(size + (self._context(rows, positions, narrow) if part == "lm" else 0), flops)
        return out | {"vae": Cost(self.vae_bytes, self.vae_flops * rows)}

    def _context(self, rows: int, positions: int, width: int) -> int:
        return sum(
            2 * lm.num_hidden_layers * lm.num_key_value_heads * lm.head_dim * positions * rows * width
            for lm in (self.config.lm_config, self.config.residual_lm_config)
        )


def _warm(vae: AudioVAE, config: VoxCPMConfig) -> DecoderState:
    return vae.decoder.stream(torch.empty(1, config.feat_dim, 1), DecoderState(), config.audio_vae_config.output_rate)[
        1
    ]
