"""Makes the takes that a dub lacks, batch by batch. What was finished is never made again, whenever it was stopped."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from app.core.dubbing.cues import Cue, CueTake, Dub, Role
from app.core.dubbing.editing import Dubbing
from app.core.dubbing.fit import best_take, slots
from app.core.dubbing.lines import Anchor, Line, LineEngine
from app.core.dubbing.pauses import Part, parts_of, pause_after
from app.core.dubbing.plan import Plan, Row, read_plan, write_plan
from app.core.dubbing.planning import MOST_TAKES, MakeOptions, Planner, SpecOf
from app.core.dubbing.speech import joined, speech_ms
from app.core.engine_api import EngineCancelled, EngineError
from app.core.messages import MAX_SEED, Chunk, Job, ModelInfo, SpokenPiece, TakeResult
from app.core.store import Store
from app.core.take_store import TakeExistsError, TakeLibrary, UnknownTakeError
from app.core.takes import Take

log = logging.getLogger(__name__)

_PART_SEEDS = 0x85EBCA6B  # parts of one cue have seeds far apart

OTHER_MACHINE = (
    "The plan was begun with another model, device, library or number of threads: what is made now can differ in its "
    "last bits from what would have come out then."
)
NO_STYLE = "Style notes and descriptions are left out where a model or a voice with a prompt takes none."
NOTES = (OTHER_MACHINE, NO_STYLE)
"""What a maker may have to say."""

T = TypeVar("T")
Owner = Callable[[Callable[[], Any]], Any]
"""Lets the thread that the project belongs to do something, and returns what it gave."""


def lost_takes(kept: Dub, takes: TakeLibrary) -> frozenset[str]:
    """Return the takes that a dub names and the library does not have."""
    return takes.lacking(take.take for cue in kept.cues for take in cue.takes)


def directly(work: Callable[[], T]) -> T:
    """The owner of a project that no other thread uses."""
    return work()


@dataclass(frozen=True)
class Progress:
    """After each batch: ``done`` of ``total`` cues, and the ids of those that are new."""

    done: int
    total: int
    cues: tuple[str, ...]


class Maker:
    """Makes takes for ``dubbing`` with ``engine``, whose loaded model is ``model``, and keeps them in the library.

    ``spec_of`` gives the voice of a role; whoever gives it asks the door, and the engine asks again at every batch.
    ``owner``: see there; cues may be edited while takes are made.
    """

    def __init__(
        self,
        dubbing: Dubbing,
        engine: LineEngine,
        model: ModelInfo,
        store: Store,
        takes: TakeLibrary,
        spec_of: SpecOf,
        options: MakeOptions,
        owner: Owner = directly,
    ) -> None:
        if not 1 <= options.takes <= MOST_TAKES or options.together < 1:
            raise ValueError(f"A cue gets 1 to {MOST_TAKES} takes, a batch at least one row.")
        self.dubbing, self.engine, self.model, self.options = dubbing, engine, model, options
        self._store, self._takes, self._spec_of, self._owner = store, takes, spec_of, owner
        self._anchors: dict[str, Anchor | None] = {}
        self._heard: frozenset[str] = frozenset()
        self.notes: list[str] = []

    def run(
        self,
        is_cancelled: Callable[[], bool],
        on_progress: Callable[[Progress], None],
        only: frozenset[str] | None = None,
        *,
        again: bool = False,
    ) -> int:
        """Make what is missing and return how many takes were made; the project is saved after every batch.

        ``only``: of these cues alone. ``again``: further takes of them, whatever they have.

        Raises:
            EngineError, EngineCancelled: as the engine; what was finished is kept.
            PlanError, StoreError, TakeError: see there.
        """
        self._find_lost()
        before, plan = self._planned(only, again=again)
        self._take_over(plan)
        try:
            made = self._carry_out(plan, is_cancelled, on_progress, only, again=again)
        except (EngineCancelled, EngineError):
            if again:  # nobody wants the rest any more: what is missing is planned when it is asked for
                write_plan(self.dubbing.project.folder, self._without_unmade(plan, before))
            raise
        if only is None:
            self._save_change(self.dubbing.choose_fresh)
        return made

    def _carry_out(
        self,
        plan: Plan,
        is_cancelled: Callable[[], bool],
        on_progress: Callable[[Progress], None],
        only: frozenset[str] | None,
        *,
        again: bool,
    ) -> int:
        dub = self._dub()
        total, made = len(dub.cues), 0
        bare = frozenset(cue.cue_id for cue in self.dubbing.missing(dub))
        for group in plan.groups:
            dub = self._dub()
            wanted = self._wanted(group, dub)
            if not any(self._is_due(row, dub, bare) for row in wanted):
                continue
            if only is not None and not any(row.cue in only for row in wanted):
                continue
            takes = self._spoken(wanted, dub, is_cancelled)
            with self._store.database.write():  # all rows of a batch, or none: it is replayed as a whole
                for take in takes:
                    with contextlib.suppress(TakeExistsError):  # it was made before, and its neighbours are gone
                        self._takes.add(take)
            self._hand_over(list(zip(wanted, takes, strict=True)), newest=again)
            made += len(takes)
            done = total - len(self.dubbing.missing(self._dub()))
            on_progress(Progress(done, total, tuple(dict.fromkeys(row.cue for row in wanted))))
        return made

    def _dub(self) -> Dub:
        dub: Dub = self._owner(lambda: self.dubbing.dub)
        return dub

    def _find_lost(self) -> None:
        kept: Dub = self._owner(lambda: self.dubbing.as_kept)
        lost = lost_takes(kept, self._takes)
        self._heard = frozenset(cue.chosen for cue in kept.cues)
        self._owner(lambda: setattr(self.dubbing, "lost", lost))

    # Planning --------------------------------------------------------------------------------------------------------

    def _planned(self, only: frozenset[str] | None, *, again: bool) -> tuple[int, Plan]:
        """The stored plan with groups for whatever it lacks, stored before anything is made; how many it had before."""
        folder, surroundings = self.dubbing.project.folder, self._surroundings()
        plan = read_plan(folder)
        if plan is None:
            plan = Plan.new(self.options.seed, self.model.fingerprint, surroundings)
        elif (plan.model, plan.surroundings) != (self.model.fingerprint, surroundings):
            self._note(OTHER_MACHINE)
        dub, before = self._dub(), len(plan.groups)
        if again:
            lacking = [cue for cue in dub.cues if only is None or cue.cue_id in only]
        else:
            planned = {(row.cue, row.made_of) for group in plan.groups for row in group}
            lacking = [
                cue
                for cue in self.dubbing.missing(dub)
                if (only is None or cue.cue_id in only) and (cue.cue_id, self.dubbing.key_of(cue, dub)) not in planned
            ]
        lacking = [cue for cue in lacking if parts_of(self.dubbing.spoken(cue, dub))[1]]
        if lacking:
            plan = Planner(self.dubbing, self.options, self._spec_of).with_groups(plan, lacking, dub)
        write_plan(folder, plan)
        return before, plan

    def _without_unmade(self, plan: Plan, before: int) -> Plan:
        """The plan without the groups from ``before`` on of which nothing was made."""
        dub = self._dub()
        known = {take.take for cue in dub.cues for take in cue.takes}
        kept = [group for group in plan.groups[before:] if any(row.take in known for row in group)]
        return replace(plan, groups=(*plan.groups[:before], *kept))

    def _surroundings(self) -> dict[str, object]:
        model = self.model
        return {
            "device": model.device, "dtype": model.dtype, "threads": model.threads, "library": model.library,
            "machine": model.machine,
        }  # fmt: skip

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    # Making ----------------------------------------------------------------------------------------------------------

    def _wanted(self, rows: Sequence[Row], dub: Dub) -> list[Row]:
        """Those whose cue is still there and still says what the row was planned for."""
        cues = {row.cue for row in rows}
        keys = {cue.cue_id: self.dubbing.key_of(cue, dub) for cue in dub.cues if cue.cue_id in cues}
        return [row for row in rows if keys.get(row.cue) == row.made_of]

    def _is_due(self, row: Row, dub: Dub, bare: frozenset[str]) -> bool:
        """Whether it has to be made. ``bare``: cues that began without any take of what they say.

        A lost take is made again for those alone, and only where it was heard or nothing else is left: what a person
        has deleted besides does not come back.
        """
        takes = dub.cue(row.cue).takes
        if any(take.take == row.take for take in takes):
            return False
        if row.take not in self.dubbing.lost:
            return True
        return row.cue in bare and (row.take in self._heard or all(take.made_of != row.made_of for take in takes))

    def _spoken(self, rows: Sequence[Row], dub: Dub, is_cancelled: Callable[[], bool]) -> list[Take]:
        """Speak the rows of a group as one batch."""
        lines: list[Line] = []
        shapes: list[tuple[int, list[Part], int]] = []
        for row in rows:
            cue = dub.cue(row.cue)
            lead, parts = parts_of(self.dubbing.spoken(cue, dub))
            shapes.append((lead, parts, len(lines)))
            lines += [self._line(row, dub.role_of(cue), part, number) for number, part in enumerate(parts)]
        results = self.engine.speak_lines(lines, is_cancelled)
        takes = []
        for row, (lead, parts, first) in zip(rows, shapes, strict=True):
            spoken = results[first : first + len(parts)]
            takes.append(self._take(row, lines[first], lead, list(zip(parts, spoken, strict=True))))
        return takes

    def _line(self, row: Row, role: Role, part: Part, number: int) -> Line:
        options, anchor, voice = self.options, self._anchor(row.anchor), self._spec_of(role)
        description = ", ".join(filter(None, (role.description, role.style)))
        if description and (not self.model.takes_description or (voice is not None and voice.prompt)):
            self._note(NO_STYLE)
            description = ""
        return Line(
            text=part.text,
            seed=(row.seed + number * _PART_SEEDS) % (MAX_SEED + 1),
            voice=voice,
            description="" if anchor is not None else description,
            steps=options.steps,
            cfg=options.cfg,
            temperature=options.temperature,
            min_patches=options.min_patches,
            max_patches=options.max_patches,
            retries=options.retries,
            retry_ratio=options.retry_ratio,
            normalize=options.normalize,
            anchor=anchor,
            decided=options.decided,
        )

    def _anchor(self, uid: str) -> Anchor | None:
        """The take that others go on from; None where it was cut off or has gone: its end would mislead them."""
        if uid and uid not in self._anchors:
            try:
                take = self._takes.filled(uid)
                good = take.end == "stopped" and not take.flags
                self._anchors[uid] = Anchor(take.job.text, np.array(take.latents)) if good else None
            except UnknownTakeError:
                self._anchors[uid] = None
        return self._anchors.get(uid)

    def _take(self, row: Row, line: Line, lead: int, spoken: Sequence[tuple[Part, Sequence[TakeResult]]]) -> Take:
        """One take of the results of a cue's parts, with the pauses that were written or that punctuation asks for."""
        results = [result for _, several in spoken for result in several]
        texts = [text for part, several in spoken for text in _texts(part, several)]
        rate = results[0].sample_rate
        sounds: list[tuple[np.ndarray, int]] = []
        for part, several in spoken:
            for number, result in enumerate(several):
                last = number == len(several) - 1
                sounds.append((result.samples, part.pause_ms if last else pause_after(result.text)))
        alone = len(sounds) == 1 and not lead and not sounds[0][1]
        samples, spans = (results[0].samples, []) if alone else joined(sounds, lead, rate)
        text = " ".join(part.text for part, _ in spoken)
        used = results[0].settings
        job = Job(
            job_id=0,
            text=text,
            description=line.description,
            voice=line.voice,
            seed=row.seed,
            steps=line.steps,
            cfg=float(used.get("cfg", 2.0)),
            temperature=float(used.get("temperature", 1.0)),
            min_patches=line.min_patches,
            max_patches=line.max_patches,
            retry_ratio=line.retry_ratio,
            normalize=line.normalize,
            decided=line.decided,
        )
        take = Take(
            0, 0, 0, job, self.model, rate, self.model.frame_rate, self.model.patch_size, uid=row.take, press=row.take
        )
        pieces = tuple(SpokenPiece(one, *times) for one, times in zip(texts, spans, strict=False))
        result = results[0] if alone else _whole(results, samples, text, pieces)
        take.take_in(
            Chunk(0, 0, 0, samples, rate, result.latents, 0.0, result.total_seconds, (result.patches,) * 2, result)
        )
        take.patches = result.patches
        return take

    # Handing over ----------------------------------------------------------------------------------------------------

    def _take_over(self, plan: Plan) -> None:
        """Give cues the takes that were kept before the project could be saved."""
        dub = self._dub()
        known = {take.take for cue in dub.cues for take in cue.takes}
        found = []
        unknown = [row for group in plan.groups for row in group if row.take not in known]
        for row in self._wanted(unknown, dub):
            with contextlib.suppress(UnknownTakeError):
                found.append((row, self._takes.filled(row.take)))
        self._hand_over(found)

    def _hand_over(self, made: Sequence[tuple[Row, Take]], *, newest: bool = False) -> None:
        """Give takes to their cues, choose those that fit (``newest``: of the new ones), and save."""
        by_cue: dict[str, list[CueTake]] = {}
        keys = {row.cue: row.made_of for row, _ in made}
        for row, take in made:
            length = speech_ms(take.samples, take.sample_rate)
            by_cue.setdefault(row.cue, []).append(CueTake(take.uid, row.made_of, length))

        def add() -> None:
            dub = self.dubbing.dub
            room = slots(dub.cues)
            there = {cue.cue_id for cue in dub.cues}  # one may have been deleted meanwhile

            def choose(cue: Cue) -> str:
                current = [take for take in cue.takes if take.made_of == keys[cue.cue_id]]
                return best_take(by_cue[cue.cue_id] if newest else current, room.get(cue.cue_id)).take

            self.dubbing.add_takes({cue_id: takes for cue_id, takes in by_cue.items() if cue_id in there}, choose)

        self._save_change(add if by_cue else lambda: None)

    def _save_change(self, change: Callable[[], object]) -> None:
        project = self.dubbing.project
        self._owner(change)
        snapshot = self._owner(lambda: None if project.is_saved else project.snapshot())
        if snapshot is not None:
            project.write(snapshot)


