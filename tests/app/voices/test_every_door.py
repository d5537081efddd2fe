"""Every way to a person's voice is listed here, and each refuses what the record does not allow, with the reason."""

import ast
import json
import subprocess
import sys
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import soundfile

from app import cli, cli_audit, cli_takes, cli_verify, cli_voices
from app.cli_options import build_parser
from app.cli_voice_options import build_parser as voices_parser
from app.core.consent import making
from app.core.consent.record import OTHER, SELF
from app.core.consent.verify import ConsentRefused, Use
from app.core.dubbing.lines import Line
from app.core.engine_api import Engine, EngineError
from app.core.messages import SAVED, Consent, Job, VoiceSpec
from app.core.resources import default_model_folder
from app.engine.local import LocalEngine
from app.engine.loras import hash_of_lora
from tests.app.voices.makers import PASSPHRASE, Clock, break_chain, place
from voxcpm import cli as model_cli

ROOT = Path(__file__).parents[3]
TROUBLES = ("missing", "expired", "withdrawn", "out of scope", "broken chain")
REASONS = {
    "missing": ("no voice", "no consent record"),
    "expired": ("expired",),
    "withdrawn": ("withdrew",),
    "out of scope": ("does not allow",),
    "broken chain": ("changed after",),
}

# Every command, and whether it gets to a voice. One that is not here fails the test: decide, and add its refusal below.
USES_A_VOICE = {
    "clone", "continue", "batch", "train", "prepare", "evaluate", "takes reproduce", "voices copy",
    "voices export",
}  # fmt: skip
USES_NONE = {
    "design": "no recording and no saved voice",
    "info": "reads a model's header",
    "pin": "lists the hashes of weight files",
    "bench": "speaks without a voice",
    "download": "fetches models",
    "verify": "reads marks of files",
    "audit": "reads the log",
    "takes list": "ids and texts of what was made",
    "takes show": "facts of what was made",
    "takes export": "passes a take on, not the voice",
    "voices list": "names only",
    "voices show": "the record in words",
    "voices add": "makes the record",
    "voices statement": "compares the person's voice with a recording of it, for the record alone",
    "voices renew": "makes a version of the record",
    "voices extend": "makes a version of the record",
    "voices withdraw": "takes it back",
    "voices freeze": "freezes",
    "voices delete": "deletes",
    "voices takedown": "freezes and deletes",
    "voices complaints": "ids and dates",
    "voices tombstone": "hashes of what is gone",
    "voices purge": "deletes",
    "voices import": "judges the record that comes along",
    "voices verify": "checks records",
    "voices request": "asks for consent",
    "voices answer": "gives consent",
}
# Options by which a command could get hold of a voice.
TO_A_VOICE = {"voice", "reference", "prompt", "references", "lora", "adapter", "manifest", "data", "resume"}


def subcommands(parser):
    """Name -> parser of the commands of a parser."""
    found = {}
    for action in parser._actions:
        if isinstance(action.choices, dict):
            found |= action.choices
    return found


def all_commands():
    """Every command of ``voxcpm`` with its options, as people can type them."""
    forwarded = {**cli_verify.COMMANDS, **cli_audit.COMMANDS, **cli_takes.COMMANDS, **cli_voices.COMMANDS}
    top = subcommands(build_parser({**forwarded, **model_cli.COMMANDS}, ""))
    top |= subcommands(model_cli.build_parser())
    from voxcpm.evaluation import cli as evaluation
    from voxcpm.training import cli as training

    top |= subcommands(training.build_parser()) | {"evaluate": evaluation.build_parser()}
    nested = {"takes": cli_takes._parser(), "voices": voices_parser(cli_voices._ACTIONS)}
    for name, parser in nested.items():
        del top[name]
        top |= {f"{name} {action}": found for action, found in subcommands(parser).items()}
    return top


