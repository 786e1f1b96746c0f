"""Definitions of tools: those of web pages are pinned, and administrators accept changed ones."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from assent.engine.base.tool import Tool
from assent.engine.policy.rule import RuleList, parse_rule
from assent.errors import ConflictError, InputError, NotFoundError
from assent.gate.access import Principal, check_administrator
from assent.gate.catalog import (
    Catalog,
    DeclaredTool,
    FieldChange,
    PageTool,
    PageTools,
    Pin,
    TrustLevel,
    definition_differences,
)
from assent.gate.changes import AuthorizedChange, ChangeKind, authorize, change_entry, rule_entry, tiers_entry
from assent.gate.ids import check_name, definition_text, new_id
from assent.gate.policy_admin import edit_rule
from assent.gate.store import Store

ORIGIN_PREFIX = "page "
"""The start of the origin of a tool that a web page declares."""
MAX_DEFINITIONS = 5_000
"""The maximum number of kept definitions of one origin; further tools of that origin are not offered."""


class Review(StrEnum):
    """What is known about a tool that a page declares."""

    KNOWN = "known"
    REVIEWED = "reviewed"
    NEW = "new"
    CHANGED = "changed"
    REFUSED = "refused"


class PageCatalog:
    """The tools of web pages in the catalog of this process, and the reviews of their definitions."""

    def __init__(self, store: Store, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog

    def make_tool(self, tool: Tool, page: str, *, is_known: bool = False) -> PageTool:
        """The tool of a page; a known one needs no review, because this program defines its effect."""
        check_name("tool", tool.name)
        trust = TrustLevel.SERVER if is_known else TrustLevel.CLIENT
        declared = DeclaredTool(tool=tool, trust=trust, provider="page")
        return PageTool(declared=declared, page=page, pin=declared.pin)

    async def pin(self, by: str, conversation: str, tools: Iterable[PageTool]) -> Mapping[str, Review]:
        """Pin the first definitions of tools, and return what is known about each tool by name.

        INVARIANT: called before the tools are offered: a tool without a pin could change unnoticed.
        """
        wanted = tuple(tools)
        held = {(pin.origin, pin.tool): pin for pin in await self._store.pins()}
        to_review = [one for one in wanted if one.declared.trust is not TrustLevel.SERVER]
        new = [one for one in to_review if (one.pin.origin, one.pin.tool) not in held]
        counts: dict[str, int] = {}
        for origin, _ in held:
            counts[origin] = counts.get(origin, 0) + 1
        too_many = {
            one.pin.tool
            for number, one in enumerate(new, start=1)
            if counts.get(one.pin.origin, 0) + number > MAX_DEFINITIONS
        }
        pins = [one.declared.full_pin for one in new if one.pin.tool not in too_many]
        if pins:
            await self._store.pin_definitions(pins)
            about = f"{pins[0].origin}: {len(pins)}"
            self._store.record(change_entry(by, ChangeKind.TOOLS_DECLARED, about, conversation=conversation))
        return {
            one.pin.tool: Review.REFUSED if one.pin.tool in too_many else _review(one, held) for one in wanted
        }

    def offer(self, conversation: str, tools: Iterable[PageTool]) -> None:
        """Replace the tools that the pages of a conversation offer, from now on."""
        found = PageTools(tools)
        self._catalog.set_page_tools(conversation, found if found.names else None)

    def reserved_names(self, agent: str) -> frozenset[str]:
        """The names of the tools that an agent has without a page."""
        return self._catalog.offered_names(agent)

    async def accept(self, principal: Principal, tool: str, digest: str | None, origin: str | None) -> None:
        """Accept the first definition of a page's tool, also while the page is not connected."""
        change = authorize(self._store, principal, check_administrator)
        named = [pin for pin in await self._store.pins() if pin.tool == tool and is_new(pin)]
        named = [pin for pin in named if origin in (None, pin.origin)]
        if not named:
            raise NotFoundError("tool", tool)
        meant = [pin for pin in named if digest in (None, pin.digest)]
        if not meant:
            raise ConflictError(f"`{tool}` changed again after it was shown")
        await change.write(
            self._store.pin_definitions(meant, by=principal.id, accept=True),
            change_entry(principal.id, ChangeKind.DEFINITION_ACCEPTED, tool),
        )


def is_new(pin: Pin) -> bool:
    """Whether it is the first definition of a page's tool, which nobody accepted."""
    return pin.origin.startswith(ORIGIN_PREFIX) and not pin.accepted_by


def _review(one: PageTool, held: Mapping[tuple[str, str], Pin]) -> Review:
    if one.declared.trust is TrustLevel.SERVER:
        return Review.KNOWN
    pin = held.get((one.pin.origin, one.pin.tool), one.pin)
    if pin.digest != one.pin.digest:
        return Review.CHANGED
    return Review.REVIEWED if pin.accepted_by else Review.NEW


_SETTING = "renamed_tool."
"""The start of the setting that names what a tool was renamed to."""


class DefinitionToReview(NamedTuple):
    """A tool whose present definition nobody accepted."""

    origin: str
    tool: str
    agent: str
    """The agent that may use the tool; empty is all agents."""
    digest: str
    """The digest of the present definition, which a person accepts."""
    review: Review
    """`new` if nobody accepted any definition of a page's tool, `changed` if the definition changed since."""
    differences: tuple[FieldChange, ...]
    """The changed fields, of a new tool all fields; empty if only the digest of the other was stored."""

    @property
    def key(self) -> str:
        """The place of the definition in the list."""
        return f"{self.origin} {self.tool} {self.digest}"


class MovedRules(NamedTuple):
    """How much of the policy about a renamed tool was moved."""

    rules: int
    tiers: int