def _texts(part: Part, results: Sequence[TakeResult]) -> list[str]:
    """What each of the results of a part says: alone the part, which its result may have more than."""
    return [part.text] if len(results) == 1 else [result.text for result in results]


def _whole(
    results: Sequence[TakeResult], samples: np.ndarray, text: str, pieces: tuple[SpokenPiece, ...]
) -> TakeResult:
    """The results of several parts as one; what else is known of each part alone is not kept."""
    ends: Mapping[str, None] = dict.fromkeys(result.end for result in results)
    total = sum(result.total_seconds for result in results)
    seconds = len(samples) / results[0].sample_rate
    return replace(
        results[0],
        samples=samples,
        latents=np.concatenate([result.latents for result in results]),
        patches=sum(result.patches for result in results),
        text=text,
        end=next((end for end in ends if end != "stopped"), "stopped"),
        flags=tuple(dict.fromkeys(flag for result in results for flag in result.flags)),
        total_seconds=total,
        real_time_factor=total / seconds if seconds else 0.0,
        stop_probabilities=np.concatenate([result.stop_probabilities for result in results]),
        patch_seconds=np.concatenate([result.patch_seconds for result in results]),
        pieces=pieces,
    )


__all__ = ["MOST_TAKES", "MakeOptions", "Maker", "Owner", "Progress", "directly", "lost_takes"]
