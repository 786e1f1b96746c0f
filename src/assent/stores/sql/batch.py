"""Write requests, and the batches that run them in one transaction each."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol, TypeVar

from assent.errors import AssentError, ConflictError, NotFoundError
from assent.gate.approval import Approval, State
from assent.gate.audit import Entry
from assent.gate.changes import step_entries
from assent.gate.events import EventKind
from assent.gate.policy import Moment
from assent.gate.question import Limits
from assent.gate.store import ApprovalChange, ChangeResult, MakeApproval
from assent.stores.sql import events
from assent.stores.sql.approval_rows import (
    INSERT_APPROVALS,
    UPDATE_STATES,
    DecodedQuestion,
    QuestionRow,
    question_fields,
    question_to_row,
    state_to_row,
)
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.events import Row, approval_event_rows, event_row
from assent.stores.sql.limits import Budgets
from assent.stores.sql.policy_edits import EditResult, add_policy, increment_version
from assent.stores.sql.statement import Clock, Connection, read_moment
from assent.stores.sql.writer_state import KeptApproval, PolicyState, WriterState

T = TypeVar("T")


class AddApproval(NamedTuple):
    """A write request: add an approval."""

    id: str
    ask: MakeApproval
    limits: Limits


class ChangeApproval(NamedTuple):
    """A write request: change the state of an approval."""

    id: str
    change: ApprovalChange


class EditTables(NamedTuple):
    """A write request: change other tables than the approvals."""

    edit: Callable[[Connection, Moment], EditResult]


class CountCall(NamedTuple):
    """A write request: count a call against a budget."""

    principal: str
    calls: int
    window: timedelta


WriteRequest = AddApproval | ChangeApproval | EditTables | CountCall


class Database(Protocol):
    """The interface of a database: runs write requests in batches, and reads at the same time."""

    def put(self, request: WriteRequest) -> Awaitable[object]:
        """Queue a write request; its result is available after the commit."""
        ...

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run a read on committed data."""
        ...

    async def read_quickly(self, work: Callable[[Connection], T]) -> T:
        """Run a short read of a few rows by key."""
        ...

    def record(self, entry: Entry) -> None:
        """Queue an audit entry."""
        ...

    async def wait_until_recorded(self) -> None:
        """Wait until every queued audit entry is in the database or in the spool file."""
        ...

    def check(self) -> None:
        """Raise an error if writes would fail, as far as this is known without a write."""
        ...

    async def close(self) -> None:
        """Finish the queued requests and close the database."""
        ...


class BatchResult(NamedTuple):
    """The result or error of each request, new questions, and approvals that are no longer pending."""

    outcomes: Sequence[object]
    new_questions: Sequence[DecodedQuestion] = ()
    ended: Sequence[Approval] = ()
    has_events: bool = False
    """Whether other processes should be notified."""
    at: datetime | None = None
    """The time of the batch by the store's clock; None if the batch failed."""
    entries: Sequence[Entry] = ()
    """Audit entries, which are committed in the same transaction."""


def run_batch(
    connection: Connection,
    questions: ApprovalReader,
    clock: Clock | None,
    requests: Sequence[WriteRequest],
    state: WriterState | None = None,
) -> BatchResult:
    """Run all requests in the open transaction; the caller commits, or drops the writer's `state`."""
    state = state or WriterState()
    touched = {request.id for request in requests if isinstance(request, AddApproval | ChangeApproval)}
    kept = state.find(touched)
    known = {id_: one.approval for id_, one in kept.items()}
    if missing := touched - known.keys():
        moment, read = questions.lock_approvals(connection, missing, clock)
        known |= read
    elif state.policy is None or clock is None:
        moment = read_moment(connection, clock)
    else:
        moment = Moment(clock(), *state.policy)
    state.policy = PolicyState(moment.version, moment.paused)
    return Batch(connection, moment, known, kept, state).run(requests)


