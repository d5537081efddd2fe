"""What a person changes in the dubbing panel: cues and their times, who speaks, and with which voice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from app.core.dubbing.cues import Role
from app.core.dubbing.editing import Dubbing
from app.dub_desk import DubDesk
from app.dub_open import OpenDub
from app.panels.dubbing_panel import DubbingPanel
from app.widgets.notice import Notice


class DubEdits(QObject):
    """Every edit of cues and cast. A voice is asked for at the door before it is given to anybody."""

    def __init__(self, dub: OpenDub, panel: DubbingPanel, desk: DubDesk, notice: Notice, parent: QObject) -> None:
        super().__init__(parent)
        self._dub, self._panel, self._desk, self._notice = dub, panel, desk, notice
        change, card = dub.change, panel.card
        panel.cast.cast_changed.connect(self._cast)
        panel.timeline.times_changed.connect(lambda cue, start, end: change(lambda dub: dub.move(cue, start, end)))
        card.text_edited.connect(lambda cue, text: change(lambda dub: dub.write(cue, text)))
        card.style_edited.connect(lambda cue, text: change(lambda dub: dub.set_style(cue, text)))
        card.character_edited.connect(lambda cue, name: change(lambda dub: dub.set_character(cue, name)))
        card.voice_chosen.connect(self._choose_voice)
        card.times_edited.connect(lambda cue, start, end: change(lambda dub: dub.move(cue, start, end)))
        card.take_chosen.connect(lambda cue, take: change(lambda dub: dub.choose(cue, take)))

    def split(self, cue_id: str) -> None:
        """Split a cue at the cursor in its text, else in the middle; in time at the playhead, if that is in it."""
        card, state = self._panel.card, self._panel.card.state
        if state is None:
            return
        cue, text = state.cue, state.cue.text
        at = card.text.textCursor().position() if card.text.hasFocus() else 0
        if not text[:at].strip() or not text[at:].strip():
            at = _middle_of(text)
        head = self._panel.timeline.playhead
        inside = cue.start is not None and cue.end is not None and cue.start < head < cue.end
        new = self._dub.change(lambda dub: dub.split(cue_id, at, head if inside else None))
        if isinstance(new, str):
            self._panel.select(new)

    def merge(self, cue_id: str) -> None:
        """Join the selected cues to the first of them, or a cue alone to the next one."""
        overview = self._dub.overview
        assert overview is not None
        chosen = self._panel.selected
        number = overview.by_id[cue_id].number
        others = chosen[1:] if len(chosen) > 1 else [one.cue.cue_id for one in overview.states[number : number + 1]]
        first = chosen[0] if len(chosen) > 1 else cue_id
        for other in others:
            self._dub.change(partial(Dubbing.merge, cue_id=first, other_id=other))
        self._panel.select(first)

    def delete(self, cue_ids: list[str]) -> None:
        """Take cues out."""
        self._dub.change(lambda dub: dub.delete(cue_ids))

    def nudge(self, start: int, end: int) -> None:
        """Move the edges of the current cue by so many ms; by the same the whole cue, which keeps its length."""
        overview = self._dub.overview
        state = overview.by_id.get(self._panel.current) if overview is not None else None
        if state is None or state.cue.start is None or state.cue.end is None:
            return
        first, last = max(0, state.cue.start + start), state.cue.end + end
        if start == end:
            last = first + state.cue.end - state.cue.start
        if first < last:
            self._dub.change(lambda dub: dub.move(state.cue.cue_id, first, last))

    # Who speaks ------------------------------------------------------------------------------------------------------

    def _choose_voice(self, cue_id: str, voice: str) -> None:
        self._admitted(voice, lambda dub: dub.set_voice(cue_id, voice))

    def _cast(self, character: str, role: Role) -> None:
        dubbing = self._dub.dubbing
        before = dubbing.dub.cast.get(character, Role()) if dubbing is not None else Role()
        self._admitted(role.voice if role.voice != before.voice else "", lambda dub: dub.cast(character, role))

    def _admitted(self, voice: str, edit: Callable[[Dubbing], object]) -> None:
        """Change something once the door has let the voice through."""
        dubbing = self._dub.dubbing

        def admitted() -> None:
            if self._dub.dubbing is dubbing:  # another project may have been opened meanwhile
                self._dub.change(edit)

        def refused(reason: str) -> None:
            self._notice.show_notice(self.tr("This voice may not be used.") + " " + reason)
            self._dub.refresh()

        if voice and dubbing is not None:
            self._desk.admit(dubbing, voice, admitted, refused)
        else:
            admitted()


def _middle_of(text: str) -> int:
    """The gap between words nearest to the middle of a text; the middle itself where there is none."""
    gaps = [place for place, letter in enumerate(text) if letter.isspace() and 0 < place < len(text) - 1]
    return min(gaps, key=lambda place: abs(place - len(text) // 2), default=len(text) // 2)
