"""The chaos scenarios by name, with the stores of each."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from chaos import (
    boundaries,
    crowd,
    cuts,
    deploys,
    faults,
    kills,
    notices,
    races,
    replays,
    restarts,
    served,
)
from chaos.postgres import LocalPostgres, prepare_database
from chaos.report import Report
from chaos.site import Site
from chaos.worker_pool import Progress

SQLITE, POSTGRES = "sqlite", "postgresql"


@dataclass(frozen=True, slots=True)
class Scenario:
    """A chaos scenario, and the stores that it applies to."""

    module: ModuleType
    stores: tuple[str, ...] = (SQLITE, POSTGRES)
    has_server: bool = False
    """Whether the scenario controls the database server itself."""

    def run(self, store: str, seed: int, progress: Progress, *, short: bool) -> Report:
        """Run the scenario in a new directory, which is kept if an invariant was broken."""
        size = self.module.SHORT_SIZE if short else self.module.LONG_SIZE
        directory = Path(tempfile.mkdtemp(prefix="assent-chaos-"))
        with _create_site(store, directory) as (site, server):
            words = (site, server, size, seed) if self.has_server else (site, size, seed, store)
            report: Report = self.module.run_scenario(*words, progress)
        if report.breaches:
            progress(f"the histories are in {directory}")
        else:
            shutil.rmtree(directory)
        return report


SCENARIOS = {
    "kills": Scenario(kills),
    "boundaries": Scenario(boundaries),
    "faults": Scenario(faults, (SQLITE,)),
    "races": Scenario(races),
    "replays": Scenario(replays),
    "restarts": Scenario(restarts, (POSTGRES,), has_server=True),
    "notices": Scenario(notices, (POSTGRES,), has_server=True),
    "cuts": Scenario(cuts, (POSTGRES,), has_server=True),
    "deploys": Scenario(deploys),
    "crowd": Scenario(crowd),
    "served": Scenario(served, has_server=True),
}


@contextmanager
def _create_site(store: str, directory: Path) -> Iterator[tuple[Site, LocalPostgres | None]]:
    if store == SQLITE:
        yield Site(address=str(directory / "assent.db"), directory=directory), None
        return
    directory.chmod(0o755)  # The server runs as another user.
    server = LocalPostgres(directory / "server")
    try:
        yield Site(address=prepare_database(server.address), directory=directory), server
    finally:
        server.stop()
