"""Conversations that their owners open, read and change, and the turns that begin in them."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from assent.engine.policy.modes import Mode, mode_from_wire, narrower_mode, parse_mode
from assent.errors import ForbiddenError, InputError, NotFoundError
from assent.gate.access import (
    Kind,
    Principal,
    Resource,
    can_see,
    check_can_call,
    check_owner,
    check_sub_agents,
)
from assent.gate.approval import Approval
from assent.gate.calls import TurnContext, TurnOptions, TurnTarget
from assent.gate.changes import ChangeKind, authorize, change_entry
from assent.gate.conversation import (
    Conversation,
    effective_mode,
    new_conversation,
    requested_mode,
    with_mode,
)
from assent.gate.decider import Decider
from assent.gate.ids import check_directory, check_id, keyed_id, new_id
from assent.gate.policy import FilePolicies, FilePolicy, PolicyKey, StoredPolicy
from assent.gate.ports import CallWorkspace
from assent.gate.preset import Delivery
from assent.gate.question import question_id
from assent.gate.store import START_MODE, ConversationPage, Store

MAX_TITLE_LENGTH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationChanges:
    """Changes of a conversation; None keeps the current value."""

    mode: str | None = None
    title: str | None = None
    model: str | None = None

    @property
    def changed_fields(self) -> tuple[str, ...]:
        """The names of the fields that are not None."""
        given = {"mode": self.mode, "title": self.title, "model": self.model}
        return tuple(name for name, value in given.items() if value is not None)


class NewConversation(NamedTuple):
    """A request to open a conversation; the gate chooses the id, so that it cannot be guessed."""

    agent: str = ""
    preset: str = ""
    id: str = ""
    """An id made by `keyed_id`, so that a repeated request finds the same conversation; or empty."""


class Conversations:
    """The conversations in a store, with the rights of the caller applied."""

    def __init__(self, store: Store, file_policies: FilePolicies) -> None:
        self._store = store
        self._file_policies = file_policies

    async def open(
        self, principal: Principal, wanted: NewConversation, changes: ConversationChanges
    ) -> Conversation:
        """Open a conversation in the given mode or in the preset's first mode."""
        check_id("agent", wanted.agent)
        resource = Resource(owner=principal.user, conversation="", agent=wanted.agent)
        change = authorize(self._store, principal, lambda one: check_can_call(one, resource))
        known = await self._store.conversation(wanted.id) if wanted.id else None
        if known is not None:
            return known
        preset = self._file_policies(wanted.preset).preset
        start_mode = await self._store.setting(START_MODE) or ""
        new = new_conversation(wanted.id or new_id(), principal.user, wanted.agent, preset, start_mode)
        return await change.write(self._store.save_conversation(self._apply_changes(new, changes, principal)))

    async def list(self, principal: Principal, *, limit: int = 100, after: str = "") -> ConversationPage:
        """A page of the principal's own conversations, newest first."""
        return await self._store.conversations(principal.user, limit=limit, after=after)

    async def find(self, principal: Principal, id: str) -> Conversation:
        """The conversation with this id; `NotFoundError` also if the principal may not see it."""
        known = await self._store.conversation(id)
        if known is None or not can_see(principal, known.resource):
            raise NotFoundError("conversation", id)
        return known

    async def change(self, principal: Principal, id: str, changes: ConversationChanges) -> Conversation:
        """Change the mode of the next turns, the title or the model."""
        known = await self.find(principal, id)
        change = authorize(self._store, principal, lambda one: check_owner(one, known.resource))
        # Only the given fields are written: another request may have changed the others.
        saved = await change.write(
            self._store.save_conversation(
                self._apply_changes(known, changes, principal), fields=changes.changed_fields
            )
        )
        if changes.mode is not None:
            change.record(
                change_entry(principal.id, ChangeKind.MODE_CHANGED, conversation=saved.id, mode=saved.mode)
            )
        if others := [name for name in changes.changed_fields if name != "mode"]:
            kind, about = ChangeKind.CONVERSATION_CHANGED, ", ".join(others)
            change.record(change_entry(principal.id, kind, about, conversation=saved.id))
        return saved

    def _apply_changes(
        self, known: Conversation, changes: ConversationChanges, principal: Principal
    ) -> Conversation:
        for field, text in (("title", changes.title or ""), ("model", changes.model or "")):
            if len(text) > MAX_TITLE_LENGTH or "\0" in text:
                raise InputError(f"a {field} has at most {MAX_TITLE_LENGTH} characters, and no NUL")
        if changes.mode is not None:
            known = with_mode(known, changes.mode, self._file_policies(known.preset).preset, principal)
        title = known.title if changes.title is None else changes.title
        return replace(known, title=title, model=known.model if changes.model is None else changes.model)


