"""The forms of chaos by name, and where each is tried."""

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
from chaos.report import Report
from chaos.server import Server, prepared
from chaos.site import Site
from chaos.storm import Progress

SQLITE, POSTGRES = "sqlite", "postgresql"


@dataclass(frozen=True, slots=True)
class Form:
    """A way to try the gate, and the stores that it is about."""

    module: ModuleType
    stores: tuple[str, ...] = (SQLITE, POSTGRES)
    has_server: bool = False
    """Whether it does something to the server itself."""

    def tried(self, store: str, seed: int, progress: Progress, *, short: bool) -> Report:
        """Try it once in a place of its own; what went wrong stays there to be looked at."""
        size = self.module.SHORT if short else self.module.LONG
        directory = Path(tempfile.mkdtemp(prefix="assent-chaos-"))
        with _place(store, directory) as (site, server):
            words = (site, server, size, seed) if self.has_server else (site, size, seed, store)
            report: Report = self.module.tried(*words, progress)
        if report.breaches:
            progress(f"the histories are in {directory}")
        else:
            shutil.rmtree(directory)
        return report


FORMS = {
    "kills": Form(kills),
    "boundaries": Form(boundaries),
    "faults": Form(faults, (SQLITE,)),
    "races": Form(races),
    "replays": Form(replays),
    "restarts": Form(restarts, (POSTGRES,), has_server=True),
    "notices": Form(notices, (POSTGRES,), has_server=True),
    "cuts": Form(cuts, (POSTGRES,), has_server=True),
    "deploys": Form(deploys),
    "crowd": Form(crowd),
    "served": Form(served, has_server=True),
}


@contextmanager
def _place(store: str, directory: Path) -> Iterator[tuple[Site, Server | None]]:
    if store == SQLITE:
        yield Site(address=str(directory / "assent.db"), directory=directory), None
        return
    directory.chmod(0o755)  # The server runs as a user of its own.
    server = Server(directory / "server")
    try:
        yield Site(address=prepared(server.address), directory=directory), server
    finally:
        server.stop()
