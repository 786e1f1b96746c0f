"""What every store guarantees. The test file of a store subclasses `StoreConformance` and defines how to open it."""

from tests.stores.promises.audit import Audit
from tests.stores.promises.budgets import Budgets
from tests.stores.promises.changes import Changes
from tests.stores.promises.chat import Chats
from tests.stores.promises.claims import Claims
from tests.stores.promises.given import Opening, SetClock
from tests.stores.promises.listing import Listing
from tests.stores.promises.live import Lives
from tests.stores.promises.policy import Policy
from tests.stores.promises.questions import Questions
from tests.stores.promises.register import Registers
from tests.stores.promises.retention import Retention
from tests.stores.promises.sharing import Sharing
from tests.stores.promises.tally import Tallies
from tests.stores.promises.waiting import Waiting

__all__ = ["Opening", "SetClock", "StoreConformance"]


class StoreConformance(
    Questions,
    Waiting,
    Listing,
    Budgets,
    Claims,
    Policy,
    Audit,
    Changes,
    Tallies,
    Retention,
    Sharing,
    Registers,
    Lives,
    Chats,
):
    """All guarantees; `GivenStore` says what a subclass must define."""
