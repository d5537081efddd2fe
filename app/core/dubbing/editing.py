"""Every change of a dub, as a step that can be undone. A change of one cue touches no other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.core.dubbing.cues import DUBBING, LONGEST_CUE, Cue, CueTake, Dub, Role, made_of, new_id, read_dub
from app.core.dubbing.fit import best_take, slots
from app.core.dubbing.words import say
from app.core.project import Project
from app.core.project_parts import PARTS, Data

TYPES = (*PARTS, DUBBING)
"""What a project with a dub is opened with."""


REFUSALS = {
    "gone": "This cue is not there any more.",
    "merge_itself": "Merge two different cues.",
    "merge_too_long": "Together they are too long for one cue.",
    "merge_untimed": "A cue with times cannot be merged with one without.",
    "no_place": "There is no such place in the list.",
    "split_beside": "Split a cue between its start and its end.",
    "split_outside": "Split a cue inside its text: both parts need words.",
    "split_too_short": "This cue is too short to be split.",
    "there_already": "A cue of that id is there already.",
}
"""Why a change cannot be made, by code."""


class EditError(ValueError):
    """A change that cannot be made; the message is one of ``REFUSALS``. Nothing was changed."""

    def __init__(self, code: str) -> None:
        super().__init__(REFUSALS[code])


class Dubbing:
    """The dub in ``project``, which was opened with ``TYPES``. ``words``: the dictionary of all projects.

    ``lost`` are takes that the library here does not have: the project came from another machine, or they were deleted.
    The project goes on naming them; everything else takes them as never made.

    Every method that changes something raises EditError for a cue that is not there and PartError for content that a
    project may not hold; then nothing was changed.
    """

    def __init__(self, project: Project, words: Mapping[str, str] | None = None) -> None:
        self.project = project
        self.words = dict(words or {})
        self.lost: frozenset[str] = frozenset()

    # Looking ---------------------------------------------------------------------------------------------------------

    @property
    def dub(self) -> Dub:
        """The dub as it is now."""
        dub = self.as_kept
        return replace(dub, cues=tuple(cue.without(self.lost) for cue in dub.cues)) if self.lost else dub

    @property
    def as_kept(self) -> Dub:
        """The dub as the project has it, with the takes that are lost."""
        return read_dub(self.project.part(DUBBING.name))

    def spoken(self, cue: Cue, dub: Dub) -> str:
        """The text of a cue as the model gets it, with the words of both dictionaries; the project's come first."""
        return say(cue.text, {**self.words, **dub.words}).text

    def key_of(self, cue: Cue, dub: Dub) -> str:
        """What a take of this cue would be made of now."""
        return made_of(self.spoken(cue, dub), dub.role_of(cue))

    def is_stale(self, cue: Cue, dub: Dub) -> bool:
        """Whether its chosen take was made of something else than what the cue says now."""
        chosen = cue.chosen_take
        return chosen is not None and chosen.made_of != self.key_of(cue, dub)

    def missing(self, dub: Dub) -> list[Cue]:
        """Cues that have something to say, and no take of what they say now."""
        found = []
        for cue in dub.cues:
            key = self.key_of(cue, dub)
            if any(c.isalnum() for c in cue.text) and not any(take.made_of == key for take in cue.takes):
                found.append(cue)
        return found

    # Cues ------------------------------------------------------------------------------------------------------------

    def add(self, cues: Iterable[Cue], label: str = "Import cues") -> bool:
        """Add cues behind the others; characters that are new join the cast."""
        new = list(cues)

        def edit(data: Data) -> None:
            for cue in new:
                if cue.cue_id in data["cues"]:
                    raise EditError("there_already")
                data["cues"][cue.cue_id] = cue.to_plain()
                data["order"].append(cue.cue_id)
                if cue.character:
                    data["cast"].setdefault(cue.character, {"voice": "", "description": "", "style": ""})

        return self.project.change(label, DUBBING.name, edit)

    def write(self, cue_id: str, text: str) -> bool:
        """Change what a cue says; its takes stay, and become stale."""
        return self._on_cue("Write the text", cue_id, merge=f"cue {cue_id} text", text=text)

    def move(self, cue_id: str, start: int | None, end: int | None) -> bool:
        """Change the times of a cue, in milliseconds. Its takes stay right: only how they fit changes."""
        return self._on_cue("Move the cue", cue_id, start=start, end=end)

    def set_character(self, cue_id: str, character: str) -> bool:
        """Let another character speak a cue."""

        def edit(data: Data) -> None:
            _cue(data, cue_id)["character"] = character
            if character:
                data["cast"].setdefault(character, {"voice": "", "description": "", "style": ""})

        return self.project.change("Change the character", DUBBING.name, edit)

    def set_voice(self, cue_id: str, voice: str) -> bool:
        """Give a cue a voice of its own ("" for the character's). Ask the door before: see ``casting``."""
        return self._on_cue("Change the voice of a cue", cue_id, voice=voice)

    def set_style(self, cue_id: str, style: str) -> bool:
        """Write the style note of a cue."""
        return self._on_cue("Write the style", cue_id, merge=f"cue {cue_id} style", style=style)

    def split(self, cue_id: str, at: int, time: int | None = None) -> str:
        """Split a cue before character ``at`` of its text, and at ``time`` (default: in proportion to the text).

        The first part keeps the id, the takes and the choice, which is stale until made again; the second is a new
        cue. Returns the id of the new one.
        """
        second = new_id()

        def edit(data: Data) -> None:
            first = _cue(data, cue_id)
            head, tail = first["text"][:at].rstrip(), first["text"][at:].lstrip()
            if not head or not tail:
                raise EditError("split_outside")
            rest = Cue.from_plain(second, {**first, "text": tail, "takes": [], "chosen": "", "break": ""})
            if first["start"] is not None:
                cut = _cut(first["start"], first["end"], len(head) / (len(head) + len(tail)), time)
                rest = replace(rest, start=cut)
                first["end"] = cut
            first["text"] = head
            data["cues"][second] = rest.to_plain()
            data["order"].insert(data["order"].index(cue_id) + 1, second)

        self.project.change("Split the cue", DUBBING.name, edit)
        return second

    def merge(self, cue_id: str, other_id: str) -> bool:
        """Join ``other_id`` to ``cue_id``, which keeps its id, character and takes; the other one goes."""

        def edit(data: Data) -> None:
            first, other = _cue(data, cue_id), _cue(data, other_id)
            if cue_id == other_id:
                raise EditError("merge_itself")
            if (first["start"] is None) != (other["start"] is None):
                raise EditError("merge_untimed")
            gap = "" if _wide(first["text"][-1:]) else " "
            text = f"{first['text']}{gap}{other['text']}".strip()
            if len(text) > LONGEST_CUE:
                raise EditError("merge_too_long")
            first["text"] = text
            if first["start"] is not None:
                first["start"] = min(first["start"], other["start"])
                first["end"] = max(first["end"], other["end"])
            del data["cues"][other_id]
            data["order"].remove(other_id)

        return self.project.change("Merge cues", DUBBING.name, edit)

    def delete(self, cue_ids: Iterable[str]) -> bool:
        """Take cues out; their takes stay in the library."""
        gone = list(dict.fromkeys(cue_ids))

        def edit(data: Data) -> None:
            for cue_id in gone:
                _cue(data, cue_id)
                del data["cues"][cue_id]
            data["order"] = [each for each in data["order"] if each in data["cues"]]

        return self.project.change("Delete cues", DUBBING.name, edit)

    def reorder(self, cue_id: str, place: int) -> bool:
        """Put a cue at another place of the list (from 0)."""

        def edit(data: Data) -> None:
            _cue(data, cue_id)
            if not 0 <= place < len(data["order"]):
                raise EditError("no_place")
            data["order"].remove(cue_id)
            data["order"].insert(place, cue_id)

        return self.project.change("Reorder cues", DUBBING.name, edit)

    # Takes -----------------------------------------------------------------------------------------------------------

    def add_takes(self, made: Mapping[str, Sequence[CueTake]], choose: Callable[[Cue], str] | None = None) -> bool:
        """Add takes to cues. ``choose`` says which take of a cue is heard from now on; without it the first new one.

        A lost take that was made again is not lost any more, and heard where it was before.
        """
        self.lost -= {take.take for takes in made.values() for take in takes}

        def edit(data: Data) -> None:
            for cue_id, takes in made.items():
                plain = _cue(data, cue_id)
                known = {each["take"] for each in plain["takes"]}
                cue = Cue.from_plain(cue_id, plain)
                fresh = tuple(take for take in takes if take.take not in known)
                cue = replace(cue, takes=(*cue.takes, *fresh))
                if fresh:
                    chosen = choose(cue.without(self.lost)) if choose else fresh[0].take
                    cue = replace(cue, chosen=chosen)
                data["cues"][cue_id] = cue.to_plain()

        return self.project.change("Make takes", DUBBING.name, edit)

    def choose(self, cue_id: str, take: str) -> bool:
        """Say which of its takes a cue is heard with."""
        return self._on_cue("Choose a take", cue_id, chosen=take)

    def choose_fresh(self) -> bool:
        """Let cues that are stale or not heard be heard with a take of what they say now, where there is one."""
        dub = self.dub
        room, chosen = slots(dub.cues), dict[str, str]()
        for cue in dub.cues:
            key = self.key_of(cue, dub)
            fresh = [take for take in cue.takes if take.made_of == key]
            if fresh and cue.chosen_take not in fresh:
                chosen[cue.cue_id] = best_take(fresh, room.get(cue.cue_id)).take

        def edit(data: Data) -> None:
            for cue_id, take in chosen.items():
                _cue(data, cue_id)["chosen"] = take

        return self.project.change("Choose takes", DUBBING.name, edit)

    # The rest --------------------------------------------------------------------------------------------------------

    def cast(self, character: str, role: Role) -> bool:
        """Say how a character speaks. Ask the door before: see ``casting``."""

        def edit(data: Data) -> None:
            data["cast"][character] = {"voice": role.voice, "description": role.description, "style": role.style}

        return self.project.change("Cast a voice", DUBBING.name, edit)

    def set_word(self, word: str, said: str) -> bool:
        """Say how a word is spoken in this project; an empty ``said`` takes it out of the dictionary."""

        def edit(data: Data) -> None:
            if said:
                data["words"][word] = said
            else:
                data["words"].pop(word, None)

        return self.project.change("Change the dictionary", DUBBING.name, edit)

    def set_sound(self, reference: Mapping[str, Any] | None) -> bool:
        """Say which file the original sound is in (``FileReference.to_plain()``); None for none."""
        plain = None if reference is None else dict(reference)
        return self.project.change("Choose the original sound", DUBBING.name, lambda data: data.update(sound=plain))

    def _on_cue(self, label: str, cue_id: str, merge: str = "", **values: Any) -> bool:
        return self.project.change(label, DUBBING.name, lambda data: _cue(data, cue_id).update(values), merge=merge)


def _cue(data: Data, cue_id: str) -> Data:
    cue: Data | None = data["cues"].get(cue_id)
    if cue is None:
        raise EditError("gone")
    return cue


def _cut(start: int, end: int, share: float, time: int | None) -> int:
    if end - start < 2:
        raise EditError("split_too_short")
    cut = round(start + share * (end - start)) if time is None else time
    if time is not None and not start < time < end:
        raise EditError("split_beside")
    return min(max(cut, start + 1), end - 1)


def _wide(character: str) -> bool:
    import unicodedata

    return bool(character) and unicodedata.east_asian_width(character) in "WF"