class TurnContexts:
    """Creates the contexts of turns, and stores a conversation when a turn first names it."""

    def __init__(self, store: Store, file_policies: FilePolicies, decider: Decider) -> None:
        self._store = store
        self._file_policies = file_policies
        self._decider = decider

    async def create(
        self, principal: Principal, target: TurnTarget, options: TurnOptions, *, save: bool = True
    ) -> TurnContext:
        """The context of a new turn; without `save`, a new conversation is not stored."""
        parent = target.parent
        if parent is not None:
            # A sub-agent asks in its parent's conversation, unless it has its own.
            target = target._replace(conversation=target.conversation or parent.conversation.id)
            options = options._replace(preset=options.preset or parent.file_policy.preset.name)
        for field, text in (
            ("conversation", target.conversation),
            ("agent", target.agent),
            ("turn", options.turn_id),
        ):
            check_id(field, text)
        check_directory(target.cwd)
        check_sub_agents(options.sub_agents)
        if options.claimed and options.preset:
            raise ForbiddenError(principal.id, "only a person can choose the preset of a conversation")
        if options.mode and not options.continued:
            parse_mode(options.mode)
        known, current, where = await self._find_conversation(principal, target, options, save=save)
        file_policy = self._policies_of(where)(known.preset)
        usual = _usual_mode(known, file_policy, self._file_policies(known.preset))
        mode, word = _limit_mode(*_turn_mode(usual, file_policy, options), options.mode_limit)
        return TurnContext(
            turn_id=options.turn_id or new_id(),
            principal=principal,
            conversation=known,
            agent=target.agent,
            mode=mode,
            mode_name=word,
            file_policy=file_policy,
            initial_policy=current,
            delivery=_turn_delivery(principal, file_policy, options),
            attended=options.attended and file_policy.attended and (parent is None or parent.attended),
            parent=parent,
            where=where,
            lease=options.lease,
            sub_agents=options.sub_agents,
        )

    async def restore(self, approval: Approval) -> TurnContext:
        """The context that an approval was asked in, with its owner as the principal."""
        options = TurnOptions(
            preset=approval.preset,
            mode=approval.mode,
            delivery=approval.delivery,
            turn_id=approval.turn,
            continued=True,
            sub_agents=approval.sub_agents,
        )
        target = TurnTarget(approval.call.conversation, approval.call.agent, cwd=approval.call.cwd)
        return await self.create(Principal(id=approval.owner), target, options)

    async def find_question(self, principal: Principal, target: TurnTarget, call: str) -> str:
        """The id of the approval of a call that this principal made; `NotFoundError` for any other call."""
        resource = Resource(owner=principal.user, conversation=target.conversation, agent=target.agent)
        check_can_call(principal, resource)
        for conversation in _candidate_ids(self._store.secret, principal, target):
            id_ = question_id(self._store.secret, replace(resource, conversation=conversation), call)
            with suppress(NotFoundError):
                return (await self._store.excerpt(id_)).approval.id
        raise NotFoundError("call", call)

    async def _find_conversation(
        self, principal: Principal, target: TurnTarget, options: TurnOptions, *, save: bool
    ) -> tuple[Conversation, StoredPolicy, CallWorkspace | None]:
        """The conversation that a principal names, the policy that applies in it, and its workspace."""
        resource = Resource(owner=principal.user, conversation=target.conversation, agent=target.agent)
        check_can_call(principal, resource)
        for id_ in _candidate_ids(self._store.secret, principal, target):
            current = await self._stored_policy(PolicyKey(principal.user, target.agent, id_))
            where = await self._decider.find_workspace(target.cwd, current, target.parent)
            named = replace(resource, conversation=id_)
            known = current.conversation
            if known is None:
                known = await self._open_conversation(named, options, current, where, save=save)
            if _is_own(known, resource, options):
                return known, current, where
        raise NotFoundError("conversation", target.conversation)

    async def _stored_policy(self, about: PolicyKey) -> StoredPolicy:
        """The current policy, from the cache where nothing changed."""
        known = await self._decider.stored_policy(about)
        # A new conversation does not change the policy version: the cached policy may not know it yet.
        return (
            known if known.conversation or not about.conversation else await self._store.stored_policy(about)
        )

    def _policies_of(self, where: CallWorkspace | None) -> FilePolicies:
        """The policies of the files that apply in a workspace."""
        return self._file_policies if where is None else where.file_policies or self._file_policies

    async def _open_conversation(
        self,
        resource: Resource,
        options: TurnOptions,
        current: StoredPolicy,
        where: CallWorkspace | None,
        *,
        save: bool,
    ) -> Conversation:
        """A new conversation; one without an id is not stored."""
        # The files of a workspace do not choose the preset: it stays when the conversation moves to another.
        preset = options.preset if where is None else options.preset or self._file_policies("").preset.name
        file_policy = self._policies_of(where)(preset)
        new = new_conversation(
            resource.conversation, resource.owner, resource.agent, file_policy.preset, current.start_mode
        )
        # A refused mode must not leave an empty conversation behind.
        _turn_mode(effective_mode(new.mode, file_policy.preset), file_policy, options)
        if where is not None and not current.start_mode:
            # Nobody chose a mode: in each workspace, the conversation has the mode of that workspace.
            new = replace(new, mode="")
        # If two requests open the same conversation, the first one counts.
        return await self._store.save_conversation(new, fields=()) if save and new.id else new


