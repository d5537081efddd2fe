"""The project's own files: the wheel, the two commands of the README, the bootstrap script."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from voxcpm import terminal

ROOT = Path(__file__).parents[1]
BOOTSTRAP = ROOT / "packaging" / "bootstrap"
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel and install it into a folder far from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    env = os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    for command in (
        ["hatchling", "build", "-t", "wheel", "-d", str(folder)],
        ["pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(folder / "site"), "{wheel}"],
    ):
        wheel = next(iter(folder.glob("*.whl")), Path())
        argv = [part.format(wheel=wheel) for part in command]
        argv = [sys.executable, "-m", *argv]
        done = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True, timeout=180)
        assert done.returncode == 0, done.stderr
    return folder / "site"


def test_the_wheel_has_every_module_and_resource(installed: Path) -> None:
    (wheel,) = installed.parent.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = {p.relative_to(ROOT).as_posix() for top in ("voxcpm", "app") for p in (ROOT / top).rglob("*.py")}
    assert len(expected) > 40 and not expected - names
    resources = {p.relative_to(ROOT / "resources").as_posix() for p in (ROOT / "resources").rglob("*") if p.is_file()}
    assert {f"app/_resources/{name}" for name in resources} <= names
    assert not [n for n in names if n.startswith(("tests/", "packaging/"))]
    assert any(n.endswith("licenses/LICENSE") for n in names) and any(n.endswith("licenses/NOTICE") for n in names)


def test_the_installed_wheel_finds_its_files_and_speaks(installed: Path, tmp_path: Path) -> None:
    code = (
        "from app.core.resources import default_model_folder, resource_path\n"
        "import app, json, sys\n"
        "from app import cli\n"
        "sys.stderr.write(str(default_model_folder()))\n"
        "sys.exit(cli.main(['design', 'Hi.', '--max-patches', '3', '--steps', '2', '--json', '-q']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(str(installed / "app" / "_resources"))
    assert json.loads(done.stdout)["model"]["folder"].startswith(str(installed))
    assert (tmp_path / "take.wav").is_file()


def test_the_readme_has_two_commands_and_ci_runs_the_second() -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    assert blocks == ["./packaging/bootstrap studio\n", "./packaging/bootstrap test\n"]
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert blocks[1].strip() in ci.splitlines()[-1]


def test_the_readme_lists_the_exit_codes_and_dependencies() -> None:
    codes = {value for name, value in vars(terminal).items() if name.startswith("EXIT_") and isinstance(value, int)}
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)} == codes
    assert {int(code) for code in re.findall(r"^  (\d+) ", terminal.EXIT_HELP, re.MULTILINE)} == codes
    section = README.split("## Dependencies")[1].split("## ")[0]
    for requirement in PROJECT["dependencies"]:
        name = re.match(r"[\w-]+", requirement)
        assert name and f"| {name[0]} " in section, requirement


def test_every_import_is_a_declared_dependency() -> None:
    wanted = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["evaluate"]
    declared = {re.split(r"[^\w-]", d)[0].lower().replace("-", "_") for d in wanted}
    declared = {"c2pa" if name == "c2pa_python" else name for name in declared}
    declared = {"pyside6" if name == "pyside6_essentials" else name for name in declared}
    own = {"voxcpm", "app", "shiboken6", *sys.stdlib_module_names}  # shiboken6 is a part of PySide6
    imported = set()
    for path in [*(ROOT / "voxcpm").rglob("*.py"), *(ROOT / "app").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                imported.add(node.module.split(".")[0])
    # Of resemble-perth only the weights are read; its code is never imported.
    assert {name.lower() for name in imported - own} == declared - {"resemble_perth"}


def test_the_readme_names_only_files_that_exist() -> None:
    for link in re.findall(r"\]\((?!http|#)([^)]+)\)", README):
        if not link.startswith("resources/screenshots/"):
            assert (ROOT / link).exists(), link


# The bootstrap script, run for real on an environment whose python writes down what it is asked for.

_PYTHON = """#!/bin/sh
echo "$*" >> "$LOG"
case "$*" in
  -) exit "$TORCH_MISSING" ;;
  *--dry-run*) printf '%s' "$REPORT" > "$(echo "$*" | sed 's/.*--report \\([^ ]*\\).*/\\1/')" ;;
