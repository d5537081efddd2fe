"""What the window and the engine say to each other: plain, frozen, picklable values with numpy arrays.

Nothing here knows Qt, torch or the library, so the same messages can travel to a thread, to a child process or to
another machine.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

MODE_DESIGN = "design"
MODE_REFERENCE = "reference"
MODE_CONTINUATION = "continuation"
MODE_COMBINED = "combined"

MAX_SEED = 2**32 - 1
MAX_TAKES = 3

PURPOSE_GENERATE = "generate"
SUBJECT_SELF = "self"
SUBJECT_OTHER = "other"
SAVED = "saved"
_CONSENT_OF_OTHERS_LASTS = timedelta(days=365)


@dataclass(frozen=True)
class Consent:
    """The word of the person at the screen that a voice may be used.

    ``subject_kind`` is ``self`` or ``other``; ``name`` says who agreed and ``contact`` how that person can be reached,
    both are empty for one's own voice. ``scope`` lists the purposes it covers. Times are timezone-aware UTC;
    ``expires_at`` None = no expiry.
    It attests; it proves nothing about who is heard.
    """

    record_id: str
    subject_kind: str
    name: str
    scope: frozenset[str]
    valid_from: datetime
    expires_at: datetime | None
    contact: str = ""
    fresh: bool = False
    """Answered at the screen just now: the door makes a record of it. Never kept."""

    @classmethod
    def attest(cls, subject_kind: str, name: str = "", now: datetime | None = None, contact: str = "") -> Consent:
        """Make a new answer for generating, valid from ``now``; another person's word lasts twelve months.

        Raises:
            ValueError: an unknown ``subject_kind``, or another person's voice without a name.
        """
        name = name.strip()
        if subject_kind not in (SUBJECT_SELF, SUBJECT_OTHER):
            raise ValueError(f"subject_kind must be '{SUBJECT_SELF}' or '{SUBJECT_OTHER}', not {subject_kind!r}")
        if subject_kind == SUBJECT_OTHER and not name:
            raise ValueError("say who agreed to the use of this voice")
        start = now or datetime.now(UTC)
        return cls(
            record_id=str(uuid.uuid4()),
            subject_kind=subject_kind,
            name=name,
            scope=frozenset({PURPOSE_GENERATE}),
            valid_from=start,
            expires_at=None if subject_kind == SUBJECT_SELF else start + _CONSENT_OF_OTHERS_LASTS,
            contact=contact.strip(),
            fresh=True,
        )

    def without_names(self) -> Consent:
        """It as it is kept with takes: only the id leads to who agreed."""
        return replace(self, name="", contact="", fresh=False)


@dataclass(frozen=True)
class VoiceSpec:
    """A voice as files: ``reference`` gives the timbre, ``prompt`` with its exact ``transcript`` is continued.

    Paths may be equal (one audio used as both). ``consent`` is None while nobody has agreed: such a spec can be
    planned, never spoken. ``voice_id`` is the UUID of a saved voice, empty for recordings that are used as they are.
    """

    reference: str | None = None
    prompt: str | None = None
    transcript: str = ""
    consent: Consent | None = None
    voice_id: str = ""

    @property
    def mode(self) -> str:
        """``reference``, ``continuation`` or ``combined``."""
        if self.reference and self.prompt:
            return MODE_COMBINED
        return MODE_CONTINUATION if self.prompt else MODE_REFERENCE


@dataclass(frozen=True)
class Job:
    """One press of Generate: one text, one voice or description, 1-3 takes whose seeds spring from ``seed``.

    ``steps`` 1..200, ``cfg`` 0..20, ``max_patches`` >= 1, ``temperature`` 0..2; the model may end a take after
    ``min_patches`` >= 0; one of more than ``retry_ratio`` patches a token is cut and doubtful. The engine checks
    them and refuses by field name. ``decided`` are the categories of sensitive text that a person has decided about.
    """

    job_id: int
    text: str
    description: str = ""
    voice: VoiceSpec | None = None
    seed: int = 0
    takes: int = 1
    steps: int = 10
    cfg: float = 2.0
    max_patches: int = 4096
    normalize: bool = False
    temperature: float = 1.0
    min_patches: int = 2
    retry_ratio: float = 6.0
    decided: frozenset[str] = frozenset()

    @property
    def mode(self) -> str:
        """The mode that the model is asked for."""
        return self.voice.mode if self.voice else MODE_DESIGN

    def without_names(self) -> Job:
        """It as it is kept with its takes, see ``Consent.without_names``."""
        if self.voice is None or self.voice.consent is None:
            return self
        return replace(self, voice=replace(self.voice, consent=self.voice.consent.without_names()))


@dataclass(frozen=True)
class ModelInfo:
    """What the window needs to know of a loaded model. Rates in Hz, ``frame_rate`` in latent frames per second.

    ``threads``, ``library`` and ``machine`` (instruction set, graphics card) are what sums depend on besides; 0 and
    empty where unknown. ``cfg`` and ``temperature`` are those that the model asks for itself.
    """

    folder: str
    name: str
    note: str
    architecture: str
    encode_rate: int
    output_rate: int
    patch_size: int
    latent_dim: int
    frame_rate: float
    max_length: int
    device: str
    dtype: str
    weight_bytes: int
    takes_reference: bool
    takes_description: bool
    fingerprint: str = ""
    threads: int = 0
    library: str = ""
    machine: str = ""
    cfg: float = 2.0
    temperature: float = 1.0

    @property
    def patch_seconds(self) -> float:
        """Sound that one patch makes, in seconds."""
        return self.patch_size / self.frame_rate


@dataclass(frozen=True)
class LoraInfo:
    """A LoRA that is in use: ``strength`` 0..4, ``layers`` it changes, ``of_a_person`` when it is under a consent.

    ``skipped`` are parts of the file that this model has no place for, ``missing`` layers that the file lacks.
    """

    path: str
    name: str
    rank: int
    strength: float
    layers: int
    skipped: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    of_a_person: bool = False


@dataclass(frozen=True)
class Note:
    """Something that a person should know before the model runs: ``message`` in English.

    ``code`` is stable and ``values`` are its numbers and characters by name, for those who say it in another language.
    ``part`` is what it is about (``reference``, ``prompt``) or empty.
    """

    code: str
    message: str
    part: str = ""
    values: Mapping[str, float | str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class PlanInfo:
    """What the model would get for a job.

    ``expected_seconds`` is a (low, high) guess of the sound's length; ``reference_seconds`` and ``prompt_seconds``
    count after trimming and are 0 where there is none.
    """

    mode: str
    final_text: str
    text_tokens: int
    max_patches: int
    expected_seconds: tuple[float, float]
    reference_seconds: float = 0.0
    prompt_seconds: float = 0.0
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class BatchRow:
    """One row of the batch that a take was made in: what else is computed along can change the last bits of its sums.

    ``voice`` is the key of the encoded voice, made of its content; None without one.
    """

    text: str
    mode: str
    seed: int
    attempt: int
    steps: int
    cfg: float
    min_patches: int
    max_patches: int
    voice: str | None = None
    temperature: float = 1.0


PARTS = "parts"
"""In the settings of a result: of a long text that was made in parts, what each was made with, in order."""


@dataclass(frozen=True)
class SpokenPiece:
    """A stretch of a take that was made by itself: its speech goes from ``start_ms`` to ``end_ms`` of the take."""

    text: str
    start_ms: int
    end_ms: int


@dataclass(frozen=True, eq=False)
class TakeResult:
    """How one take ended. ``latents`` [frames, D] and ``samples`` [n] are the whole take, float32.

    ``end`` is one of stopped, length_cap, max_patches, context_full, cancelled. Times are in seconds. ``batch`` are
    the rows that were computed together, in order; this take is the one at ``row``. ``lora`` is the fingerprint and
    strength of the adapter, empty for none.
    """

    samples: np.ndarray
    sample_rate: int
    latents: np.ndarray
    patches: int
    mode: str
    text: str
    seed: int
    end: str
    flags: tuple[str, ...] = ()
    time_to_first_audio: float = 0.0
    total_seconds: float = 0.0
    real_time_factor: float = 0.0
    model: str = ""
    device: str = ""
    dtype: str = ""
    stop_probabilities: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))
    patch_seconds: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))
    settings: Mapping[str, Any] = field(default_factory=dict)
    next_seed: int | None = None
    """Offered for another try at a doubtful take."""
    batch: tuple[BatchRow, ...] = ()
    row: int = 0
    lora: str = ""
    pieces: tuple[SpokenPiece, ...] = ()
    """What a long text, or one with pauses written into it, was put together of; empty for a text made as a whole."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """New sound of one take: ``samples`` float32 [n] at ``sample_rate``, ``latents`` float32 [P, D] or [0, D].

    ``row`` is the take within its job, ``seconds`` the time the patch took to compute, ``expected_patches`` a
    (low, high) guess for the whole take. ``result`` is set on the last chunk of a row and only there.
    """

    job_id: int
    row: int
    patch: int
    samples: np.ndarray
    sample_rate: int
    latents: np.ndarray
    stop_probability: float
    seconds: float
    expected_patches: tuple[int, int]
    result: TakeResult | None = None


@dataclass(frozen=True)
class Failure:
    """Something that went wrong, for people: ``message`` says what happened and what to do.

    ``field`` names the input at fault (``text``, ``reference``, ...) or is empty; ``details`` is the technical part.
    ``code`` is stable and names the kind of failure (``text``, ``audio.too_short``, ...), for those who say it in
    another language; empty where there is none. ``path`` is the file that it is about, where one is needed to help.
    """

    message: str
    field: str = ""
    details: str = ""
    code: str = ""
    path: str = ""


# To the engine -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlanJob:
    """Work out what the model would get for ``job``; only the newest ticket is answered."""

    ticket: int
    job: Job


@dataclass(frozen=True)
class RunJob:
    """Make the takes of ``job``."""

    job: Job


# From the engine -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlanReady:
    """The answer to PlanJob: a plan, or why the job would be refused."""

    ticket: int
    plan: PlanInfo | None
    failure: Failure | None = None


@dataclass(frozen=True)
class JobStarted:
    """The engine has begun to work on this job."""

    job_id: int


@dataclass(frozen=True)
class JobEnded:
    """Nothing more will come for this job. ``failure`` is None when it went well or was cancelled."""

    job_id: int
    cancelled: bool = False
    failure: Failure | None = None
