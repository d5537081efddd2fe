"""``python -m voxcpm.training.codec``: start, resume and export the training of a codec."""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from voxcpm.errors import RequestError, VoxCPMError
from voxcpm.training.codec_options import CodecOptions

EXIT_OK, EXIT_FAILED, EXIT_STOPPED = 0, 1, 130
_FLAGS = ("decoder_only", "weight_norm", "bfloat16", "compile")
_TYPES = {"int": int, "float": float, "str": str}


def parser() -> argparse.ArgumentParser:
    """The options of all commands."""
    top = argparse.ArgumentParser(prog="voxcpm.training.codec", description="Train an AudioVAE and export it.")
    commands = top.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="start a run, or go on with one")
    train.add_argument("--out", type=Path, required=True, help="folder of the run")
    train.add_argument("--resume", action="store_true", help="go on with the run in --out, with its own options")
    train.add_argument("--codec", type=json.loads, default={}, help="shape: JSON with keys of audio_vae_config")
    for option in fields(CodecOptions):
        name = "--" + option.name.replace("_", "-")
        if option.name in _FLAGS:
            train.add_argument(name, action="store_true")
        elif option.name != "codec":
            train.add_argument(name, type=_TYPES[str(option.type)], default=argparse.SUPPRESS)
    export = commands.add_parser("export", help="write the averaged weights of a run in the published layout")
    export.add_argument("--run", type=Path, required=True)
    export.add_argument("--out", type=Path, required=True)
    export.add_argument(
        "--unit-latents", type=Path, metavar="STORE", help="scale every latent channel to size one on this store"
    )
    return top


def run(argv: Sequence[str]) -> int:
    """Carry out a command; returns the exit status."""
    chosen = parser().parse_args(argv)
    try:
        return _train(chosen) if chosen.command == "train" else _export(chosen)
    except (VoxCPMError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_FAILED


def _train(chosen: argparse.Namespace) -> int:
    from voxcpm.training.codec import codec_shape, resumed_options, train_codec

    if chosen.resume:
        options = resumed_options(chosen.out)
    else:
        values = {f.name: getattr(chosen, f.name) for f in fields(CodecOptions) if hasattr(chosen, f.name)}
        if "data" not in values:
            raise RequestError("data", "give a store of recordings or a manifest")
        options = CodecOptions(**{**values, "codec": codec_shape(chosen.codec)})
    asked = _Asked()
    outcome = train_codec(options, chosen.out, resume=chosen.resume, listener=_tell, stopping=asked)
    return EXIT_OK if outcome.result is not None else EXIT_STOPPED


def _export(chosen: argparse.Namespace) -> int:
    from voxcpm.training.codec import averaged_codec
    from voxcpm.training.codec_net import export_codec, fold_weight_norms, latent_deviation, scale_latents
    from voxcpm.training.pcm_store import PcmStore

    vae, step = averaged_codec(chosen.run)
    fold_weight_norms(vae)
    if chosen.unit_latents is not None:
        scale_latents(vae, latent_deviation(vae, PcmStore(chosen.unit_latents)))
    export_codec(vae, chosen.out)
    sys.stdout.write(f"codec of step {step} written to {chosen.out}\n")
    return EXIT_OK


def _tell(event: dict[str, Any]) -> None:
    if event["event"] != "step" or event["step"] % 50 == 0:
        shown = {k: round(v, 4) if isinstance(v, float) else v for k, v in event.items()}
        sys.stdout.write(json.dumps(shown) + "\n")
        sys.stdout.flush()


class _Asked:
    """Ctrl+C or SIGTERM: the first ends the run after the step at hand, with a checkpoint; the second at once."""

    def __init__(self) -> None:
        self._asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(ValueError):  # not in the main thread
                signal.signal(number, self._stop)

    def __call__(self) -> bool:
        return self._asked

    def _stop(self, number: int, frame: object) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True


def main() -> None:
    """Entry of the module."""
    sys.exit(run(sys.argv[1:]))
