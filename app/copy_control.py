"""Copies the settings of a take into the panels, and chooses its saved voice again where that may still be used."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.core.messages import MODE_DESIGN, MODE_REFERENCE
from app.core.takes import Take
from app.panels.compose_panel import ComposePanel
from app.voice_desk import Described, VoiceDesk
from app.widgets.consent_text import problem_text
from app.widgets.notice import Notice


class CopyControl(QObject):
    """``panel_requested`` asks for a panel by its key."""

    panel_requested = Signal(str)

    def __init__(self, desk: VoiceDesk, compose: ComposePanel, notice: Notice, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._compose, self._notice = desk, compose, notice
        self._takes: dict[int, Take] = {}  # whose voice is being looked up, by the number of the question
        self._asked = 0
        desk.looked_up.connect(self._looked_up)

    def copy(self, take: Take) -> None:
        """Take over everything but the voice at once; the voice once its record was looked at."""
        self._takes.clear()
        self._compose.copy_settings(take)
        voice = take.job.voice
        if voice is None:
            self.panel_requested.emit("design")
        elif voice.voice_id:
            self._asked += 1
            self._takes[self._asked] = take
            self._desk.look_up(self._asked, voice.voice_id)
        else:
            self.panel_requested.emit(_panel_of(take))
            self._notice.show_notice(
                self.tr("This take was made with a recording that is not saved as a voice. Open the recording again.")
            )

    def _looked_up(self, number: int, described: Described | None) -> None:
        take = self._takes.pop(number, None)
        if take is None:
            return
        if described is None:
            self._notice.show_notice(
                self.tr("The voice that this take was made with is not in the library any more. Choose another one.")
            )
            return
        key = _panel_of(take)
        reasons = [problem_text(problem) for problem in described.problems]
        if not reasons and ("reference" if key == "clone" else "prompt") not in described.voice.parts:
            reasons = [self.tr("Its recording is not there any more.")]
        if reasons:
            text = self.tr("The voice {name}, which this take was made with, cannot be used:")
            self._notice.show_notice(" ".join([text.format(name=described.voice.name), *reasons]))
            return
        if key == "clone":
            self._compose.clone.style_note.setText(take.job.description)
        panel = self._compose.clone if key == "clone" else self._compose.continue_
        panel.pick.set_voice(described.voice)
        self.panel_requested.emit(key)


def _panel_of(take: Take) -> str:
    return {MODE_DESIGN: "design", MODE_REFERENCE: "clone"}.get(take.job.mode, "continue")
