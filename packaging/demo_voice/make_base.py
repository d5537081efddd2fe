"""A model folder to start from: VoxCPM2 architecture in small, one token per character, first weights from a seed.

Takes the folder of an exported codec (audiovae.safetensors, audio_vae_config.json). The result is a complete model
folder that ``voxcpm train --mode full`` accepts.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import string
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import nn

from voxcpm.config import VoxCPMConfig
from voxcpm.model import VoxCPMModel
from voxcpm.modules.minicpm4 import MiniCPM4
from voxcpm.sequence import AUDIO_END, AUDIO_START, REFERENCE_END, REFERENCE_START
from voxcpm.training.codec_net import CONFIG as CODEC_CONFIG
from voxcpm.training.codec_net import WEIGHTS as CODEC_WEIGHTS

SPACE = "▁"
PUNCTUATION = ".,?!'-()\";:&%$/+"
ALIKE = {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "[": "(", "]": ")", "…": "."}
ACCENTS = {"a": "àáâäã", "c": "ç", "e": "èéêë", "i": "ìíîï", "n": "ñ", "o": "òóôöõ", "u": "ùúûü"}
SPECIAL = {
    0: "<unk>",
    1: "<s>",
    2: "</s>",
    AUDIO_START: "<|audio_start|>",
    AUDIO_END: "<|audio_end|>",
    REFERENCE_START: "<|ref_audio_start|>",
    REFERENCE_END: "<|ref_audio_end|>",
}
VOCABULARY = 108
GUIDANCE, TEMPERATURE = 3.5, 0.55
"""When speaking: stronger guidance and weaker starting noise than usual, with which so small a model says far more
words right. Chosen with every third of the test sentences (see README.md)."""


def tokenizer_files() -> dict[str, Any]:
    """tokenizer.json and tokenizer_config.json. Characters that sound alike share an id: capitals need no learning."""
    vocabulary = {text: number for number, text in SPECIAL.items()}
    for number, character in enumerate((SPACE, *string.ascii_lowercase, *string.digits, *PUNCTUATION), 3):
        vocabulary[character] = number
    for lower in string.ascii_lowercase:
        vocabulary[lower.upper()] = vocabulary[lower]
    for plain, accented in ACCENTS.items():
        for character in accented:
            vocabulary[character] = vocabulary[character.upper()] = vocabulary[plain]
    vocabulary |= {character: vocabulary[plain] for character, plain in ALIKE.items()}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {
        "tokenizer.json": {
            "version": "1.0",
            "added_tokens": [{"id": number, "content": text, **flags} for number, text in SPECIAL.items()],
            "model": {
                "type": "BPE",
                "unk_token": "<unk>",
                "fuse_unk": True,
                "byte_fallback": True,
                "vocab": vocabulary,
                "merges": [],
            },
        },
        "tokenizer_config.json": {
            "added_tokens_decoder": {str(number): {"content": text, **flags} for number, text in SPECIAL.items()},
            "bos_token": "<s>",
            "eos_token": "</s>",
            "unk_token": "<unk>",
            "legacy": True,
            "tokenizer_class": "LlamaTokenizer",
        },
    }


def config(codec: dict[str, Any]) -> dict[str, Any]:
    """config.json of the demo model."""
    head, local = 64, {"hidden_dim": 256, "ffn_dim": 768, "num_heads": 4, "kv_channels": 64}
    return {
        "architecture": "voxcpm2",
        "lm_config": {
            "hidden_size": 256,
            "intermediate_size": 768,
            "num_attention_heads": 4,
            "num_hidden_layers": 6,
            "num_key_value_heads": 2,
            "kv_channels": head,
            "max_position_embeddings": 1024,
            "rms_norm_eps": 1e-5,
            "rope_theta": 10000,
            "rope_scaling": {
                "type": "longrope",
                "long_factor": [1.0] * (head // 2),
                "short_factor": [1.0] * (head // 2),
                "original_max_position_embeddings": 1024,
            },
            "vocab_size": VOCABULARY,
            "use_mup": False,
            "scale_emb": 1,
            "scale_depth": 1.0,
        },
        "patch_size": 4,
        "feat_dim": codec["latent_dim"],
        "scalar_quantization_latent_dim": 128,
        "scalar_quantization_scale": 9,
        "residual_lm_num_layers": 2,
        "residual_lm_no_rope": True,
        "encoder_config": {**local, "num_layers": 1},
        "dit_config": {
            **local,
            "num_layers": 3,
            "cfm_config": {
                "sigma_min": 1e-6,
                "solver": "euler",
                "t_scheduler": "log-norm",
                "inference_cfg_rate": GUIDANCE,
                "inference_temperature": TEMPERATURE,
            },
        },
        "audio_vae_config": codec,
        "max_length": 1024,
    }


@torch.no_grad()
def first_weights(model: VoxCPMModel, generator: torch.Generator) -> None:
    """Layers that keep the size of what passes through; branches that start small; a velocity of zero."""
    for module in model.modules():
        if isinstance(module, nn.Linear):
            module.weight.normal_(0, module.in_features**-0.5, generator=generator)
            if module.bias is not None:
                module.bias.zero_()
        elif isinstance(module, nn.Embedding):
            module.weight.normal_(0, 1.0, generator=generator)
    for stack in model.modules():
        if isinstance(stack, MiniCPM4):
            scale = 1 / math.sqrt(2 * len(stack.layers))
            for name, parameter in stack.named_parameters():
                if name.endswith(("o_proj.weight", "down_proj.weight")):
                    parameter.mul_(scale)
    for name, parameter in model.named_parameters():
        if name.endswith("special_token"):
            parameter.normal_(0, 1.0, generator=generator)
    model.feat_decoder.estimator.out_proj.weight.zero_()
    model.stop_head.weight.mul_(0.1)


def main() -> None:
    """See the top of this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("codec", type=Path, help="folder of an exported codec")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    section = json.loads((options.codec / CODEC_CONFIG).read_text(encoding="utf-8"))
    raw = config(section)
    model = VoxCPMModel(VoxCPMConfig.from_dict(raw, strict=True))
    first_weights(model, torch.Generator().manual_seed(options.seed))
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, content in {"config.json": raw, **tokenizer_files()}.items():
        (options.folder / name).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    weights = {name: p.detach().contiguous() for name, p in model.named_parameters()}
    save_file(weights, options.folder / "model.safetensors", {"format": "pt"})
    shutil.copyfile(options.codec / CODEC_WEIGHTS, options.folder / CODEC_WEIGHTS)
    print(f"{sum(p.numel() for p in weights.values()) / 1e6:.2f} million weights in {options.folder}")


if __name__ == "__main__":
    main()