class DefinitionPage(NamedTuple):
    """A page of the definitions to review."""

    definitions: tuple[DefinitionToReview, ...]
    after: str = ""
    """Where the next page begins; empty after the last one."""


class Definitions:
    """The tool definitions in a catalog beside those that people accepted, and the rules of renamed tools."""

    def __init__(self, store: Store, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog

    async def to_review(self, principal: Principal, *, limit: int = 100, after: str = "") -> DefinitionPage:
        """A page of the tools whose definition is new or changed, by origin and name."""
        check_administrator(principal)
        held = {(pin.origin, pin.tool): pin for pin in await self._store.pins()}
        found = sorted(self._list_unaccepted(held), key=lambda one: one.key)
        rest = [one for one in found if one.key > after]
        shown = tuple(rest[:limit])
        return DefinitionPage(shown, shown[-1].key if len(rest) > len(shown) else "")

    def _list_unaccepted(self, held: dict[tuple[str, str], Pin]) -> Iterator[DefinitionToReview]:
        changed: set[tuple[str, str]] = set()
        for one in self._catalog.tools_to_pin:
            key = one.tool.origin, one.tool.name
            known = held.get(key)
            if known is not None and known.digest != one.pin.digest:
                changed.add(key)
                yield _to_review(one, known)
        # What a connected page declares now replaces a first definition that nobody accepted.
        for key, pin in held.items():
            if is_new(pin) and key not in changed:
                differences = tuple(definition_differences(None, pin.definition))
                yield DefinitionToReview(pin.origin, pin.tool, "", pin.digest, Review.NEW, differences)

    async def accept(
        self, principal: Principal, tool: str, digest: str | None = None, origin: str | None = None
    ) -> None:
        """Accept the current definition of a tool; with a digest, only if the definition still has it."""
        change = authorize(self._store, principal, check_administrator)
        named = [one for one in self._catalog.tools_to_pin if one.tool.name == tool]
        named = [one for one in named if origin in (None, one.tool.origin)]
        if not named:
            await PageCatalog(self._store, self._catalog).accept(principal, tool, digest, origin)
            return
        meant = [one for one in named if digest in (None, one.pin.digest)]
        if not meant:
            raise ConflictError(f"`{tool}` changed again after it was shown")
        pins = [one.full_pin for one in meant]
        await change.write(
            self._store.pin_definitions(pins, by=principal.id, accept=True),
            change_entry(principal.id, ChangeKind.DEFINITION_ACCEPTED, tool),
        )

    # ---- renamed tools ----------------------------------------------------------------------

    async def move_rules(self, principal: Principal, old: str, new: str) -> MovedRules:
        """Move the stored rules and tiers of a renamed tool, once; grants stay, so that people are asked.

        INVARIANT: only an administrator moves rules: a page that could would take the rules of any tool.
        """
        change = authorize(self._store, principal, check_administrator)
        for name in (old, new):
            check_name("tool", name)
        if old == new:
            raise InputError("the new name of the tool is its old name")
        if self._catalog.is_offered(old):
            raise ConflictError(f"a tool is still called `{old}`: move its rules after it was renamed")
        if known := await self._store.setting(_SETTING + old):
            raise ConflictError(f"the rules of `{old}` were already moved, to `{known}`")
        moved = MovedRules(await self._move_rules(change, old, new), await self._move_tiers(change, old, new))
        if not any(moved):
            raise NotFoundError("rule of the tool", old)
        # Saved last: a move that was interrupted can be made again.
        await change.write(
            self._store.save_setting(_SETTING + old, new, by=principal.id),
            change_entry(principal.id, ChangeKind.RULES_MOVED, f"{old} to {new}"),
        )
        return moved

    async def _move_rules(self, change: AuthorizedChange, old: str, new: str) -> int:
        named = [rule for rule in await self._store.rules() if parse_rule(rule.text).tool == old]
        # Stricter rules first, so that a decision in between is never looser than before or after.
        for rule in sorted(named, key=lambda one: list(RuleList).index(one.list)):
            id_, text = new_id(), new + rule.text.strip().removeprefix(old)
            changes = {"text": text}
            written = await change.write(
                self._store.replace_rule(rule.id, lambda one: edit_rule(one, changes, id_), by=change.by)  # noqa: B023 - called before the next rule
            )
            change.record(
                rule_entry(ChangeKind.RULE_ENDED, rule, change.by),
                rule_entry(ChangeKind.RULE_WRITTEN, written, change.by),
            )
        return len(named)

    async def _move_tiers(self, change: AuthorizedChange, old: str, new: str) -> int:
        every = await self._store.tiers()
        taken = {one.agent for one in every if one.tool == new}
        named = [one for one in every if one.tool == old]
        moved = [one._replace(tool=new, by=change.by) for one in named if one.agent not in taken]
        for one in named:
            own = [tier for tier in moved if tier.agent == one.agent]
            await change.write(
                self._store.set_tiers(own, cleared=[(one.agent, old)]),
                tiers_entry(one.agent, own, change.by, cleared=[old]),
            )
        return len(named)


def _to_review(one: DeclaredTool, known: Pin) -> DefinitionToReview:
    # INVARIANT: a difference is shown only from a definition that counts; nobody read an unaccepted one.
    review = Review.NEW if is_new(known) else Review.CHANGED
    before = None if review is Review.NEW else known
    return DefinitionToReview(
        origin=one.tool.origin,
        tool=one.tool.name,
        agent=one.agent,
        digest=one.pin.digest,
        review=review,
        differences=tuple(definition_differences(before, definition_text(one.tool))),
    )