def _candidate_ids(secret: bytes, principal: Principal, target: TurnTarget) -> tuple[str, ...]:
    """The ids that a conversation name can mean: the name itself and, for agents and services, a private id.

    The private id is used where the name belongs to another person's conversation: an agent must neither see
    that conversation nor be blocked by it. A person gets `NotFoundError` and chooses another name.
    """
    name = target.conversation
    if principal.kind is Kind.PERSON or not name:
        return (name,)
    return name, keyed_id(secret, principal.user, target.agent, name)


def _is_own(known: Conversation, resource: Resource, options: TurnOptions) -> bool:
    """Whether a conversation belongs to this owner, and to this agent if a remote agent asks."""
    # Another agent's conversation may have a wider mode than a remote agent may claim.
    is_apart = options.claimed and known.agent not in ("", resource.agent)
    return known.owner == resource.owner and not is_apart


def _usual_mode(known: Conversation, file_policy: FilePolicy, own: FilePolicy) -> tuple[Mode | None, str]:
    """The mode of a conversation's turns, in the workspace with this file policy.

    `own` is the policy of this process's own workspace. A conversation that has its first mode may have got
    it from there, without a person's choice: then a narrower mode of the workspace applies.
    """
    usual = effective_mode(known.mode, file_policy.preset)
    theirs = effective_mode("", file_policy.preset)
    if usual[0] is None or theirs[0] is None or usual[0] is not own.preset.mode:
        return usual
    return theirs if narrower_mode(usual[0], theirs[0]) is theirs[0] is not usual[0] else usual


def _turn_mode(
    usual: tuple[Mode | None, str], file_policy: FilePolicy, options: TurnOptions
) -> tuple[Mode | None, str]:
    """The mode of a turn; a mode that a remote agent claims is never wider than the conversation's."""
    if not options.mode:
        return usual
    if options.continued:
        return effective_mode(options.mode, file_policy.preset)
    if options.claimed and narrower_mode(parse_mode(options.mode), usual[0]) is usual[0]:
        return usual
    return requested_mode(options.mode, file_policy.preset), options.mode


def _limit_mode(mode: Mode | None, word: str, limit: str) -> tuple[Mode | None, str]:
    """The turn's mode, narrowed by the mode of the agent's own program even if it is not offered."""
    wanted = mode_from_wire(limit)
    # Without modes, a preset decides by tiers, and only a mode that denies can be narrower.
    if not limit or (mode is None and wanted is not Mode.PLAN) or narrower_mode(wanted, mode) is mode:
        return mode, word
    return wanted, wanted.value


def _turn_delivery(principal: Principal, file_policy: FilePolicy, options: TurnOptions) -> Delivery:
    """How an answer reaches its call; a remote agent cannot choose whether calls are proposed."""
    usual = file_policy.preset.delivery
    wanted = options.delivery or usual
    if options.claimed and wanted.is_run_by_gate != usual.is_run_by_gate:
        raise ForbiddenError(principal.id, "the conversation's preset decides whether calls are proposed")
    return wanted
