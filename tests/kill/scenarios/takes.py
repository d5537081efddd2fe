"""Takes are kept, marked, put into the bin and back, deleted for good, alone or with their voice."""

from __future__ import annotations

import random
import uuid
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.core.store import Store, errors
from app.core.take_store import TakeLibrary
from app.core.takes import Take
from tests.app.takes.makers import VOICE, made, opened
from tests.kill.scenario import Journal, Say, Step

State = dict[str, Step]
"""uid -> seed, voice, binned, rating."""
_ONCE = "once"  # a person's recordings that are not saved as a voice


class TakesScenario:
    """What is there must be what was acknowledged, with or without the step that was begun."""

    name = "takes"

    def __init__(self) -> None:
        self.state: State = {}

    def prepare(self, folder: Path) -> None:
        """Nothing: each child goes on with the library that is there."""

    def act(self, folder: Path, rng: random.Random, say: Say) -> None:
        """Do something without end."""
        with opened(folder / "data") as store:
            library = TakeLibrary(store)
            voices: list[str] = []
            state = look(library)
            while True:
                do = rng.choice(["add"] * 5 + ["mark", "mark", "bin", "bin", "back", "empty", "voice", "delete"])
                uids = sorted(state)
                if (do in ("mark", "bin", "back") and not uids) or (do == "delete" and not voices):
                    do = "add"
                step: Step = {"do": do}
                take: Take | None = None
                if do == "add":
                    step |= {"seed": rng.randrange(1 << 30), "voice": rng.choice(["", _ONCE, *voices])}
                    take = make(step)
                    step["uid"] = take.uid
                elif do in ("mark", "bin", "back"):
                    step |= {"uid": rng.choice(uids), "rating": rng.randint(0, 5)}
                elif do == "voice":
                    step["voice"] = str(uuid.UUID(int=rng.getrandbits(128)))
                elif do == "delete":
                    step["voice"] = rng.choice(voices)
                say.begin(step)
                carry_out(store, library, step, take)
                say.done(step)
                state = after(state, step)
                if do == "voice":
                    voices.append(step["voice"])
                elif do == "delete":
                    voices.remove(step["voice"])

    def check(self, folder: Path, journal: Journal) -> list[str]:
        """Everything acknowledged is there, sound included; no file is left over once it was swept."""
        allowed = self.state
        for step in journal.done:
            allowed = after(allowed, step)
        both = [allowed] + ([after(allowed, journal.begun)] if journal.begun else [])
        try:
            with opened(folder / "data") as store:
                library = TakeLibrary(store)
                self.state = look(library)
                found = store.database.integrity()
                if self.state not in both:
                    found.append(f"{len(self.state)} takes are not the {len(allowed)} that were acknowledged")
                found += list(problems(library, self.state))
                store.blobs.sweep(grace_seconds=0)
                with store.database.read() as connection:
                    used = {row[0] for row in connection.execute("SELECT sound FROM takes")}
                    indexed = {row[0] for row in connection.execute("SELECT rowid FROM take_search")}
                    numbers = {row[0] for row in connection.execute("SELECT seq FROM takes")}
                if used != {path.name for path in (folder / "data" / "blobs").glob("*/*")}:
                    found.append("stored files are left over or missing")
                if indexed != numbers:
                    found.append("the index knows other takes")
                return found
        except errors.StoreError as error:
            return [f"{type(error).__name__}: {error}"]


def make(step: Step) -> Take:
    """Return the take of an ``add`` step."""
    voice = None
    if step["voice"]:
        voice = replace(VOICE, voice_id="" if step["voice"] == _ONCE else step["voice"])
    return made(f"Take number {step['seed']}.", voice=voice, seed=step["seed"], length=500)[0]


def carry_out(store: Store, library: TakeLibrary, step: Step, take: Take | None) -> None:
    """Do one step."""
    match step["do"]:
        case "add":
            assert take is not None
            library.add(take)
        case "mark":
            library.mark(step["uid"], rating=step["rating"])
        case "bin":
            library.move_to_bin([step["uid"]])
        case "back":
            library.restore([step["uid"]])
        case "empty":
            library.empty_bin()
        case "voice":
            store.keys.new_voice_key(step["voice"])
        case "delete":
            with store.database.write():
                library.delete_takes_of(step["voice"])
                store.keys.destroy_voice_key(step["voice"])


def after(state: State, step: Step) -> State:
    """Return what a step makes of ``state``."""
    new = {uid: dict(known) for uid, known in state.items()}
    match step["do"]:
        case "add":
            new[step["uid"]] = {"seed": step["seed"], "voice": step["voice"], "binned": False, "rating": 0}
        case "mark":
            new[step["uid"]]["rating"] = step["rating"]
        case "bin" | "back":
            new[step["uid"]]["binned"] = step["do"] == "bin"
        case "empty":
            new = {uid: known for uid, known in new.items() if not known["binned"]}
        case "delete":
            new = {uid: known for uid, known in new.items() if known["voice"] != step["voice"]}
    return new


def look(library: TakeLibrary) -> State:
    """Return what is in the library."""
    return {
        take.uid: {
            "seed": take.job.seed,
            "voice": "" if take.job.voice is None else take.voice_id or _ONCE,
            "binned": take.binned,
            "rating": take.marks.rating,
        }
        for binned in (False, True)
        for take in library.all(binned=binned)
    }


def problems(library: TakeLibrary, state: State) -> list[str]:
    """Read the sound of every take."""
    found = []
    for uid, known in state.items():
        try:
            if not np.array_equal(library.sound(uid).samples, make(known).samples):
                found.append(f"the take {uid} has another sound")
        except (errors.StoreError, ValueError) as error:
            found.append(f"the take {uid} cannot be read: {error}")
    return found
