"""Budgets: how many calls somebody may make in any stretch of time, over all processes together."""

import json
import math
from datetime import timedelta

from assent.gate.access import Principal
from assent.gate.live import Live
from assent.gate.outcome import Code, Refuse
from assent.gate.preset import Budget


async def over_budget(store: Live, principal: Principal, budget: Budget | None) -> Refuse | None:
    """Count a call; what the caller is told when there is no room for it."""
    if budget is None:
        return None
    spent = await store.spend(purse(principal), budget.calls, timedelta(seconds=budget.seconds))
    if spent.allowed:
        return None
    rest = max(math.ceil(spent.again_after), 1)
    message = f"over the budget of {budget.calls} calls in {budget.seconds} s: try again in {rest} s"
    return Refuse(code=Code.LIMIT, message=message, again_after=rest)


def purse(principal: Principal) -> str:
    """Whose calls are counted together: two people may each have an agent of the same name."""
    return json.dumps([principal.kind, principal.on_behalf, principal.id])
