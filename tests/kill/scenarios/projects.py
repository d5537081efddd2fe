"""A project is saved again and again, beside files that are copied into it."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

from app.core.project import Project
from app.core.project_file import ProjectError, ProjectMissingError
from app.core.project_files import FileReference
from tests.kill.scenario import Journal, Say


class ProjectsScenario:
    """Step n writes "n" into the notes; every fourth step copies a file in and names it."""

    name = "projects"

    def prepare(self, folder: Path) -> None:
        """Nothing: each child begins where the last one ended."""

    def act(self, folder: Path, rng: random.Random, say: Say) -> None:
        """Save without end."""
        place = folder / "project"
        try:
            project = Project.open(place)
        except ProjectMissingError:
            for path in place.iterdir() if place.exists() else ():  # a first start that was not finished
                path.unlink()
            project = Project.create(place, "kept")
        project.save()
        start = int(project.part("general")["notes"] or 0)
        for number in itertools.count(start + 1):
            say.begin({"number": number})
            project.write_notes(str(number))
            project.end_typing()
            if number % 4 == 0:
                source = folder / "source.wav"
                source.write_bytes(str(number).encode() * rng.randrange(1, 30000))
                reference = project.files.add(source)
                project.write_draft("file", "sha256", reference.sha256)
                project.write_draft("file", "size", str(reference.size))
            project.save()
            say.done({"number": number})

    def check(self, folder: Path, journal: Journal) -> list[str]:
        """What was acknowledged is there, without help of the file before, and so are the files that it names."""
        if not journal.done:
            return []
        try:
            project = Project.open(folder / "project")
        except ProjectError as error:
            return [f"cannot be opened: {error}"]
        with project:
            found = list(project.notes)
            number, last = int(project.part("general")["notes"]), journal.done[-1]["number"]
            if not last <= number <= last + 1:
                found.append(f"the notes say {number}, the last one acknowledged is {last}")
            drafts = project.part("drafts")
            if "file.sha256" in drafts:
                reference = FileReference(drafts["file.sha256"], int(drafts["file.size"]), "source.wav")
                try:
                    project.files.find(reference)
                except ProjectError as error:
                    found.append(str(error))
        return found
