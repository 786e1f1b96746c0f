"""A lease: how long a question waits for a caller that no longer shows that it exists."""

from datetime import datetime, timedelta
from typing import NamedTuple

MAX_LEASE_SECONDS = 3_600
"""The longest lease that a caller can ask for, in seconds."""
RENEWALS_PER_LEASE = 3
"""How often a waiting request renews a lease while the lease would last."""


class Lease(NamedTuple):
    """The duration that a caller asked for, and the end, which every wait moves; by the store's clock."""

    duration: timedelta
    until: datetime

    @property
    def renewal_seconds(self) -> float:
        """Seconds between two renewals by a request that waits."""
        return self.duration.total_seconds() / RENEWALS_PER_LEASE

    def has_lapsed(self, *, at: datetime) -> bool:
        """Whether the caller has not renewed the lease in time."""
        return self.until <= at

    def renew(self, *, at: datetime) -> "Lease":
        """The lease for its whole duration from now on; it never becomes shorter."""
        return self._replace(until=max(self.until, at + self.duration))