class Batch:
    """Runs the requests of one transaction; later requests see the changes of earlier ones.

    A refused request writes nothing, and the other requests continue.
    """

    def __init__(
        self,
        connection: Connection,
        moment: Moment,
        known: dict[str, Approval],
        kept: dict[str, KeptApproval],
        state: WriterState,
    ) -> None:
        self._connection = connection
        self._moment = moment
        self._known = known
        self._kept = kept
        self._state = state
        self._counts = state.counts
        self._new_questions: list[DecodedQuestion] = []
        self._added: dict[str, QuestionRow] = {}
        self._moved: dict[str, Row] = {}
        """The state of each approval that was added or changed."""
        self._changed: list[ChangeResult] = []
        self._ended: dict[str, Approval] = {}
        self._policy = self._has_changes = False
        self._events: list[Row] = []
        self._entries: list[Entry] = []
        self._budgets = Budgets(connection, moment)

    def run(self, requests: Sequence[WriteRequest]) -> BatchResult:
        """Run all requests; the caller commits."""
        asked = [
            self._try_request(self._make_approval, request) if isinstance(request, AddApproval) else None
            for request in requests
        ]
        self._load_counts(zip(requests, asked, strict=True))
        self._budgets.lock(
            (request.principal, request.window) for request in requests if isinstance(request, CountCall)
        )
        outcomes = [
            self._try_request(self._run_request, request, question)
            for request, question in zip(requests, asked, strict=True)
        ]
        self._write_all()
        self._update_state(requests)
        return BatchResult(
            outcomes,
            self._new_questions,
            tuple(self._ended.values()),
            self._has_changes or bool(self._events),
            self._moment.at,
            self._entries,
        )

    def _update_state(self, requests: Sequence[WriteRequest]) -> None:
        """Update what the writer knows; an edit of tables may have changed anything."""
        if any(isinstance(request, EditTables) for request in requests):
            self._state.forget()
            return
        for kept in self._kept.values():
            self._state.keep(kept)

    def _try_request(self, work: Callable[..., object], request: WriteRequest, *args: object) -> object:
        """Run one request and return its result, or its error if the request wrote nothing."""
        try:
            return work(request, *args)
        except AssentError as error:
            return error
        except Exception as error:
            # INVARIANT: an edit that failed halfway is never committed; other requests write only at the end.
            if isinstance(request, EditTables):
                raise
            return error

    def _make_approval(self, request: AddApproval) -> Approval:
        return request.ask(self._moment)

    def _run_request(self, request: WriteRequest, question: object) -> object:
        match request:
            case AddApproval():
                return self._add_approval(request, question)
            case ChangeApproval():
                return self._change_approval(request)
            case EditTables():
                result, policy, event, notifies, entries = request.edit(self._connection, self._moment)
                self._policy |= policy
                self._has_changes |= notifies
                self._events += [event_row(event, self._moment.at)] if event is not None else []
                self._entries += entries
                return result
            case CountCall():
                return self._budgets.count_call(*request)

    def _add_approval(self, request: AddApproval, question: object) -> Approval:
        if not isinstance(question, Approval):
            raise question if isinstance(question, Exception) else TypeError(request.id)
        known = self._known.get(request.id)
        if known is None:
            return self._insert_approval(question, request.limits)
        if known.call_digest != question.call_digest:
            raise ConflictError(f"approval `{request.id}` is about another call than this one")
        return known

    def _insert_approval(self, question: Approval, limits: Limits) -> Approval:
        row, state = question_to_row(question), state_to_row(question)
        if question.state is State.PENDING:
            self._counts.add(question, limits, row.size)
        self._added[question.id], self._moved[question.id] = row, state
        self._known[question.id] = question
        self._kept[question.id] = KeptApproval(question, row.args, row.size)
        self._events += approval_event_rows(None, question, self._moment.at)
        # INVARIANT: a question is cached only after the commit, because another pod may have been first.
        self._new_questions.append(DecodedQuestion.from_approval(question, row))
        return question

    def _change_approval(self, request: ChangeApproval) -> Approval:
        before = self._known.get(request.id)
        if before is None:
            raise NotFoundError("approval", request.id)
        changed = request.change(before, self._moment)
        after = changed.approval
        if after is not before:
            self._save_changed_approval(before, after)
        self._changed.append(changed)
        return after

    def _save_changed_approval(self, before: Approval, after: Approval) -> None:
        # INVARIANT: a change of state never changes the question, or an approval would cover another call.
        if question_fields(after) != question_fields(before):
            raise ConflictError(f"approval `{before.id}` would cover another call than was asked")
        row, entries = state_to_row(after), step_entries(before, after)
        kept = self._kept.get(after.id)
        if kept is not None:
            self._kept[after.id] = kept._replace(approval=after)
        self._moved[after.id] = row
        self._known[after.id] = after
        self._events += approval_event_rows(before, after, self._moment.at)
        self._entries += entries
        self._counts.count_change(before, after, None if kept is None else kept.size)
        if before.state is State.PENDING and after.state is not State.PENDING:
            self._ended[after.id] = after

    def _load_counts(self, asked: Iterable[tuple[WriteRequest, object]]) -> None:
        new = [
            (question, request.limits)
            for request, question in asked
            if isinstance(request, AddApproval)
            and isinstance(question, Approval)
            and question.id not in self._known
        ]
        if new:
            self._counts.load_counts(self._connection, self._moment, new)

    def _write_all(self) -> None:
        added = self._added
        INSERT_APPROVALS.write(
            self._connection, [(*row.values, *self._moved[id_]) for id_, row in added.items()]
        )
        UPDATE_STATES.write(self._connection, [row for id_, row in self._moved.items() if id_ not in added])
        grants = [grant for changed in self._changed for grant in changed.grants]
        rules = [rule for changed in self._changed for rule in changed.rules]
        is_new = (grants or rules) and add_policy(self._connection, self._moment, grants, rules)
        if is_new or self._policy:
            increment_version(self._connection)
            self._state.policy = None
            self._events.append(event_row(EventKind.POLICY, self._moment.at))
        events.write_events(self._connection, self._events)
        self._budgets.write()


class WriteJob(NamedTuple):
    """A write request and the future of its result."""

    request: WriteRequest
    outcome: asyncio.Future[object]


def deliver_results(jobs: Sequence[WriteJob], done: BatchResult) -> None:
    """Pass each caller its result or error, unless the caller was cancelled."""
    for (_, future), outcome in zip(jobs, done.outcomes, strict=True):
        if future.done():
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


def resolve_flushes(flushing: Sequence[asyncio.Future[None]]) -> None:
    """Resume the callers that wait until the audit entries are written."""
    for future in flushing:
        if not future.done():
            future.set_result(None)
