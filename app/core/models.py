"""Model folders: which one to open, what to call it, and whether it is one at all."""

from __future__ import annotations

import json
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from app.core.published_models import published
from app.core.resources import default_model_folder

log = logging.getLogger(__name__)

CARD_FILE = "model_card.json"


@dataclass(frozen=True)
class ModelCard:
    """What a model folder says of itself: ``name`` for people and a ``note`` that must not be overlooked.

    ``licence``, ``languages`` and ``training`` (what it learnt from) are sentences; empty where it does not say.
    """

    name: str
    note: str = ""
    licence: str = ""
    languages: str = ""
    training: str = ""


def default_model_dir() -> Path | None:
    """Return the folder of the model that ships with the studio, or None where it is missing."""
    try:
        return default_model_folder()
    except FileNotFoundError:
        log.warning("The bundled model is missing")
        return None


def read_card(folder: Path) -> ModelCard:
    """Return the card in ``model_card.json`` ({"name": ..., "note": ..., ...}).

    A folder without one is called by its own name; a downloaded published model gets what its makers say of it.
    """
    path = folder / CARD_FILE
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        texts = (str(raw.get(key, "")) for key in ("note", "licence", "languages", "training"))
        return ModelCard(str(raw.get("name") or folder.name), *texts)
    except FileNotFoundError:
        known = published(folder.name)
        if known is not None:
            return ModelCard(known.name, "", known.licence, known.languages, known.training)
        return ModelCard(folder.name)
    except (OSError, ValueError, AttributeError):
        log.warning("A %s could not be read and is passed over", CARD_FILE)
        return ModelCard(folder.name)


def looks_like_model(folder: Path) -> bool:
    """Tell whether ``folder`` holds a config.json, which every model folder has."""
    return (folder / "config.json").is_file()


def same_folder(first: str, second: str) -> bool:
    """Tell whether two folder names mean the same place; an empty name means none."""
    return bool(first) and bool(second) and Path(first).resolve() == Path(second).resolve()


def default_models_folder() -> Path:
    """Return where downloaded models are kept unless the settings say otherwise; the command line uses it too."""
    return platformdirs.user_data_path("voxcpm-studio", appauthor=False) / "models"


def begun_bytes(folder: Path, name: str) -> int:
    """How much of a download that was stopped or broke off is kept in the models folder; 0 for none."""
    part = folder / f".{name}.part"
    try:
        return sum(path.stat().st_size for path in part.iterdir() if path.is_file())
    except OSError:
        return 0


def free_bytes(folder: Path) -> int:
    """Free room on the disk that ``folder`` is or would be on; 0 if that cannot be found out."""
    for place in (folder, *folder.parents):
        if place.is_dir():
            try:
                return shutil.disk_usage(place).free
            except OSError:
                return 0
    return 0
