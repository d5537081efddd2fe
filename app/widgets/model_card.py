"""What is known of a model, and what is not: licence, languages, what it learnt from, size, memory needed here."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QFrame, QLabel, QSizePolicy, QWidget

from app.core.memory_need import Need
from app.core.models import ModelCard
from app.core.published_models import PublishedModel
from app.widgets.translated import Translated, set_flag
from app.widgets.wording import memory_text, model_text


@dataclass(frozen=True)
class CardFacts:
    """What the card shows. Rates in Hz, 0 = not known; ``asked`` = the memory is still being worked out."""

    card: ModelCard
    folder: str = ""
    published: PublishedModel | None = None
    rates: tuple[int, int] = (0, 0)
    disk_bytes: int = 0
    need: Need | None = None
    asked: bool = False


class ModelCardView(Translated, QFrame):
    """A form of plain sentences."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._facts: CardFacts | None = None
        self.title = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.title.setProperty("heading", True)
        self.keys: dict[str, QLabel] = {}
        self.values: dict[str, QLabel] = {}
        layout = QFormLayout(self)
        layout.addRow(self.title)
        layout.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        for key in ("about", "licence", "languages", "training", "sound", "size", "memory", "folder"):
            self.keys[key] = QLabel()
            self.keys[key].setProperty("muted", True)
            self.keys[key].setAlignment(Qt.AlignmentFlag.AlignTop)
            self.keys[key].setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
            self.values[key] = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
            self.values[key].setAlignment(Qt.AlignmentFlag.AlignTop)
            self.values[key].setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            layout.addRow(self.keys[key], self.values[key])
        self.retranslate()

    def show_facts(self, facts: CardFacts) -> None:
        """Show another model, or more of the same."""
        self._facts = facts
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts."""
        names = {
            "about": self.tr("About"),
            "licence": self.tr("Licence"),
            "languages": self.tr("Languages"),
            "training": self.tr("Learnt from"),
            "sound": self.tr("Sound"),
            "size": self.tr("Size"),
            "memory": self.tr("Memory here"),
            "folder": self.tr("Folder"),
        }
        for key, label in self.keys.items():
            label.setText(names[key])
        facts = self._facts
        if facts is None:
            return
        card = facts.card
        self.title.setText(model_text(card.name))
        about = (facts.published.summary if facts.published else "", card.note)
        unknown = self.tr("It does not say.")
        texts = {
            "about": " ".join(model_text(text) for text in about if text),
            "licence": model_text(card.licence) or unknown,
            "languages": model_text(card.languages) or unknown,
            "training": model_text(card.training) or unknown,
            "sound": self._sound(facts),
            "size": self._size(facts),
            "memory": self._memory(facts),
            "folder": facts.folder or self.tr("Not on this machine yet"),
        }
        for key, label in self.values.items():
            label.setText(texts[key])
            for part in (label, self.keys[key]):
                part.setVisible(bool(texts[key]))
        set_flag(self.values["memory"], "problem", facts.need is not None and not facts.need.fits)

    def _sound(self, facts: CardFacts) -> str:
        low, high = facts.rates
        if not high:
            return self.tr("…") if facts.asked else self.tr("Not known")
        return self.tr("{low:g} kHz in, {high:g} kHz out").format(low=low / 1000, high=high / 1000)

    def _size(self, facts: CardFacts) -> str:
        if facts.disk_bytes:
            return self.tr("{size} on the disk").format(size=memory_text(facts.disk_bytes))
        if facts.published is not None:
            size = memory_text(facts.published.download_bytes)
            return self.tr("about {size} to download, counted from its published shape").format(size=size)
        return self.tr("Not known")

    def _memory(self, facts: CardFacts) -> str:
        need = facts.need
        if need is None:
            return self.tr("is being worked out…") if facts.asked else self.tr("Not known: no such device here")
        text = self.tr(
            "{weights} for the weights ({dtype} on {device}), up to {context} more for the longest take; "
            "{free} of {memory} are free. Computed, not measured."
        ).format(
            weights=memory_text(need.weights),
            dtype=need.dtype,
            device=need.device.name,
            context=memory_text(need.context),
            free=memory_text(need.device.free),
            memory=memory_text(need.device.memory),
        )
        return text if need.fits else self.tr("Too little memory is free. {text}").format(text=text)