def test_every_command_is_listed():
    found = all_commands()
    assert set(found) == USES_A_VOICE | set(USES_NONE), "decide whether the new command uses a voice, and add it here"
    listed = subcommands(build_parser({}, "")).keys() | model_cli.COMMANDS.keys()
    assert {name.split()[0] for name in found} >= listed
    for name, parser in found.items():
        to_a_voice = TO_A_VOICE & {action.dest for action in parser._actions}
        if name not in USES_A_VOICE and not name.startswith(("voices ", "takes ")):  # there "data" is the data folder
            assert not to_a_voice, f"{name} has {to_a_voice}"


def test_the_engine_has_no_other_way_in():
    methods = {name for name in vars(Engine) if not name.startswith("_")}
    to_a_voice, others = (
        {"plan", "stream", "speak_lines", "use_lora"},
        {"load", "warm_up", "watermark", "close", "give_up", "process_id", "watch", "check"},
    )
    assert methods == to_a_voice | others, "does the new method use a voice?"


def calls(path):
    """Names of the attributes and classes that a module calls, with the number of arguments."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield name, len(node.args) + len(node.keywords)


PAST_THE_DOOR = {"encode_voice": "app/engine/voices.py", "load_lora": "app/engine/loras.py"}


def test_only_the_voices_of_the_engine_encode_and_load_adapters():
    for path in sorted((ROOT / "app").rglob("*.py")):
        for name, arguments in calls(path):
            if name in PAST_THE_DOOR:
                assert str(path.relative_to(ROOT)) == PAST_THE_DOOR[name], f"{path} goes past the door"
            if name == "LocalEngine":
                assert arguments, f"{path} makes an engine without a door"


# The refusals -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A data folder with one voice of every trouble, once for each use; (trouble, use) -> voice id, record id."""
    folder = tmp_path_factory.mktemp("door") / "data"
    long_ago = datetime.now(UTC).replace(microsecond=0) - timedelta(days=400)
    whole = making.make_scope(training=True, redistribution=True)
    scopes = {
        "generate": making.make_scope(["export"]),
        "train": making.make_scope(),
        "share": making.make_scope(),
    }
    found, seed = {}, 0
    with place(folder, Clock(long_ago)) as here:
        for trouble in TROUBLES[1:]:
            for use, narrow in scopes.items():
                seed += 1
                kept = {"kind": OTHER, "scope": narrow if trouble == "out of scope" else whole}
                months = 12 if trouble == "expired" else 24
                voice = here.add(
                    name=f"{trouble} {use}", parts=("reference", "prompt"), seed=seed, months=months, **kept
                )
                found[trouble, use] = voice.voice_id, here.voices.record(voice.voice_id).record_id
                if trouble == "withdrawn":
                    here.voices.withdraw(voice.voice_id)
        for (trouble, _), (voice_id, _) in found.items():
            if trouble == "broken chain":
                break_chain(here.store, voice_id)
    for use in scopes:
        found["missing", use] = str(uuid.uuid4()), str(uuid.uuid4())
    return folder, found


@pytest.fixture
def here(tmp_path, monkeypatch, library):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXCPM_DATA", str(library[0]))
    monkeypatch.setenv("VOXCPM_PASSPHRASE", PASSPHRASE)
    Path("lines.txt").write_text("Hello.\n")
    return tmp_path


def manifest(record_id):
    import numpy as np

    soundfile.write("a.wav", np.random.default_rng(0).normal(0, 0.1, 16000), 16000)
    entry = {"audio": "a.wav", "text": "Hello there.", "consent_record_id": record_id, "licence": "private"}
    Path("data.jsonl").write_text(json.dumps(entry) + "\n")
    return "data.jsonl"


def resumed(record_id):
    run = Path("run")
    run.mkdir()
    choices = {"options": {"data": ""}, "consent_record_ids": [record_id]}
    (run / "run.json").write_text(json.dumps(choices))
    return "run"


