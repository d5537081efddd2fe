"""``voxcpm dub``: from subtitles, a script or a project to a mix that fits, with everything that belongs to it."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from app.cli_dub_files import DubFiles
from app.cli_dub_options import HELP, build_parser
from app.cli_marks import Door
from app.cli_sensitive import decided_about
from app.cli_session import Session, read_bytes
from app.cli_voice_spec import told_as_library
from app.core.consent.verify import ConsentRefused
from app.core.dubbing.casting import (
    VoiceSpecs,
    cast_voice,
    note_project,
    refusals,
    refusals_of_texts,
    spec_of_voice,
    voices_of,
)
from app.core.dubbing.cues import Role
from app.core.dubbing.editing import TYPES, Dubbing
from app.core.dubbing.fit import FitRules
from app.core.dubbing.imported import Imported, ImportRefusedError
from app.core.dubbing.making import MakeOptions, Maker, Progress, lost_takes
from app.core.dubbing.mixing import MixOptions
from app.core.dubbing.opening import facts_of
from app.core.dubbing.pauses import parts_of
from app.core.dubbing.plan import PlanError
from app.core.dubbing.reading import read_cues
from app.core.dubbing.words import say
from app.core.engine_api import EngineCancelled
from app.core.library import Library
from app.core.project import Project
from app.core.project_file import ProjectError, ProjectMissingError
from app.core.resources import default_model_folder
from app.core.store.errors import StoreError
from app.core.take_codec import TakeUnreadableError
from app.core.take_files import OutputError
from app.core.take_store import TakeError
from app.core.text_file import TextFileError
from app.core.voice_card import VoiceError
from app.dub_export import Phase
from voxcpm import cli as model_cli
from voxcpm import terminal
from voxcpm.errors import ConsentError, RequestError

log = logging.getLogger(__name__)

COMMANDS = {"dub": HELP}
_KINDS = (
    (OutputError, terminal.EXIT_OUTPUT, "output"),
    (StoreError, terminal.EXIT_OUTPUT, "store"),
    (TakeError, terminal.EXIT_OUTPUT, "store"),
    (TakeUnreadableError, terminal.EXIT_OUTPUT, "store"),
    (ProjectError, terminal.EXIT_OUTPUT, "project"),
    (PlanError, terminal.EXIT_OUTPUT, "project"),
    (ImportRefusedError, terminal.EXIT_REQUEST, "request"),
    (TextFileError, terminal.EXIT_REQUEST, "request"),
)
_MOST_TOLD = 20
_PHASES: dict[Phase, str] = {
    "mix": "mixing", "marks": "marking and writing the mix", "check": "measuring the mix", "stems": "writing stems",
    "cues": "writing single cues",
}  # fmt: skip

Stop = Callable[[], AbstractContextManager[Callable[[], bool]]]


def run(argv: Sequence[str], interrupt: Stop) -> int:
    """Run the command; ``interrupt`` makes what tells that somebody pressed Ctrl+C. Returns the exit code."""
    options = build_parser(terminal.EXIT_HELP).parse_args(argv)
    level = logging.INFO if options.verbose else logging.ERROR if options.quiet else logging.WARNING
    logging.basicConfig(level=level, format="%(levelname)s: %(message)s")
    try:
        with Library() as library:
            return _Run(options, library, interrupt).run()
    except (Exception, KeyboardInterrupt) as error:
        return model_cli.report_failure(error, as_json=options.json, verbose=options.verbose, kinds=_KINDS)


class _Run:
    """One run of the command. Everything that can be refused is refused before a model is loaded."""

    def __init__(self, options: argparse.Namespace, library: Library, interrupt: Stop) -> None:
        self.options, self.library, self.interrupt = options, library, interrupt
        self.imported: Imported | None = None
        if options.out is None:
            options.out = f"{options.source.stem}.wav"

    def run(self) -> int:
        options = self.options
        if not 1 <= options.takes <= 3:
            raise RequestError("takes", f"a cue gets 1 to 3 takes, not {options.takes}.")
        if options.together < 1:
            raise RequestError("together", f"at least one take must be computed at once, not {options.together}.")
        try:
            channels = 2 if options.stereo else 1
            mix = MixOptions(options.rate, channels, options.loudness, options.bed, options.duck)
            rules = FitRules(options.stretch, options.fill, options.ripple)
        except ValueError as error:
            raise RequestError("mix", str(error)) from error
        door = Door(options, secret=self.library.secret, audit=self.library.hear)
        files = DubFiles(options, door, mix, rules)
        session = Session(options, (), self.library)
        with self._project() as project:
            for note in project.notes:
                session.remark(note)
            dubbing = Dubbing(project, _read_words(options.words))
            dubbing.lost = lost_takes(dubbing.as_kept, self.library.takes)
            if dubbing.lost:
                count = len(dubbing.lost)
                session.remark(f"{count} takes of the project are not in the library here: what is heard is made again")
            self._cast(dubbing, session)
            self._check(dubbing, session)
            for voice in voices_of(dubbing.dub):
                note_project(dubbing, self.library.door, voice)
            files.check(dubbing.dub)
            stopped = self._make(dubbing, session)
            if not stopped:
                self._write(dubbing, session, files)
            for note in files.notes:
                session.remark(note)
            return self._finish(dubbing, session, files, stopped=stopped)

    # Before ----------------------------------------------------------------------------------------------------------

    def _project(self) -> Project:
        """Open the project, or make it of a file; a project that was made of the same file goes on."""
        source: Path = self.options.source
        if source.is_dir():
            if self.options.project is not None:
                raise RequestError("project", "the source is a project already; leave --project out.")
            return Project.open(source, types=TYPES)
        self.imported = read_cues(read_bytes(source), source.name, self.options.form)
        out = Path(self.options.out)
        folder = self.options.project or out.with_name(f"{out.stem}.dub")
        try:
            project = Project.open(folder, types=TYPES)
        except ProjectMissingError:
            project = Project.create(folder, source.stem[:100] or "Dub", types=TYPES)
        dubbing = Dubbing(project)
        held = dubbing.dub.cues
        if not held:
            dubbing.add(self.imported.cues)
            project.save()
        elif [facts_of(cue) for cue in held] != [facts_of(cue) for cue in self.imported.cues]:
            project.close()
            raise ProjectError(
                f"The project in {folder} holds other cues than {source.name}. To go on with the project, give it as "
                "the source; to begin anew, give another --project."
            )
        return project

    def _cast(self, dubbing: Dubbing, session: Session) -> None:
        """Give voices to characters; the door is asked for each."""
        wanted = dict(_cast_of(self.options.cast))
        characters = dubbing.dub.characters
        if unknown := set(wanted) - set(characters):
            there = ", ".join(name for name in characters if name) or "none with a name"
            raise RequestError("cast", f"{', '.join(sorted(unknown))} does not speak here; there are: {there}.")
        default = self._default_voice(session)
        try:
            for character in characters:
                role = dubbing.dub.cast.get(character, Role())
                named = wanted.get(character)
                voice = self.library.voices.find(named).voice_id if named else role.voice
                description = role.description
                if not voice and not description:
                    voice, description = default, "" if default else self.options.description
                if (voice, description) != (role.voice, role.description):
                    cast_voice(dubbing, self.library.door, character, Role(voice, description, role.style))
        except (VoiceError, ConsentRefused) as error:
            raise ConsentError(str(error)) from error
        dubbing.project.save()

    def _default_voice(self, session: Session) -> str:
        """The voice for everybody who is not cast: the one asked for, or one that came with the studio."""
        if session.spec is not None:
            return session.spec.voice_id
        if self.options.description or session.folder == default_model_folder() or not session.config.takes_reference:
            return ""
        shipped = next(iter(self.library.voices.shipped.all()), None)
        if shipped is None or shipped.card is None:
            return ""
        session.remark(f"no --voice was given, so everybody who is not cast speaks as {shipped.card.name}")
        return shipped.voice_id

    def _check(self, dubbing: Dubbing, session: Session) -> None:
        """Let the door refuse voices and the library refuse texts, all at once, before anything is made."""
        from dataclasses import replace

        from voxcpm.request import check_request

        dub = dubbing.dub
        if self.options.description:
            described = replace(session.base, text="Yes.", description=self.options.description)
            check_request(described, session.config)
        spoken = {cue.cue_id: [part.text for part in parts_of(dubbing.spoken(cue, dub))[1]] for cue in dub.cues}
        refused = refusals(dub, self.library.door) or refusals_of_texts(dub, self.library.door, spoken)
        if refused:
            named = ((", ".join(filter(None, one.characters)) or "The dub", one.reason) for one in refused)
            raise ConsentError(" ".join(f"{who}: {reason}" for who, reason in named))
        try:
            for voice in voices_of(dub):
                spec_of_voice(self.library.voices.get(voice), takes_reference=session.config.takes_reference)
        except VoiceError as error:
            raise RequestError("voice", str(error)) from error
        missing = {cue.cue_id for cue in dubbing.missing(dub)}
        texts = [text for cue_id, several in spoken.items() if cue_id in missing for text in several]
        session.decided = decided_about(self.options, texts, self.library)
        for number, cue in enumerate(dub.cues, 1):
            for text in spoken[cue.cue_id]:
                try:
                    check_request(replace(session.base, text=text, description=""), session.config)
                except RequestError as error:
                    raise RequestError(error.field, f"cue {number}: {error.problem}") from error

    # Making ----------------------------------------------------------------------------------------------------------

    def _make(self, dubbing: Dubbing, session: Session) -> bool:
        """Make what is missing; True when somebody stopped it. No model is loaded when nothing is."""
        if dubbing.choose_fresh():
            dubbing.project.save()
        dub = dubbing.dub
        missing = [cue for cue in dubbing.missing(dub) if parts_of(dubbing.spoken(cue, dub))[1]]
        if not missing:
            return False
        from app.engine.local import LocalEngine

        options, base = self.options, session.base
        assert base.seed is not None
        steady = options.steady if options.steady is not None else session.folder != default_model_folder()
        asked = MakeOptions(
            base.seed, options.takes, options.together, base.steps, base.cfg, base.temperature,
            base.min_patches, base.max_patches, base.retries, base.retry_ratio, base.normalize, steady, session.decided,
        )  # fmt: skip
        engine = LocalEngine(lambda: self.library.door)

        def show(progress: Progress) -> None:
            log.info("made: %d of %d cues", progress.done, progress.total)
            session.bar.show(progress.done / max(1, progress.total), f"{progress.done} of {progress.total} cues")

        try:
            with told_as_library(), self.interrupt() as stopped:
                loading = lambda fraction: session.bar.show(fraction, "loading the model")  # noqa: E731
                model = engine.load(str(session.folder), options.device, options.dtype, loading, stopped)
                specs = VoiceSpecs(self.library.voices, takes_reference=session.config.takes_reference)
                maker = Maker(dubbing, engine, model, self.library.store, self.library.takes, specs.of, asked)
                try:
                    maker.run(stopped, show)
                finally:
                    session.bar.clear()
                    for note in maker.notes:
                        session.remark(note)
        except EngineCancelled:
            return True
        finally:
            engine.close()
        return False

    def _write(self, dubbing: Dubbing, session: Session, files: DubFiles) -> None:
        """Write the files; of an hour that takes minutes, so it is told how far it is."""

        def show(phase: Phase, done: int, total: int) -> None:
            count = f", {done + 1} of {total}" if total > 1 else ""
            session.bar.show(done / max(1, total), f"{_PHASES[phase]}{count}")

        files.tell = show
        try:
            files.write(dubbing, self.library)
        finally:
            session.bar.clear()

    def _finish(self, dubbing: Dubbing, session: Session, files: DubFiles, *, stopped: bool) -> int:
        options, dub = self.options, dubbing.dub
        lacking = len(dubbing.missing(dub))
        remarks = [str(remark) for remark in self.imported.remarks] if self.imported is not None else []
        words = {**dubbing.words, **dub.words}
        said = [
            f"cue {number}: {change.written!r} is said as {change.said!r}."
            for number, cue in enumerate(dub.cues, 1)
            for change in say(cue.text, words).changes
        ]
        if options.json:
            terminal.write_json(
                {
                    "command": "dub",
                    "project": str(dubbing.project.folder),
                    "imported": remarks,
                    "said": said,
                    **files.described(dub),
                    "remarks": session.remarks,
                    "missing": lacking,
                    "stopped": stopped,
                }
            )
        else:
            for path in files.written:
                sys.stdout.write(f"{path}\n")
        if not options.quiet:
            told = [*remarks, *said, *files.told(dub)]
            for line in told[:_MOST_TOLD]:
                terminal.note(line)
            if len(told) > _MOST_TOLD:
                terminal.note(f"... and {len(told) - _MOST_TOLD} more; --json lists all.")
            if stopped:
                terminal.note(f"voxcpm: stopped with {lacking} cues to make. The same command goes on from here.")
        return terminal.EXIT_CANCELLED if stopped else terminal.EXIT_OK


def _cast_of(entries: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for entry in entries:
        name, equals, voice = entry.partition("=")
        if not equals or not voice.strip():
            raise RequestError("cast", f"give a character and a voice as NAME=VOICE, not {entry!r}.")
        pairs.append((name.strip(), voice.strip()))
    return pairs


def _read_words(path: Path | None) -> dict[str, str]:
    """The dictionary for all dubs, as it was written in the window, with that of ``--words`` before it."""
    from app.core.settings import Settings, default_settings_file
    from app.core.text_file import decode_text

    words: dict[str, str] = Settings(default_settings_file()).get("words")
    if path is None:
        return words
    for number, line in enumerate(decode_text(read_bytes(path), str(path)).split("\n"), 1):
        word, equals, said = line.partition("=")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not equals or not word.strip() or not said.strip():
            raise RequestError("words", f"{path}, line {number}: write WORD=HOW IT IS SAID.")
        words[word.strip()] = said.strip()
    return words
