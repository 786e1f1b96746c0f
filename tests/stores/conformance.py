"""What every store guarantees. The test file of a store subclasses `StoreConformance` and defines how to open it."""

from tests.stores.promises.audit import Audit
from tests.stores.promises.budgets import Budgets
from tests.stores.promises.changes import AuditedChanges
from tests.stores.promises.chat import ChatRuns
from tests.stores.promises.claims import Claims
from tests.stores.promises.given import Opening, SetClock
from tests.stores.promises.listing import Listing
from tests.stores.promises.live import LiveData
from tests.stores.promises.policy import StoredPolicies
from tests.stores.promises.questions import Approvals
from tests.stores.promises.register import PeopleAndCredentials
from tests.stores.promises.retention import Retention
from tests.stores.promises.sharing import Sharing
from tests.stores.promises.tally import Tallies
from tests.stores.promises.waiting import Waiting

__all__ = ["Opening", "SetClock", "StoreConformance"]


class StoreConformance(
    Approvals,
    Waiting,
    Listing,
    Budgets,
    Claims,
    StoredPolicies,
    Audit,
    AuditedChanges,
    Tallies,
    Retention,
    Sharing,
    PeopleAndCredentials,
    LiveData,
    ChatRuns,
):
    """All guarantees of a store; `GivenStore` states what a subclass must define."""