esac
"""
_LARGE = '{"install": [{"metadata": {"name": "torch"}}, {"metadata": {"name": "nvidia-cublas"}}]}'
_SMALL = '{"install": [{"metadata": {"name": "torch"}}, {"metadata": {"name": "sympy"}}]}'


def bootstrap(tmp_path: Path, *, there: bool = False, report: str = _SMALL, **env: str) -> tuple[list[str], str]:
    """Run ``bootstrap install``; return the pip calls and what was said."""
    python = tmp_path / "venv" / "bin" / "python"
    if not python.exists():
        python.parent.mkdir(parents=True)
        python.write_text(_PYTHON)
        python.chmod(0o755)
    log = tmp_path / "log"
    log.write_text("")
    settings = {"LOG": str(log), "TORCH_MISSING": "0" if there else "1", "REPORT": report, "VOXCPM_NO_SYSTEM": "1"}
    clean = {key: value for key, value in os.environ.items() if not key.startswith("VOXCPM_")}
    done = subprocess.run(
        [str(BOOTSTRAP), "install"],
        env=clean | settings | {"VOXCPM_VENV": str(tmp_path / "venv")} | env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    calls = [line for line in log.read_text().splitlines() if "pip install" in line and "--dry-run" not in line]
    return calls, done.stderr


posix = pytest.mark.skipif(os.name != "posix", reason="a shell script")


@posix
def test_bootstrap_leaves_a_torch_alone_and_does_nothing_twice(tmp_path: Path) -> None:
    calls, _ = bootstrap(tmp_path, there=True)
    assert len(calls) == 1 and "--editable" in calls[0]
    assert bootstrap(tmp_path, there=True) == ([], "")


@posix
def test_bootstrap_takes_torch_from_the_users_own_index(tmp_path: Path) -> None:
    calls, said = bootstrap(tmp_path)
    assert len(calls) == 2 and "torch>=" in calls[0] and "index" not in calls[0]
    assert "several gigabytes" not in said


@posix
def test_bootstrap_tells_of_the_large_build(tmp_path: Path) -> None:
    _, said = bootstrap(tmp_path, report=_LARGE)
    assert "several gigabytes" in said and "VOXCPM_TORCH_INDEX=cpu" in said


@posix
@pytest.mark.parametrize(
    ("given", "used"),
    [("cpu", "https://download.pytorch.org/whl/cpu"), ("https://example.org/simple", "https://example.org/simple")],
)
def test_bootstrap_uses_another_index_only_when_told(tmp_path: Path, given: str, used: str) -> None:
    calls, said = bootstrap(tmp_path, report=_LARGE, VOXCPM_TORCH_INDEX=given)
    assert f"--index-url {used} torch>=" in calls[0] and "index" not in calls[1]
    assert "several gigabytes" not in said


@posix
def test_bootstrap_and_package_want_the_same_torch() -> None:
    (wanted,) = [d for d in PROJECT["dependencies"] if d.startswith("torch")]
    text = BOOTSTRAP.read_text(encoding="utf-8")
    assert f"torch_range='{wanted}'" in text
    low, high = re.findall(r"\((\d+, \d+)\)", text.split("torch_is_there")[1])
    assert wanted == f"torch>={low.replace(', ', '.')},<{high.replace(', ', '.')}"


@posix
def test_bootstrap_explains_itself(tmp_path: Path) -> None:
    done = subprocess.run([str(BOOTSTRAP)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "VOXCPM_TORCH_INDEX" in done.stderr and "set -eu" not in done.stderr
