"""What every store guarantees. The test file of a store subclasses `StoreConformance` and defines how to open it."""

from tests.stores.promises.audit import AuditPromises
from tests.stores.promises.budgets import BudgetPromises
from tests.stores.promises.changes import ChangePromises
from tests.stores.promises.chat import ChatRunPromises
from tests.stores.promises.claims import ClaimPromises
from tests.stores.promises.given import Opening, SetClock
from tests.stores.promises.identities import PeoplePromises
from tests.stores.promises.leases import LeasePromises
from tests.stores.promises.listing import ListingPromises
from tests.stores.promises.live import LiveStatePromises
from tests.stores.promises.policy import PolicyPromises
from tests.stores.promises.questions import QuestionPromises
from tests.stores.promises.retention import RetentionPromises
from tests.stores.promises.sharing import SharingPromises
from tests.stores.promises.tally import TallyPromises
from tests.stores.promises.waiting import WaitingPromises
from tests.stores.promises.workspaces import WorkspacePromises

__all__ = ["Opening", "SetClock", "StoreConformance"]


class StoreConformance(
    QuestionPromises,
    WaitingPromises,
    LeasePromises,
    ListingPromises,
    BudgetPromises,
    ClaimPromises,
    PolicyPromises,
    AuditPromises,
    ChangePromises,
    TallyPromises,
    RetentionPromises,
    SharingPromises,
    PeoplePromises,
    LiveStatePromises,
    ChatRunPromises,
    WorkspacePromises,
):
    """All guarantees of a store; `GivenStore` states what a subclass must define."""
