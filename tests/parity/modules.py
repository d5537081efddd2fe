"""Rules for ``modules.safetensors``: rotary tables, language-model stacks, LocEnc, FSQ, LocDiT, CFM."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from tests.parity.folder import Rule, Vectors
from voxcpm.checkpoint import CheckpointFiles, load_model, read_tensors
from voxcpm.flow.solver import plan_sampler, sample_patch, time_grid
from voxcpm.modules.kv_cache import KVCache
from voxcpm.modules.locdit import LocDiT, sinusoidal_embedding
from voxcpm.modules.minicpm4 import MiniCPM4
from voxcpm.modules.rope import rope_tables

FILE = "modules.safetensors"


def swap(x: Tensor) -> Tensor:
    """[N, D, P] <-> [N, P, D]: the recordings keep channels first."""
    return x.transpose(-1, -2)


@torch.inference_mode()
def check(vectors: Vectors) -> None:
    """Compare the whole file."""
    tensors = vectors.tensors(FILE)
    if tensors:
        vectors.run(FILE, tensors, ModuleRules(vectors, tensors).rules())


class ModuleRules:
    """One method per kind of key."""

    def __init__(self, vectors: Vectors, tensors: dict[str, Tensor]) -> None:
        self.entries = vectors.entries(FILE)
        self.t = tensors
        self.model = vectors.engine.model
        self.config = vectors.engine.config
        self.folder = vectors.checkpoint

    def rules(self) -> list[tuple[str, Rule]]:
        """Patterns in order of trial."""
        return [
            (r"(rope\w*)\.(cos|sin)", self.rope),
            (r"(base_lm|residual_lm)\.layer(\d+)\.(input_layernorm|attn_out|k|v|out)", self.layer),
            (r"(base_lm|residual_lm)\.(causal|noncausal|step|causal_flipped_mup)", self.stack),
            (r"embed\.out", lambda _: self.model.base_lm.embed(self.t["embed.tokens"])),
            (r"locenc\.out", lambda _: self.model.feat_encoder(self.t["locenc.in"])),
            (r"locenc\.proj", lambda _: self.model.enc_to_lm_proj(self.t["locenc.out"])),
            (r"fsq\.(tanh|codes|out_eval|out_train|grad_in_train)", self.fsq),
            (r"dit\.(time_sinusoid|time_mlp|out)", self.dit),
            (r"cfm\.t_span_n(\d+)", lambda m: time_grid(int(m[1]))),
            (
                r"cfm\.out_n(?P<n>\d+)_cfg(?P<cfg>[\d.]+?)(?:_temp(?P<temp>[\d.]+))?(?P<plain>_nozerostar)?"
                r"(?:_sway(?P<sway>[\d.]+))?(?P<mean>_meanmode)?",
                self.cfm,
            ),
            (r"cfm\.trace_n(\d+)_([xtv])", self.trace),
            (r".*\.(positions|inputs_embeds|tokens|in|upstream_grad|time_in|x|mu|t|cond|dt|z)", lambda _: None),
        ]

    def rope(self, match: re.Match[str]) -> Tensor:
        """Tables, with the config overrides that the entry's note spells out."""
        config = self.config.lm_config
        note = self.entries[match[0]].get("how", "")
        if "config override" in note:
            values = dict(re.findall(r"([\w.]+)=(\d+)", note))
            scaling = replace(
                config.rope_scaling,
                original_max_position_embeddings=int(
                    values.get(
                        "rope_scaling.original_max_position_embeddings",
                        config.rope_scaling.original_max_position_embeddings,
                    )
                ),
            )
            config = replace(
                config,
                rope_scaling=scaling,
                max_position_embeddings=int(values.get("max_position_embeddings", config.max_position_embeddings)),
            )
        tables = rope_tables(config, self.t[f"{match[1]}.positions"])
        return tables[match[2] == "sin"]

    def layer(self, match: re.Match[str]) -> Tensor:
        """The inside of one layer, causal over the whole input."""
        stack: MiniCPM4 = getattr(self.model, match[1])
        x, index = self.t["lm.inputs_embeds"], int(match[2])
        rope = stack.rope(slice(0, x.shape[1]))
        for before in range(index):
            x = stack.layers[before](x, rope, causal=True)
        layer: Any = stack.layers[index]
        if match[3] == "input_layernorm":
            return layer.input_layernorm(x)
        if match[3] == "attn_out":
            return layer.self_attn(layer.input_layernorm(x), rope, causal=True)
        if match[3] == "out":
            return layer(x, rope, causal=True)
        _, k, v = layer.self_attn.project(layer.input_layernorm(x), rope)
        return k if match[3] == "k" else v

    def stack(self, match: re.Match[str]) -> Tensor:
        """A whole stack."""
        stack: MiniCPM4 = getattr(self.model, match[1])
        x, kind = self.t["lm.inputs_embeds"], match[2]
        if kind == "step":
            steps = self.t[match[0]].shape[1]
            cache = KVCache.empty(stack.config, 1, 1, device=x.device, dtype=x.dtype)
            stack.extend(x[:1, :-steps], cache)
            first = x.shape[1] - steps
            return torch.cat([stack.extend(x[:1, i : i + 1], cache) for i in range(first, x.shape[1])], dim=1)
        if kind == "causal_flipped_mup":
            stack = self.trainable()[match[1]]
            flipped = replace(stack.config, use_mup=not stack.config.use_mup)
            for layer in stack.layers:
                layer.scale = flipped.residual_scale
            kind = "causal"
        return stack(x, causal=kind == "causal")

    def fsq(self, match: re.Match[str]) -> Tensor:
        """Quantiser values and its straight-through gradient."""
        layer, x = self.model.fsq_layer, self.t["fsq.in"]
        if match[1] == "tanh":
            return layer.bounded(x)
        if match[1] == "codes":
            return torch.round(layer.bounded(x) * layer.scale)
        if match[1] == "out_eval":
            return layer(x)
        with torch.inference_mode(False), torch.enable_grad():
            x = x.clone().requires_grad_(True)
            trained = self.trainable()["fsq_layer"].train()
            out = trained(x)
            out.backward(self.t["fsq.upstream_grad"].clone())
            return out.detach() if match[1] == "out_train" else x.grad

    def trainable(self) -> dict[str, Any]:
        """Parts read from the checkpoint again: packed layers have no gradient, and one rule changes a part."""
        tensors = read_tensors(CheckpointFiles.locate(self.folder).model)
        return dict(load_model(self.config, tensors, device=torch.device("cpu"), dtype=torch.float32).named_children())

    def dit(self, match: re.Match[str]) -> Tensor:
        """Time embedding and the estimator."""
        net, t = self.model.feat_decoder.estimator, self.t
        if match[1] == "time_sinusoid":
            return sinusoidal_embedding(t["dit.time_in"], net.size)
        if match[1] == "time_mlp":
            return net.time_mlp(sinusoidal_embedding(t["dit.time_in"], net.size))
        return swap(net(swap(t["dit.x"]), t["dit.mu"], t["dit.t"], swap(t["dit.cond"]), t["dit.dt"]))

    def cfm(self, match: re.Match[str]) -> Tensor:
        """A whole sampling run; the key's name spells out the options."""
        net = self.model.feat_decoder.estimator
        plan = plan_sampler(
            net,
            int(match["n"]),
            float(match["cfg"]),
            sway=float(match["sway"] or 1.0),
            zero_star=not match["plain"],
            mean_mode=bool(match["mean"]),
        )
        noise = swap(self.t["cfm.z"]) * float(match["temp"] or 1.0)
        return swap(sample_patch(net, plan, noise, self.t["cfm.mu"], swap(self.t["cfm.cond"])))

    def trace(self, match: re.Match[str]) -> Tensor:
        """What the estimator is given and gives at every call of the run with guidance 2."""
        recorder = Recorder(self.model.feat_decoder.estimator)
        plan = plan_sampler(recorder, int(match[1]), 2.0)  # type: ignore[arg-type]
        sample_patch(recorder, plan, swap(self.t["cfm.z"]), self.t["cfm.mu"], swap(self.t["cfm.cond"]))  # type: ignore[arg-type]
        if match[2] == "t":
            return torch.stack(recorder.times).expand(-1, 2 * self.t["cfm.z"].shape[0])
        return torch.stack([swap(x) for x in (recorder.inputs if match[2] == "x" else recorder.outputs)])


class Recorder:
    """Stands in for LocDiT and notes what passes."""

    def __init__(self, net: LocDiT) -> None:
        self.net = net
        self.times: list[Tensor] = []
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.net, name)

    def embed_time(self, times: Tensor, deltas: Tensor) -> Tensor:
        self.times.append(times)
        return self.net.embed_time(times, deltas)

    def velocity(self, x: Tensor, condition: Tensor, time: Tensor, previous: Tensor) -> Tensor:
        self.inputs.append(x)
        self.outputs.append(self.net.velocity(x, condition, time, previous))
        return self.outputs[-1]
