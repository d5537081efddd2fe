"""A demo model from a checkpoint of its training: the averaged weights in the published layout, and what it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from demo_training import AVERAGED, PHONES, DemoOptions
from latent_store import LatentStore

from voxcpm.errors import CheckpointError
from voxcpm.files import write_atomically
from voxcpm.training.loading import Trainable, load_trainable
from voxcpm.training.runs import RunFolder, Saved
from voxcpm.training.saving import export

CARD = "model_card.json"
NAME = "Demo voice (English, for trying out)"
NOTE = (
    "A very small model that comes with the program, to try it out: English only. It mispronounces words, and other "
    "voices are not followed well; load a published model for real work."
)
LICENCE = "Apache-2.0, like this program; sources and licences are listed in packaging/demo_voice."
LANGUAGES = "English"
TRAINING = (
    "{million:.0f} million weights, trained on {hours:.0f} hours of computer-made speech of the flite voices {voices}, "
    "which were made from recordings of real people; the sentences are from WordNet."
)


def export_demo(options: DemoOptions, run: RunFolder, source: Saved, target: Path, parts: Trainable) -> None:
    """Write ``target`` as a complete model folder in bfloat16. Raises ``OSError``."""
    export(source.folder, target, parts, (), weights=AVERAGED, dtype=torch.bfloat16)
    million = sum(p.numel() for name, p in parts.model.named_parameters() if not name.startswith(PHONES)) / 1e6
    store = LatentStore(Path(options.data))
    hours = int(store.index[:, 1].sum()) * parts.config.patch_seconds / 3600
    voices = ", ".join(sorted(store.by_voice))
    card: dict[str, Any] = {
        "name": NAME,
        "note": NOTE,
        "licence": LICENCE,
        "languages": LANGUAGES,
        "training": TRAINING.format(million=million, hours=hours, voices=voices),
        "steps": source.step,
    }
    judged = [e for e in run.log() if e["event"] == "validation" and e["step"] == source.step]
    if judged:
        card["validation"] = {key: judged[-1][key] for key in ("loss", "diff", "stop", "text_gap")}
    write_atomically(target / CARD, (json.dumps(card, indent=2, ensure_ascii=False) + "\n").encode())


def export_run(folder: Path, target: Path) -> int:
    """Export the best checkpoint of a run by validation, or its newest without one; returns its step.

    Raises :class:`CheckpointError` while there is none.
    """
    run = RunFolder(folder)
    options = DemoOptions.from_dict(run.read_choices()["options"])
    found, _ = run.checkpoints()
    if not found:
        raise CheckpointError(f"{folder} has no complete checkpoint yet; wait for the first one")
    best = found[-1].state["best_step"]
    source = next((saved for saved in found if saved.step == best), found[-1])
    parts = load_trainable(Path(options.model), device=torch.device("cpu"))
    export_demo(options, run, source, target, parts)
    return source.step
