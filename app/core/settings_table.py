"""Everything that the studio remembers, declared once: what is written, what is accepted, and what a dialog shows."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Kind(Enum):
    """What a setting holds, and so which field of a dialog it gets."""

    FLAG = "flag"
    COUNT = "count"  # whole number
    NUMBER = "number"
    CHOICE = "choice"
    TEXT = "text"
    FOLDER = "folder"  # a path as text; empty for none
    TEXTS = "texts"  # list of texts
    NAMED_TEXTS = "named texts"  # name -> text


class Section(Enum):
    """Under which heading a dialog shows a setting. WINDOW is not shown: the window remembers it by itself."""

    WINDOW = "window"
    LOOK = "look"
    MODEL = "model"
    MAKING = "making"
    LISTENING = "listening"
    FILES = "files"


_YES, _NO = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


@dataclass(frozen=True)
class Setting:
    """One remembered thing.

    ``low`` and ``high`` bound COUNT and NUMBER, both included; ``choices`` are those of CHOICE, and ``also`` is the
    regular expression of others that depend on the machine (graphics cards, sound devices). ``label`` and ``help``
    are the English of what a dialog shows; ``choice_labels`` go with ``choices``. ``restart``: a change counts from the
    next start on. ``variable``: an environment variable that counts instead of what was saved.
    """

    key: str
    kind: Kind
    default: Any
    section: Section = Section.WINDOW
    label: str = ""
    help: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    choice_labels: tuple[str, ...] = ()
    also: str = ""
    restart: bool = False
    variable: str = ""

    def accepts(self, value: Any) -> bool:
        """Whether ``value`` may be used; a number in a flag, or a flag in a number, may not."""
        match self.kind:
            case Kind.FLAG:
                return isinstance(value, bool)
            case Kind.COUNT:
                return isinstance(value, int) and not isinstance(value, bool) and self._in_range(value)
            case Kind.NUMBER:
                right = isinstance(value, int | float) and not isinstance(value, bool)
                return right and self._in_range(value) and math.isfinite(value)
            case Kind.CHOICE:
                if not isinstance(value, str):
                    return False
                return value in self.choices or bool(self.also and re.fullmatch(self.also, value))
            case Kind.TEXT | Kind.FOLDER:
                return isinstance(value, str)
            case Kind.TEXTS:
                return isinstance(value, list) and all(isinstance(entry, str) for entry in value)
            case Kind.NAMED_TEXTS:
                return isinstance(value, dict) and all(isinstance(part, str) for pair in value.items() for part in pair)

    def parse(self, text: str) -> Any:
        """Return what ``text`` from an environment variable means.

        Raises:
            ValueError: nothing that is accepted.
        """
        value: Any = text
        if self.kind is Kind.FLAG:
            word = text.strip().lower()
            value = True if word in _YES else False if word in _NO else None
        elif self.kind is Kind.COUNT:
            value = int(text)
        elif self.kind is Kind.NUMBER:
            value = float(text)
        if not self.accepts(value):
            raise ValueError(f"the setting {self.key!r} does not take {text!r}")
        return value

    def _in_range(self, value: float) -> bool:
        """Compared before anything else: an int may be too large to be a float."""
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


TABLE: tuple[Setting, ...] = (
    Setting(
        "language", Kind.CHOICE, "system", Section.LOOK, "Language", "Of all texts in the window.",
        choices=("system", "en", "zh_CN"), choice_labels=("As the system", "English", "简体中文"),
        variable="VOXCPM_LANGUAGE",
    ),
    Setting(
        "theme", Kind.CHOICE, "system", Section.LOOK, "Theme", "Light or dark colours.",
        choices=("system", "light", "dark"), choice_labels=("As the system", "Light", "Dark"), variable="VOXCPM_THEME",
    ),
    Setting(
        "scale", Kind.COUNT, 100, Section.LOOK, "Size of everything", "In percent, on top of what the desktop says.",
        low=100, high=200, restart=True, variable="VOXCPM_SCALE",
    ),
    Setting(
        "load_at_start", Kind.FLAG, True, Section.MODEL, "Load the model at the start",
        "Takes memory at once, and makes the first take sooner.", variable="VOXCPM_LOAD_AT_START",
    ),
    Setting(
        "model_folder", Kind.FOLDER, "", Section.MODEL, "Model", "Folder of the model; empty for the one that ships.",
        variable="VOXCPM_MODEL_FOLDER",
    ),
    Setting(
        "device", Kind.CHOICE, "auto", Section.MODEL, "Device",
        "What the model runs on; a change loads it again.",
        choices=("auto", "cpu", "cuda", "mps"),
        choice_labels=("Best there is", "Processor (CPU)", "NVIDIA graphics card", "Apple graphics chip"),
        also=r"cuda:\d{1,2}", variable="VOXCPM_DEVICE",
    ),
    Setting(
        "dtype", Kind.CHOICE, "auto", Section.MODEL, "Precision",
        "16 bits halve the memory, 8 bits (processor only) quarter it; a change loads the model again.",
        choices=("auto", "float32", "bfloat16", "float16", "int8"),
        choice_labels=("As the model and the device like it", "32 bits (float32)", "16 bits (bfloat16)",
                       "16 bits (float16)", "8 bits (int8)"),
        variable="VOXCPM_DTYPE",
    ),
    Setting(
        "engine", Kind.CHOICE, "process", Section.MODEL, "The model works in",
        "On its own it takes nothing along when it crashes or fills the memory, and the window stays smooth.",
        choices=("process", "thread"), choice_labels=("A process of its own", "The window's process"), restart=True,
        variable="VOXCPM_ENGINE",
    ),
    Setting(
        "models_folder", Kind.FOLDER, "", Section.MODEL, "Downloads to",
        "Folder for downloaded models; empty for your own data folder.", variable="VOXCPM_MODELS_FOLDER",
    ),
    Setting(
        "mirror", Kind.TEXT, "", Section.MODEL, "Mirror",
        "Address (https://…) of a mirror of the model hub; empty for the hub itself.", variable="VOXCPM_MIRROR",
    ),
    Setting(
        "offline", Kind.FLAG, False, Section.MODEL, "Offline", "Never use the network: nothing is downloaded.",
        variable="VOXCPM_OFFLINE",
    ),
    Setting("takes", Kind.COUNT, 1, Section.MAKING, "Takes", "How many are made at once.", low=1, high=3),
    Setting(
        "retries", Kind.COUNT, 1, Section.MAKING, "Retries",
        "How often a doubtful take is made anew with another seed; it stays in the list.", low=0, high=3,
    ),
    Setting(
        "retry_ratio", Kind.NUMBER, 6.0, Section.MAKING, "Doubtful from",
        "A take of so many patches for each token of its text is cut there and counts as doubtful.",
        low=0.5, high=100.0,
    ),
    Setting(
        "steps", Kind.COUNT, 10, Section.MAKING, "Steps", "Solver steps per patch: more are slower and a little finer.",
        low=1, high=200,
    ),
    Setting(
        "own_sampling", Kind.FLAG, True, Section.MAKING, "Guidance and temperature as the model asks",
        "Each model brings the values that suit it; other values count once this is off.",
    ),
    Setting(
        "cfg", Kind.NUMBER, 2.0, Section.MAKING, "Guidance",
        "How closely the sound keeps to text and voice; 1 = not forced.", low=0.0, high=20.0,
    ),
    Setting(
        "temperature", Kind.NUMBER, 1.0, Section.MAKING, "Temperature",
        "How strong the noise is that every patch starts from; less is steadier and less lively.", low=0.0, high=2.0,
    ),
    Setting(
        "min_patches", Kind.COUNT, 2, Section.MAKING, "Shortest length",
        "A take has at least two patches more: only from then on the model is asked whether it has said everything.",
        low=0, high=4096,
    ),
    Setting(
        "max_patches", Kind.COUNT, 4096, Section.MAKING, "Longest length", "A take is cut after this many patches.",
        low=1, high=4096,
    ),
    Setting(
        "normalize", Kind.FLAG, False, Section.MAKING, "Normalise the text",
        "Write numbers, dates and units out as words.",
    ),
    Setting(
        "output_device", Kind.CHOICE, "", Section.LISTENING, "Sound device",
        "What plays the takes; known by its name, whichever number it has today.",
        choices=("",), choice_labels=("The system's choice",), also=r"(?s).+",  # name and host
    ),
    Setting(
        "input_device", Kind.CHOICE, "", Section.LISTENING, "Microphone",
        "What recordings are made with; known by its name as well.",
        choices=("",), choice_labels=("The system's choice",), also=r"(?s).+",
    ),
    Setting(
        "play_while_made", Kind.FLAG, True, Section.LISTENING, "Play while it is made",
        "A first take is heard as soon as there is sound.",
    ),
    Setting(
        "quality_card", Kind.FLAG, True, Section.LISTENING, "Judge every take",
        "Words, pauses, clipping and leaks are measured when the model has nothing to do; never sent anywhere.",
    ),
    Setting(
        "recogniser_folder", Kind.FOLDER, "", Section.LISTENING, "Speech recogniser",
        "Folder of a Whisper model in CTranslate2 format; empty for the packaged English one, if it is installed.",
        variable="VOXCPM_RECOGNISER",
    ),
    Setting("open_folder", Kind.FOLDER, "", Section.FILES, "Open from", "Folder in which opening a file begins."),
    Setting("save_folder", Kind.FOLDER, "", Section.FILES, "Save to", "Folder in which saving a file begins."),
    Setting(
        "audible_notice", Kind.CHOICE, "none", Section.FILES, "Notice that can be heard",
        "A short rhythm tells whoever hears a saved file that a machine made it.",
        choices=("none", "start", "end", "both"), choice_labels=("None", "At the start", "At the end", "At both ends"),
        variable="VOXCPM_AUDIBLE_NOTICE",
    ),
    Setting("draft", Kind.FLAG, False),
    Setting("presets", Kind.TEXTS, []),
    Setting("recent_settings", Kind.TEXTS, []),
    Setting("welcomed", Kind.FLAG, False),
    Setting("volume", Kind.COUNT, 100, low=0, high=100),  # percent
    Setting("count_in", Kind.FLAG, True),
    Setting("tracks", Kind.TEXTS, ["waveform", "spectrogram", "latents"]),
    Setting("recent_models", Kind.TEXTS, []),
    Setting("recent_projects", Kind.TEXTS, []),
    Setting("dub_open", Kind.TEXT, ""),  # the project that was open when the studio ended, however it ended
    Setting("dub_takes", Kind.COUNT, 1, low=1, high=3),
    Setting("dub_fill", Kind.FLAG, False),
    Setting("dub_ripple", Kind.FLAG, False),
    Setting("dub_export", Kind.NAMED_TEXTS, {}),
    Setting("words", Kind.NAMED_TEXTS, {}),  # how words are said in all dubs
    Setting("window_geometry", Kind.TEXT, ""),  # base64
    Setting("splitters", Kind.NAMED_TEXTS, {}),  # base64
    Setting("voices_order", Kind.CHOICE, "oldest", choices=("oldest", "newest", "name", "level")),
    Setting("panel", Kind.CHOICE, "design", choices=("design", "clone", "continue")),
)  # fmt: skip


def defaults() -> dict[str, Any]:
    """Return all defaults, by key; the caller's own."""
    return {setting.key: copy.deepcopy(setting.default) for setting in TABLE}


def by_key() -> Mapping[str, Setting]:
    """Return the table by key."""
    return {setting.key: setting for setting in TABLE}


def sections() -> dict[Section, list[Setting]]:
    """Return what a dialog shows: headings in order, with their settings."""
    shown: dict[Section, list[Setting]] = {}
    for setting in TABLE:
        if setting.section is not Section.WINDOW:
            shown.setdefault(setting.section, []).append(setting)
    return shown
