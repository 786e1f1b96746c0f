"""What the parts of one open store share."""

from dataclasses import dataclass

from assent.errors import StoreError
from assent.gate.ids import new_id
from assent.stores.ledger import Ledger
from assent.stores.questions import Questions
from assent.stores.readiness import Commits
from assent.stores.stirs import Stirs
from assent.stores.wakes import Wakes


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """The mark of this process, and what its reader, writer and listener all look into."""

    where: str
    """The file, or the address without its password."""
    boot: str
    questions: Questions
    ledger: Ledger
    wakes: Wakes
    change_count: Stirs
    commits: Commits

    def closed(self) -> StoreError:
        """What whoever comes too late is told."""
        return StoreError(f"{self.where} was closed here: open it again")


def shared(where: str, spool: str) -> Shared:
    """A fresh start, with what another process had to leave of its audit."""
    boot = new_id()
    ledger = Ledger(boot, spool)
    ledger.load()
    return Shared(
        where=where,
        boot=boot,
        questions=Questions(),
        ledger=ledger,
        wakes=Wakes(),
        change_count=Stirs(),
        commits=Commits(),
    )
