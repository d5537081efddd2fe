"""Rules for ``train.safetensors``: packed batches, both losses with the recorded draws, gradients, one AdamW step.

Recordings with the prefix ``lora.`` are the same with the recorded adapter in place and everything else frozen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from tests.parity.folder import Rule, Vectors
from tests.parity.lora import lora_folder
from tests.parity.modules import swap
from tests.parity.report import NotCompared
from voxcpm import audio
from voxcpm.flow.cfm import FlowDraws
from voxcpm.lora import put, read_lora
from voxcpm.training.batch import Example, TrainingBatch, collate, pad_rows
from voxcpm.training.loading import Trainable, load_trainable
from voxcpm.training.losses import Losses, training_losses

FILE = "train.safetensors"
MARKER = -100.0  # the value that recorded raw batches are padded with; alone in a row it means that nothing is there
DRAWS = ("cfg_keep_rand", "noisy_cond_rand", "noisy_cond_randn", "r_normal", "t_normal", "r_neq_t_rand", "z")


def check(vectors: Vectors) -> None:
    """Compare the whole file, and the losses and norms in the manifest."""
    tensors = vectors.tensors(FILE)
    if not tensors:
        return
    rules = TrainRules(vectors, tensors)
    vectors.run(FILE, tensors, rules.rules())
    for prefix, name in (("", "train"), ("lora.", "train_lora")):
        if name in vectors.manifest:
            rules.check_scalars(prefix, name)


@dataclass
class Run:
    """One backward pass and what it left."""

    trainable: Trainable
    losses: Losses
    """Summed over every position and masked."""
    cheap: Losses
    """Only target positions through LocDiT; its gradients are the ones that are compared."""
    gradients: dict[str, Tensor]
    frozen: int
    without_gradient: list[str]


class TrainRules:
    """One method per kind of key."""

    def __init__(self, vectors: Vectors, tensors: dict[str, Tensor]) -> None:
        self.vectors, self.t = vectors, tensors
        self.entries = vectors.entries(FILE)
        self.made: dict[str, Run] = {}

    def rules(self) -> list[tuple[str, Rule]]:
        """Patterns in order of trial."""
        return [
            (r"collate\.(audio|text|ref_audio)_tokens", self.raw),
            (r"pack\.(\w+)\.(\w+)", self.packed),
            (r"(?:lora\.)?draw\d\..*", lambda _: None),
            (r"(lora\.)?loss_(diff|stop)", self.loss),
            (r"(lora\.)?feat_gt", lambda _: self.batch("with_ref").feats.flatten(1, 2).transpose(1, 2)),
            (r"(lora\.)?grad\.(.+)", lambda m: self.run(m[1] or "").gradients[m[2]]),
        ]

    @cached_property
    def base(self) -> Trainable:
        """The checkpoint, never changed."""
        return load_trainable(self.vectors.checkpoint, device=torch.device("cpu"))

    # Batches

    def raw(self, match: re.Match[str]) -> Tensor:
        """Texts and audio as the manifest names them, padded with the marker."""
        case = self.vectors.manifest["train"]
        if match[1] == "text":
            return pad_rows([torch.tensor(self.base.tokenizer.encode(text)) for text in case["texts"]], MARKER)
        return pad_rows([self.signal(name) for name in case[match[1]]], MARKER)

    def signal(self, note: str) -> Tensor:
        """A file, or the first samples of it, or the marker for none."""
        if note.startswith("none"):
            return torch.tensor([MARKER])
        match = re.fullmatch(r"(?:first (\d+) samples of )?(\S+\.\w+)", note)
        if match is None:
            raise NotCompared(f"the audio note {note!r} is not understood")
        recording = audio.read_audio(self.vectors.root / match[2])
        return torch.from_numpy(recording.samples)[: int(match[1]) if match[1] else None]

    def unpadded(self, part: str, row: int) -> Tensor:
        """A recorded raw row up to the first marker."""
        values = self.t[f"collate.{part}_tokens"][row]
        ends = (values == MARKER).nonzero()
        return values[: int(ends[0])] if len(ends) else values

    def latents(self, samples: Tensor) -> Tensor | None:
        """Encoded patches, None for an empty row."""
        if not len(samples):
            return None
        with torch.inference_mode():
            patches = self.base.vae.encode_patches(samples, self.base.config.patch_size)
        return patches.clone()

    def batch(self, kind: str) -> TrainingBatch:
        """The recorded raw batch, packed in one of the recorded ways."""
        notes = " ".join(entry["desc"] for key, entry in self.entries.items() if key.startswith(f"pack.{kind}."))
        limit = re.search(r"max_len=(\d+)", notes)
        examples = []
        for row, dataset in enumerate(self.vectors.manifest["train"]["dataset_ids"]):
            target = self.latents(self.unpadded("audio", row))
            assert target is not None
            with_reference = kind in ("with_ref", "truncated")
            # Which rows were marked as prompts is recorded nowhere but in the result.
            flagged = kind == "prompt_flag" and bool((self.t[f"pack.{kind}.text_tokens"][row] == 103).any())
            examples.append(
                Example(
                    self.unpadded("text", row).tolist(),
                    target,
                    self.latents(self.unpadded("ref_audio", row)) if with_reference else None,
                    dataset,
                    flagged,
                )
            )
        return collate(examples, int(limit[1]) if limit else None)

    def packed(self, match: re.Match[str]) -> Tensor:
        """One output of the recorded packer."""
        batch = self.batch(match[1])
        frames = batch.audio_patches * self.base.config.patch_size
        parts = {
            "text_tokens": batch.tokens,
            "audio_feats": batch.feats,
            "text_mask": batch.text_mask,
            "audio_mask": batch.audio_mask,
            "loss_mask": batch.loss_mask,
            "position_ids": batch.position_ids,
            "labels": batch.stop_labels,
            "audio_task_ids": batch.audio_mask,
            "audio_dataset_ids": batch.dataset_ids,
            "audio_duration_consumed": frames // 25,  # whole seconds, as recorded
            "text_token_consumed": batch.text_tokens,
        }
        return parts[match[2]].to(self.t[match[0]].dtype)

    # Losses

    def draws(self, prefix: str) -> FlowDraws:
        """The recorded random numbers of every position."""
        names = {key.rpartition(".")[2]: key for key in self.t if re.fullmatch(rf"{prefix}draw\d+\.\w+", key)}
        noise = self.t[names["z"]]
        # What a model's settings switch off may not have been drawn; it then has no influence.
        values = [self.t[names[name]] if name in names else torch.ones_like(noise[:, 0, 0]) for name in DRAWS]
        return FlowDraws(*(swap(value) if value.dim() == 3 else value for value in values))

    def run(self, prefix: str) -> Run:
        """Forward and backward, once per prefix."""
        if prefix not in self.made:
            self.made[prefix] = self.make_run(prefix)
        return self.made[prefix]

    def make_run(self, prefix: str) -> Run:
        trainable = load_trainable(self.vectors.checkpoint, device=torch.device("cpu"))
        if prefix:
            self.adapt(trainable)
        model, batch = trainable.model, self.batch("with_ref")
        note = re.search(r"progress=([\d.]+\d)", self.entries.get(f"{prefix}loss_diff", {}).get("desc", ""))
        progress, draws = float(note[1]) if note else 0.0, self.draws(prefix)
        with torch.no_grad():
            losses = training_losses(model, batch, draws, progress=progress, every_position=True)
        cheap = training_losses(model, batch, draws.select(batch.loss_mask.flatten()), progress=progress)
        (cheap.mean_diff + cheap.mean_stop).backward()
        learning = {name: p for name, p in model.named_parameters() if p.requires_grad}
        return Run(
            trainable,
            losses,
            cheap,
            {name: p.grad.clone() for name, p in learning.items() if p.grad is not None},
            sum(1 for p in model.parameters() if not p.requires_grad),
            [name for name, p in learning.items() if p.grad is None],
        )

    def adapt(self, trainable: Trainable) -> None:
        """Put the recorded adapter in place, to be trained on."""
        put(trainable.model, read_lora(lora_folder(self.vectors)))

    def loss(self, match: re.Match[str]) -> Tensor:
        """Over every position; that the short way gives the same is checked with the manifest's scalars."""
        losses = self.run(match[1] or "").losses
        return losses.mean_diff if match[2] == "diff" else losses.mean_stop

    # Numbers in the manifest

    def check_scalars(self, prefix: str, name: str) -> None:
        report, where = self.vectors.report, f"{self.vectors.name}/manifest:{name}"
        try:
            self.compare_scalars(prefix, self.vectors.manifest[name], where)
        except NotCompared as reason:
            report.leave_out(where, str(reason))
        except Exception as error:
            report.settle(where, f"{type(error).__name__}: {error}")

    def compare_scalars(self, prefix: str, recorded: dict[str, Any], where: str) -> None:
        run, report = self.run(prefix), self.vectors.report
        for part in ("diff", "stop"):
            tolerance = self.entries.get(f"{prefix}loss_{part}", {"rtol": 1e-4, "atol": 1e-5})
            for way, losses in (("", run.losses), (" (target positions only)", run.cheap)):
                got = getattr(losses, f"mean_{part}")
                report.check(f"{where}.loss_{part}{way}", got, torch.tensor(recorded[f"loss_{part}"]), tolerance)
        loose = {"rtol": recorded.get("grad_rtol", 2e-3), "atol": 1e-7}
        norms = {name: float(value.norm()) for name, value in run.gradients.items()}
        groups: dict[str, float] = {}
        for name, norm in norms.items():
            group = name.split(".")[0]
            groups[group] = (groups.get(group, 0.0) ** 2 + norm**2) ** 0.5
        total = sum(norm**2 for norm in norms.values()) ** 0.5
        self.compare_table(f"{where}.grad_norm_by_parameter", norms, recorded.get("grad_norm_by_parameter"), loose)
        self.compare_table(f"{where}.grad_norm_by_group", groups, recorded.get("grad_norm_by_group"), loose)
        self.compare_table(f"{where}.grad_norm_total", {"": total}, {"": recorded.get("grad_norm_total", total)}, loose)
        report.equal(f"{where}.trainable_without_grad", run.without_gradient, recorded["trainable_without_grad"])
        report.equal(f"{where}.frozen", run.frozen, recorded["frozen"])
        key = "adamw_lr1e-4_wd0.01_update_norm"
        self.compare_table(f"{where}.{key}", adamw_update_norms(run), recorded.get(key), loose)

    def compare_table(
        self, where: str, ours: dict[str, float], recorded: dict[str, float] | None, tolerance: dict[str, float]
    ) -> None:
        """The same names, and every value within the tolerance."""
        if recorded is None:
            return
        self.vectors.report.equal(f"{where}:names", sorted(ours), sorted(recorded))
        for name in sorted(set(ours) & set(recorded)):
            got, wanted = torch.tensor(ours[name]), torch.tensor(recorded[name])
            self.vectors.report.check(f"{where}:{name}", got, wanted, tolerance)


def adamw_update_norms(run: Run) -> dict[str, float]:
    """How far one step moves every parameter."""
    parameters = {n: p for n, p in run.trainable.model.named_parameters() if p.requires_grad}
    before = {name: p.detach().clone() for name, p in parameters.items()}
    torch.optim.AdamW(parameters.values(), lr=1e-4, weight_decay=0.01).step()
    return {name: float((p.detach() - before[name]).norm()) for name, p in parameters.items()}
