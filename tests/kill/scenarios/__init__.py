"""All scenarios. Another is a module here with a class like ``tests.kill.scenario.Scenario``, and an entry below."""

from __future__ import annotations

from tests.kill.scenario import Scenario
from tests.kill.scenarios.audit import AuditScenario
from tests.kill.scenarios.backups import BackupsScenario
from tests.kill.scenarios.files_and_keys import FilesAndKeysScenario
from tests.kill.scenarios.migrating import MigratingScenario
from tests.kill.scenarios.projects import ProjectsScenario
from tests.kill.scenarios.takes import TakesScenario
from tests.kill.scenarios.voices import VoicesScenario

SCENARIOS: tuple[type[Scenario], ...] = (
    FilesAndKeysScenario,
    MigratingScenario,
    BackupsScenario,
    AuditScenario,
    ProjectsScenario,
    TakesScenario,
    VoicesScenario,
)