EVALUATE = ["evaluate", "--model", "m", "--sentences", "lines.txt", "--out", "o"]
COMMANDS = {
    "clone": ("generate", lambda voice, record: ["clone", "Hello.", "--voice", voice]),
    "continue": ("generate", lambda voice, record: ["continue", "Hello.", "--voice", voice]),
    "batch": ("generate", lambda voice, record: ["batch", "lines.txt", "--voice", voice]),
    "clone with a file": (
        "generate",
        lambda voice, record: ["clone", "Hello.", "--reference", manifest("") and "a.wav", "--consent", record],
    ),
    "evaluate": ("generate", lambda voice, record: [*EVALUATE, "--references", ".", "--consent", record]),
    "prepare": ("train", lambda voice, record: ["prepare", manifest(record)]),
    "train": (
        "train",
        lambda voice, record: [
            "train",
            "--model",
            str(default_model_folder()),
            "--data",
            manifest(record),
            "--out",
            "o",
        ],
    ),
    "train --resume": ("train", lambda voice, record: ["train", "--resume", resumed(record)]),
    "train --validation": (
        "train",
        lambda voice, record: ["train", "--out", "o", "--data", "none.jsonl", "--validation", manifest(record)],
    ),
    "voices copy": ("generate", lambda voice, record: ["voices", "copy", voice, "Another"]),
    "voices export": ("share", lambda voice, record: ["voices", "export", voice, "a.voice.zip"]),
}


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_refuse(here, library, capsys, command, trouble):
    use, argv = COMMANDS[command]
    voice_id, record_id = library[1][trouble, use]
    before = {path.name for path in here.iterdir()}
    code = cli.main(argv(voice_id, record_id))
    said = capsys.readouterr().err
    # A voice that is not there cannot be named at all; everything else is a matter of consent.
    assert code == (2 if trouble == "missing" and command in ("voices copy", "voices export") else 5), said
    assert any(reason in said for reason in REASONS[trouble]), said
    made = {path.name for path in here.iterdir()} - before - {"a.wav", "data.jsonl", "run"}
    assert not made and "Traceback" not in said


def test_every_command_that_uses_a_voice_was_tried():
    assert {name.split(" --")[0].removesuffix(" with a file") for name in COMMANDS} | {
        "takes reproduce"
    } == USES_A_VOICE


@pytest.fixture(scope="module")
def engine(library):
    with place(library[0], Clock(datetime.now(UTC))) as here:
        engine = LocalEngine(lambda: here.door)
        engine.load(str(default_model_folder()), "cpu", "auto", lambda fraction: None, lambda: False)
        yield engine
        engine.close()


def ask(engine, way, spec):
    job = Job(1, "Hello.", voice=spec, max_patches=3, steps=1)
    if way == "speak_lines":
        return engine.speak_lines([Line("Hello.", 1, voice=spec, max_patches=3, steps=1)], lambda: False)
    return list(engine.stream(job, lambda: False)) if way == "stream" else engine.plan(job)


@pytest.mark.parametrize("way", ["plan", "stream", "speak_lines"])
@pytest.mark.parametrize("trouble", TROUBLES)
def test_the_engine_refuses_in_window_and_command_line_alike(engine, library, trouble, way):
    voice_id, _ = library[1][trouble, "generate"]
    for spec in (VoiceSpec(SAVED, voice_id=voice_id), VoiceSpec(SAVED, SAVED, voice_id=voice_id)):
        with pytest.raises(EngineError) as caught:
            ask(engine, way, spec)
        assert caught.value.failure.field == "consent"
        assert any(reason in caught.value.failure.message for reason in REASONS[trouble])


@pytest.mark.parametrize("trouble", TROUBLES)
def test_an_adapter_of_a_person_is_refused(library, trouble):
    with place(library[0], Clock(datetime.now(UTC))) as here, pytest.raises(ConsentRefused) as caught:
        here.door.admit_all([library[1][trouble, "generate"][1]], Use("generate"))
    assert any(reason in str(caught.value) for reason in REASONS[trouble])


def write_adapter(folder, record_id):
    """A LoRA that changes nothing and carries a person's voice."""
    import torch

    from voxcpm.lora import LoRAConfig, LoRAWeights, LowRank, linear_shapes, save_lora
    from voxcpm.training.loading import load_trainable

    model = load_trainable(default_model_folder(), device=torch.device("cpu")).model
    config = LoRAConfig(enable_proj=True, r=2, alpha=2)
    layers = {
        name: LowRank(torch.zeros(2, inputs), torch.zeros(out, 2))
        for name, (out, inputs) in linear_shapes(model).items()
        if config.covers(name)
    }
    save_lora(folder, LoRAWeights("a", config, layers, (), "", (record_id,)))
    return folder


