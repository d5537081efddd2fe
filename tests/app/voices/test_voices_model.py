"""Random use of the library of voices by two programs, compared after every step with a model."""

import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from app.core.consent import making
from app.core.consent.problems import RuleError
from app.core.consent.record import LICENSED, OTHER, SELF, SYNTHETIC
from app.core.consent.rules import add_months
from app.core.consent.statement import new_statement
from app.core.consent.verify import ConsentRefused, Use
from app.core.voice_card import VoiceCard, VoiceError, VoiceState
from app.core.voice_copying import copy_voice
from tests.app.voices.makers import Clock, Place, new_voice, opened

NAMES = st.sampled_from(["Ada", "Bo", "Zoë Müller", "ada bo"])
TAGS = st.sets(st.sampled_from(["warm", "low", "fast"]))
WHICH = st.integers(0, 1 << 16)


class Known:
    """What the model knows of a voice."""

    def __init__(self, kind, name, tags, record):
        self.kind, self.name, self.tags = kind, name, tags
        self.shared = {"records": [record], "complaint": False}  # by all voices that stand on this consent
        self.latents = {}

    @property
    def records(self):
        return self.shared["records"]

    @property
    def complaint(self):
        return self.shared["complaint"]

    @complaint.setter
    def complaint(self, there):
        self.shared["complaint"] = there

    def copied(self, name):
        copy = Known(self.kind, name, self.tags, None)
        copy.shared = self.shared
        return copy

    @property
    def state(self):
        frozen = self.complaint or self.records[-1].withdrawal is not None
        return VoiceState.FROZEN if frozen else VoiceState.ACTIVE

    def refused(self, now):
        newest = self.records[-1]
        return (
            self.complaint
            or newest.withdrawal is not None
            or (newest.expires_at is not None and now >= newest.expires_at)
            or now < newest.valid_from
        )


