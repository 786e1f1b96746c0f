"""The policy, the events and the settings of a store in memory."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from assent.errors import ConflictError, NotFoundError
from assent.gate.approval import Approval
from assent.gate.audit import Entry
from assent.gate.catalog import DeclaredTool, Pin
from assent.gate.changes import event_kinds
from assent.gate.conversation import Conversation
from assent.gate.events import EVENT_RETENTION, Event, EventKind, EventPage, Pod
from assent.gate.ids import new_id
from assent.gate.policy import RULE_REPLACED_MESSAGE, Pause, StoredGrant, StoredRule
from assent.gate.store import START_MODE, BudgetResult, ConversationPage, ToolTier
from assent.gate.workspaces import WORKSPACES_CHANGED_MESSAGE, RegisteredWorkspace
from assent.stores.sql.limits import CallWindow
from assent.stores.sql.listing import conversation_cursor, parse_conversation_cursor
from assent.stores.sql.statement import span_to_micros, to_micros
from assent.stores.sql.waiting import ChangeSignal


class MemoryPolicy:
    """The methods of `gate.store.Store` about policy, in memory."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._policy_now = now
        self._tiers: dict[tuple[str, str], ToolTier] = {}
        self._grants: dict[str, StoredGrant] = {}
        self._rules: dict[str, StoredRule] = {}
        self._revoked: dict[str, str] = {}
        self._pins: dict[tuple[str, str], Pin] = {}
        self._workspaces: dict[tuple[str, str], RegisteredWorkspace] = {}

    def record(self, entry: Entry) -> None:
        """Add an audit entry."""
        raise NotImplementedError

    def _check_open(self) -> None:
        raise NotImplementedError

    def _increment_version(self) -> None:
        raise NotImplementedError

    async def set_tiers(
        self,
        tool_tiers: Iterable[ToolTier],
        *,
        replace_agent: str | None = None,
        cleared: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Set and clear tiers; with `replace_agent`, replace all tiers of that agent."""
        self._check_open()
        added = {(one.agent, one.tool): one for one in tool_tiers}
        gone = set(cleared)
        kept = {key: one for key, one in self._tiers.items() if key[0] != replace_agent and key not in gone}
        self._tiers = kept | added
        self._increment_version()

    async def tiers(self, agent: str | None = None) -> Sequence[ToolTier]:
        """The tiers, by agent and tool."""
        self._check_open()
        return tuple(one for key, one in sorted(self._tiers.items()) if agent in (None, key[0]))

    async def add_policy(self, grants: Iterable[StoredGrant] = (), rules: Iterable[StoredRule] = ()) -> None:
        """Add grants and rules that come from no approval."""
        self._add_new_policy(grants, rules, at=self._policy_now())

    async def revoke(self, id: str, *, by: str) -> None:
        """Revoke a grant or a rule."""
        self._check_open()
        if id not in self._grants and id not in self._rules:
            raise NotFoundError("grant or rule", id)
        if id not in self._revoked:
            self._revoked[id] = by
            self._increment_version()

    async def replace_rule(
        self, id: str, change: Callable[[StoredRule], StoredRule], *, by: str
    ) -> StoredRule:
        """Replace a rule by the result of `change`."""
        self._check_open()
        known = self._rules.get(id)
        if known is None:
            raise NotFoundError("rule", id)
        if id in self._revoked:
            raise ConflictError(RULE_REPLACED_MESSAGE.format(id=id))
        new = change(known)
        if new is not known:
            self._rules[new.id] = new
            self._revoked[id] = by
            self._increment_version()
        return new

    async def grants(self) -> Sequence[StoredGrant]:
        """The grants that are not revoked, oldest first."""
        self._check_open()
        return self._active_grants()

    async def rules(self) -> Sequence[StoredRule]:
        """The stored rules that are not revoked, oldest first."""
        self._check_open()
        return self._active_rules()

    async def use_grants(self, grants: Iterable[str]) -> bool:
        """Use each of these counted grants once, or none of them."""
        self._check_open()
        live = {grant.id: grant for grant in self._active_grants()}
        found = [live.get(one) for one in dict.fromkeys(grants)]
        used = [_with_one_use_less(grant) for grant in found if grant is not None and grant.uses]
        if len(used) < len(found):
            return False
        self._grants |= {grant.id: grant for grant in used}
        if any(grant.uses == 0 for grant in used):
            self._increment_version()
        return True

    async def pin_definitions(self, pins: Iterable[Pin], *, by: str = "", accept: bool = False) -> None:
        """Store tool definitions that are new; with `accept`, replace stored ones."""
        self._check_open()
        held = self._pins
        new: dict[tuple[str, str], Pin] = {}
        for pin in pins:
            key = pin.origin, pin.tool
            known = held.get(key)
            if known is None or (accept and (known.digest != pin.digest or known.accepted_by != by)):
                new[key] = pin._replace(accepted_by=by)
            elif _has_new_definition(pin, known):
                new[key] = pin._replace(accepted_by=known.accepted_by)
        self._pins = held | new
        if any(
            key not in held or _definition_state(held[key]) != _definition_state(pin)
            for key, pin in new.items()
        ):
            self._increment_version()

    async def pins(self) -> Sequence[Pin]:
        """The accepted tool definitions."""
        self._check_open()
        return tuple(pin for _, pin in sorted(self._pins.items()))

    async def workspaces(self) -> Sequence[RegisteredWorkspace]:
        """All registered workspaces, by agent and root."""
        self._check_open()
        return tuple(one for _, one in sorted(self._workspaces.items()))

    async def set_workspaces(
        self,
        agent: str,
        workspaces: Sequence[RegisteredWorkspace],
        *,
        known: frozenset[str],
        entries: Sequence[Entry],
    ) -> None:
        """Replace the workspaces of an agent, and write the audit entries."""
        self._check_open()
        held = frozenset(one.id for one in self._workspaces.values() if one.agent == agent)
        if held == frozenset(one.id for one in workspaces):
            return
        if held != known:
            raise ConflictError(WORKSPACES_CHANGED_MESSAGE)
        kept = {key: one for key, one in self._workspaces.items() if one.agent != agent}
        now = self._policy_now()
        new = {(agent, one.root): replace(one, at=one.at or now) for one in workspaces}
        self._workspaces = kept | new
        self._increment_version()
        for entry in entries:
            self.record(entry)

    def _workspaces_of(self, agent: str) -> tuple[RegisteredWorkspace, ...]:
        return tuple(one for _, one in sorted(self._workspaces.items()) if one.agent in ("", agent))

    def _add_new_policy(
        self, grants: Iterable[StoredGrant], rules: Iterable[StoredRule], *, at: datetime
    ) -> None:
        """Add grants and rules that are new; existing ones stay as they are, revoked or not."""
        new_grants = {one.id: replace(one, at=at) for one in grants if one.id not in self._grants}
        new_rules = {one.id: replace(one, at=at) for one in rules if one.id not in self._rules}
        self._grants |= new_grants
        self._rules |= new_rules
        if new_grants or new_rules:
            self._increment_version()

    def _active_grants(self) -> tuple[StoredGrant, ...]:
        return tuple(one for one in self._grants.values() if one.id not in self._revoked)

    def _active_rules(self) -> tuple[StoredRule, ...]:
        return tuple(one for one in self._rules.values() if one.id not in self._revoked)


class MemoryLiveState:
    """The methods of `gate.store.Store` about events, settings, budgets, tools and pods, in memory."""

    _conversations: dict[str, Conversation]

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._live_now = now
        self._version = 0
        self._signal = ChangeSignal()
        self._life = new_id()
        self._events: list[Event] = []
        self._swept = 0
        self._paused: Pause | None = None
        self._declared_at = 0
        self._declarations: dict[tuple[str, str, str], DeclaredTool] = {}
        self._settings: dict[str, str] = {}
        self._purses: dict[str, CallWindow] = {}

    # ---- events ---------------------------------------------------------------------------------

    async def events(self, after: str, *, limit: int = 200) -> EventPage:
        """The events after a cursor."""
        self._live_now()
        life, _, number = after.partition(".") if after else (self._life, "", "0")
        is_number = number.isascii() and number.isdigit() and len(number) < len(str(2**63))
        if life != self._life or not is_number or int(number) < self._swept:
            return EventPage((), await self.latest_cursor(), reset=True)
        start = int(number) - self._swept
        found = tuple(self._events[start : start + limit])
        return EventPage(found, found[-1].cursor if found else f"{self._life}.{number}")

    async def latest_cursor(self) -> str:
        """The cursor after the latest event."""
        self._live_now()
        return f"{self._life}.{self._swept + len(self._events)}"

    @property
    def change_count(self) -> int:
        """Counter, incremented on every change."""
        return self._signal.count

    async def wait_for_change(self, since: int) -> int:
        """Wait until `change_count` differs from `since`."""
        return await self._signal.wait_for_change_after(since)

    # ---- the pause, settings and budgets ---------------------------------------------------------

    async def pause(self, by: str) -> None:
        """Pause every call that is not a read."""
        now = self._live_now()
        if self._paused is None:
            self._paused = Pause(by, now)
            self._add_event(EventKind.PAUSED)
            self._increment_version()

    async def resume(self, by: str) -> None:  # noqa: ARG002 - the audit says who did
        """Resume calls."""
        now = self._live_now()
        if self._paused is not None:
            self._paused = None
            self._extend_approved(now)
            self._add_event(EventKind.RESUMED)
            self._increment_version()

    async def setting(self, name: str) -> str | None:
        """The value of a setting."""
        self._live_now()
        return self._settings.get(name)

    async def save_setting(self, name: str, value: str | None, *, by: str) -> None:  # noqa: ARG002
        """Write a setting; None removes it."""
        self._live_now()
        if value is not None:
            self._settings[name] = value
            self._increment_version()
        elif self._settings.pop(name, None) is not None:
            self._increment_version()

    async def count_call(self, principal: str, calls: int, window: timedelta) -> BudgetResult:
        """Count one call against a budget of calls per window, or refuse it."""
        at = to_micros(self._live_now())
        purse = self._purses.setdefault(principal, CallWindow())
        purse.drop_slots_before(at - 2 * span_to_micros(window))
        return purse.count_call(at, calls, span_to_micros(window))

    # ---- tools and conversations ----------------------------------------------------------------

    async def set_declarations(
        self,
        agent: str,
        origin: str,
        declared: Sequence[DeclaredTool],
        *,
        by: str,  # noqa: ARG002
    ) -> None:
        """Replace the tools that an origin offers to an agent."""
        self._live_now()
        offered = {(agent, origin, one.tool.name): one for one in declared}
        kept_ones = {key: one for key, one in self._declarations.items() if key[:2] != (agent, origin)}
        if self._declarations != kept_ones | offered:
            self._declarations = kept_ones | offered
            self._increment_version()
            self._declared_at = self._version

    async def declarations(self) -> Sequence[DeclaredTool]:
        """Every declared tool."""
        self._live_now()
        return tuple(one for _, one in sorted(self._declarations.items(), key=lambda item: item[0]))

    async def join(self, pod: Pod) -> Sequence[Pod]:  # noqa: ARG002 - nobody else sees this memory
        """Do nothing: there are no other processes."""
        self._live_now()
        return ()

    async def leave(self) -> None:
        """Do nothing: there are no other processes."""

    async def conversations(
        self, owner: str | None = None, *, limit: int = 100, after: str = ""
    ) -> ConversationPage:
        """A page of the conversations of one owner, or of all."""
        self._live_now()
        cursor = parse_conversation_cursor(after) if after else None
        every = sorted(self._conversations.values(), key=_sort_key, reverse=True)
        meant = [
            one for one in every if owner in (None, one.owner) and (cursor is None or _sort_key(one) < cursor)
        ]
        return ConversationPage(
            tuple(meant[:limit]), conversation_cursor(meant[limit - 1]) if len(meant) > limit else ""
        )

    # ---- helpers --------------------------------------------------------------------------------

    @property
    def _start_mode(self) -> str:
        return self._settings.get(START_MODE, "")

    def _extend_approved(self, now: datetime) -> None:
        """Let each approved call be used for its full time from now on."""
        raise NotImplementedError

    def _increment_version(self) -> None:
        """Increment the policy version."""
        self._version += 1
        self._add_event(EventKind.POLICY)

    def _add_step_events(self, before: Approval | None, after: Approval) -> None:
        """Add the events of a change of an approval."""
        for kind in event_kinds(before, after):
            self._add_event(kind, after)

    def _add_event(self, kind: EventKind, about: Approval | None = None) -> None:
        number = self._swept + len(self._events) + 1
        event = Event(cursor=f"{self._life}.{number}", at=self._live_now(), kind=kind)
        if about is not None:
            call = about.call
            event = replace(
                event, approval=about.id, owner=about.owner, conversation=call.conversation, agent=call.agent
            )
        self._events.append(event)
        self._signal.publish()

    def _delete_old_events(self) -> None:
        old = sum(event.at <= self._live_now() - EVENT_RETENTION for event in self._events)
        del self._events[:old]
        self._swept += old


def _with_one_use_less(grant: StoredGrant) -> StoredGrant:
    return replace(grant, uses=(grant.uses or 0) - 1)


def _definition_state(pin: Pin) -> tuple[str, bool]:
    """The parts of a pin on which decisions depend."""
    return pin.digest, bool(pin.accepted_by)


def _has_new_definition(pin: Pin, held: Pin) -> bool:
    """Whether a pin adds the definition to a held pin that has only its digest."""
    return pin.digest == held.digest and not held.definition


def _sort_key(conversation: Conversation) -> tuple[int, str]:
    return 0 if conversation.at is None else to_micros(conversation.at), conversation.id