@pytest.mark.parametrize("trouble", ["none", "withdrawn", "expired", "missing", "changed file"])
def test_a_voice_brings_its_adapter_only_with_the_consent_of_whom_it_carries(tmp_path, trouble):
    """Ada's voice is in the adapter of another one; also when the adapter is chosen without a voice."""
    clock = Clock(datetime.now(UTC).replace(microsecond=0))
    with place(tmp_path / "data", clock) as here:
        ada = here.add(kind=OTHER, name="Ada", seed=1)
        record_id = here.voices.record(ada.voice_id).record_id
        folder = write_adapter(tmp_path / "lora", str(uuid.uuid4()) if trouble == "missing" else record_id)
        digest = hash_of_lora(folder)
        engine = LocalEngine(lambda: here.door)
        engine.load(str(default_model_folder()), "cpu", "auto", lambda fraction: None, lambda: False)
        voice = here.add(kind=SELF, name="With", seed=2, lora=str(folder), lora_sha256=digest)
        if trouble == "withdrawn":
            here.voices.withdraw(ada.voice_id)
        elif trouble == "expired":
            clock.now += timedelta(days=400)
        elif trouble == "changed file":
            (folder / "more").write_text("x")
        spec = VoiceSpec(SAVED, voice_id=voice.voice_id)
        if trouble == "none":
            assert ask(engine, "stream", spec)[-1].result is not None
            assert engine._model.lora.consent_ids == (record_id,)
            assert here.events("adapter_loaded")[0]["sha256"] == digest
            assert ask(engine, "stream", None)[-1].result is not None and engine._model.lora is None
            engine.use_lora(str(folder), 1.0)
            here.voices.withdraw(ada.voice_id)
            with pytest.raises(EngineError):
                ask(engine, "stream", None)
        else:
            with pytest.raises(EngineError):
                ask(engine, "stream", spec)
            if trouble != "changed file":
                with pytest.raises(EngineError):
                    engine.use_lora(str(folder), 1.0)
            assert engine._model.lora is None
        engine.close()


def test_recordings_without_a_license_or_record_are_not_learned_from(here, capsys):
    soundfile.write("a.wav", [0.1, 0.2] * 8000, 16000)
    Path("data.jsonl").write_text('{"audio": "a.wav", "text": "Hello."}\n')
    assert cli.main(["prepare", "data.jsonl"]) == 5
    assert "neither a consent_record_id nor a licence" in capsys.readouterr().err
    Path("data.jsonl").write_text('{"audio": "a.wav", "text": "Hello.", "licence": "CC0-1.0"}\n')
    assert cli.main(["prepare", "data.jsonl"]) == 0


def test_no_library_no_voice(speech_file):
    engine = LocalEngine()
    engine.load(str(default_model_folder()), "cpu", "auto", lambda fraction: None, lambda: False)
    with pytest.raises(EngineError) as caught:
        ask(engine, "stream", VoiceSpec(str(speech_file), consent=Consent.attest("self")))
    assert caught.value.failure.field == "consent"
    engine.close()


@pytest.fixture
def speech_file(tmp_path):
    import numpy as np

    path = tmp_path / "speech.wav"
    soundfile.write(path, 0.2 * np.sin(np.arange(32000) / 20), 16000)
    return path


def test_refusals_are_in_the_audit_log_without_names(here, library):
    cli.main(["clone", "Hello.", "--voice", library[1]["withdrawn", "generate"][0]])
    with place(library[0]) as there:
        refused = there.events("use_refused")
        assert {"cause": "withdrawn", "purpose": "generate"}.items() <= refused[-1].items()
        assert there.audit.verify().state == "intact"


def test_refusing_loads_no_torch(here, library):
    voice_id = library[1]["expired", "generate"][0]
    code = (
        "import sys; from app import cli\n"
        f"assert cli.main(['clone', 'Hi.', '--voice', {voice_id!r}]) == 5\n"
        "assert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=None, cwd=ROOT)
    assert done.returncode == 0, done.stderr
