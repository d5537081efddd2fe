"""What the model gets: mode, final text, seconds of audio, expected length, and what is left out."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.core.messages import MODE_DESIGN, Job, PlanInfo
from app.core.preview import join_of, preview_text
from app.widgets.note_text import note_text
from app.widgets.translated import Translated
from app.widgets.wording import length_text, mode_name

_SHOWN_CHARACTERS = 400
_SPACE, _SEAM = "␣", "|"


class PlanStrip(Translated, QFrame):
    """Shows a preview until the engine's own plan is there. ``real_time_factor`` 0 = not known yet."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._job: Job | None = None
        self._plan: PlanInfo | None = None
        self._mode = MODE_DESIGN
        self._real_time_factor = 0.0
        self._seconds = 0.0
        self._title = QLabel()
        self._title.setProperty("heading", True)
        self.mode_label = QLabel()
        self.mode_label.setObjectName("chip")
        self.text_label = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.text_label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.facts_label = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.facts_label.setProperty("muted", True)
        heading = QHBoxLayout()
        heading.addWidget(self._title)
        heading.addWidget(self.mode_label)
        heading.addStretch(1)
        layout = QVBoxLayout(self)
        layout.addLayout(heading)
        layout.addWidget(self.text_label)
        layout.addWidget(self.facts_label)
        self.retranslate()

    @property
    def mode(self) -> str:
        """The mode that is shown."""
        return self._plan.mode if self._plan else self._mode

    def show_preview(self, job: Job, mode: str) -> None:
        """Show what is known without the engine; ``mode`` also when the job's voice is not chosen yet."""
        self._job, self._plan, self._mode = job, None, mode
        self.retranslate()

    def show_plan(self, job: Job, plan: PlanInfo, real_time_factor: float, seconds: float = 0.0) -> None:
        """Show the engine's plan for ``job``; ``real_time_factor`` (above 1: slower than real time) gives the wait.

        ``seconds``: the length by what was made here before; 0 leaves the plan's own guess.
        """
        self._job, self._plan, self._real_time_factor, self._seconds = job, plan, real_time_factor, seconds
        self.retranslate()

    def retranslate(self) -> None:
        """Write everything anew."""
        self._title.setText(self.tr("What the model gets"))
        self.setAccessibleName(self.tr("What the model gets"))
        self.mode_label.setText(mode_name(self.mode))
        text = self._plan.final_text if self._plan else preview_text(self._job) if self._job else ""
        shown = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
        self.text_label.setText(shown or self.tr("Write a text: it appears here as the model will get it."))
        self.text_label.setToolTip(text if shown != text else "")
        facts = [*self._join(), *(self._facts(self._plan) if self._plan else [])]
        self.facts_label.setText("\n".join(facts))
        self.facts_label.setVisible(bool(facts))

    def _join(self) -> list[str]:
        """Where the prompt's transcript ends and the text begins: the only thing that is put in between."""
        join = join_of(self._job) if self._job is not None else None
        if join is None:
            return []
        tail, between, head = join
        if between:
            return [self.tr("Joined by one space: …{tail}{mark}{head}…").format(tail=tail, mark=_SPACE, head=head)]
        return [self.tr("Joined without a space: …{tail}{mark}{head}…").format(tail=tail, mark=_SEAM, head=head)]

    def _facts(self, plan: PlanInfo) -> list[str]:
        first = []
        if plan.reference_seconds:
            first.append(self.tr("{length} of reference").format(length=length_text(plan.reference_seconds)))
        if plan.prompt_seconds:
            first.append(self.tr("{length} of prompt").format(length=length_text(plan.prompt_seconds)))
        low, high = plan.expected_seconds
        middle = self._seconds or (low + high) / 2
        first.append(self.tr("about {length} of sound").format(length=length_text(middle)))
        if self._real_time_factor > 0 and middle > 0:
            wait = length_text(middle * self._real_time_factor)
            first.append(self.tr("done in about {wait} here").format(wait=wait))
        lines = [" · ".join(first)]
        if self._real_time_factor > 1:
            text = self.tr("Slower than real time here: a second of sound takes {factor:.1f} s, so playing waits.")
            lines.append(text.format(factor=self._real_time_factor))
        lines += [note_text(note) for note in plan.notes]
        return lines