class VoicesMachine(RuleBasedStateMachine):
    """``known``: id -> what must be there, in the order of saving. Rules use one of two open programs by turns."""

    def __init__(self):
        super().__init__()
        memory = Path("/dev/shm")
        self.folder = Path(tempfile.mkdtemp(prefix="voxcpm-voices-", dir=memory if memory.is_dir() else None))
        self.clock = Clock()
        self.known = {}
        self.gone = []
        self.turn = 0

    @initialize()
    def begin(self):
        self.places = [Place(opened(self.folder / "data"), self.clock) for _ in range(2)]

    def teardown(self):
        for place in getattr(self, "places", ()):
            place.store.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def here(self):
        self.turn += 1
        return self.places[self.turn % 2]

    def one(self, which):
        voice_id = list(self.known)[which % len(self.known)]
        return voice_id, self.known[voice_id]

    @rule(kind=st.sampled_from([SELF, OTHER, LICENSED, SYNTHETIC]), name=NAMES, tags=TAGS, seed=st.integers(0, 3))
    def add(self, kind, name, tags, seed):
        here = self.here
        voice = here.add(kind=kind, name=name, tags=tuple(tags), seed=seed, seconds=0.05)
        self.known[voice.voice_id] = Known(kind, name, tags, here.voices.record(voice.voice_id))

    @precondition(lambda self: self.known)
    @rule(which=WHICH, name=NAMES, tags=TAGS)
    def rename(self, which, name, tags):
        voice_id, known = self.one(which)
        self.here.voices.change_card(voice_id, VoiceCard(name, tuple(tags)))
        known.name, known.tags = name, tags

    @precondition(lambda self: self.known)
    @rule(which=WHICH, name=NAMES)
    def copy(self, which, name):
        voice_id, known = self.one(which)
        here = self.here
        if known.refused(self.clock()):
            with pytest.raises(ConsentRefused):
                copy_voice(here.door, voice_id, name)
            return
        self.known[copy_voice(here.door, voice_id, name).voice_id] = known.copied(name)

    @precondition(lambda self: self.known)
    @rule(which=WHICH, change=st.sampled_from(["extend", "narrow", "renew", "evidence"]), months=st.integers(1, 40))
    def change(self, which, change, months):
        voice_id, known = self.one(which)
        here, now = self.here, self.clock()
        record = here.voices.record(voice_id)
        draft = {
            "extend": lambda: making.extend(record, add_months(now, months), now),
            "narrow": lambda: making.narrow(record, making.make_scope(["generate"]), now=now),
            "renew": lambda: making.renew(
                record,
                new_statement(known.kind, "en", operator=record.operator.text, scope=record.scope, now=now),
                months=months,
                now=now,
            ),
            "evidence": lambda: making.with_evidence(record, [*record.evidence], now=now),
        }[change]()
        try:
            known.records.append(here.voices.append(voice_id, draft))
        except RuleError:
            assert here.voices.record(voice_id) == record

    @precondition(lambda self: self.known)
    @rule(which=WHICH)
    def withdraw(self, which):
        voice_id, known = self.one(which)
        if known.records[-1].withdrawal is not None:
            with pytest.raises(RuleError):
                self.here.voices.withdraw(voice_id)
            return
        known.records.append(self.here.voices.withdraw(voice_id))

    @precondition(lambda self: self.known)
    @rule(which=WHICH)
    def complain(self, which):
        voice_id, known = self.one(which)
        self.here.voices.freeze(voice_id, "somebody wrote")
        known.complaint = True

    @precondition(lambda self: self.known)
    @rule(which=WHICH)
    def release(self, which):
        voice_id, known = self.one(which)
        if known.complaint:
            self.here.voices.release(voice_id, "settled")
            known.complaint = False
        else:
            with pytest.raises(VoiceError):
                self.here.voices.release(voice_id, "nothing")

    @precondition(lambda self: self.known)
    @rule(which=WHICH)
    def delete(self, which):
        voice_id, known = self.one(which)
        self.here.voices.delete(voice_id)
        together = [one for one, other in self.known.items() if other.shared is known.shared]
        for one in together if known.complaint else [voice_id]:
            del self.known[one]
            self.gone.append(one)

    @precondition(lambda self: self.known)
    @rule(which=WHICH, key=st.sampled_from(["a" * 64, "b" * 64]), data=st.sampled_from([b"one", b"two"]))
    def keep_latents(self, which, key, data):
        voice_id, known = self.one(which)
        self.here.voices.keep_latents(voice_id, key, data)
        known.latents[key] = data

    @precondition(lambda self: self.known)
    @rule(which=WHICH)
    def undone(self, which):
        voice_id, _ = self.one(which)
        here = self.here
        with pytest.raises(ZeroDivisionError), here.store.database.write():
            here.voices.change_card(voice_id, VoiceCard("Never"))
            here.voices.add(new_voice(now=self.clock(), seconds=0.05))
            here.voices.delete(voice_id)
            raise ZeroDivisionError

    @rule(days=st.sampled_from([1, 40, 200]))
    def wait(self, days):
        if self.clock.now.year < 2030:
            self.clock.now += timedelta(days=days)

    @rule()
    def sweep(self):
        self.here.store.blobs.sweep(grace_seconds=0)

    @invariant()
    def is_what_the_model_says(self):
        if not hasattr(self, "places"):
            return
        here, now = self.here, self.clock()
        voices = here.voices.all()
        assert [voice.voice_id for voice in voices] == list(self.known)
        for voice, known in zip(voices, self.known.values(), strict=True):
            assert (voice.name, set(voice.card.tags), voice.state) == (known.name, known.tags, known.state)
            assert here.voices.versions(voice.voice_id)[-1] == known.records[-1]
            assert {key: here.voices.latents(voice.voice_id, key) for key in known.latents} == known.latents
            if known.refused(now):
                with pytest.raises(ConsentRefused):
                    here.door.admit(voice.voice_id, Use("generate"))
            else:
                assert here.door.admit(voice.voice_id, Use("generate")).record_id == known.records[-1].record_id
        wanted = [voice_id for voice_id, known in self.known.items() if known.name == "Zoë Müller"]
        assert [voice.voice_id for voice in here.voices.search("zoe mull")] == wanted
        assert here.audit.verify().state in ("intact", "empty")
        assert here.store.blobs.lost() == []


VoicesMachine.TestCase.settings = settings(
    max_examples=8, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
TestVoices = VoicesMachine.TestCase
