"""A batch: pieces of work that are written in one transaction, each with a result of its own."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple, cast

from sqlalchemy import Connection

from assent.errors import AssentError, ConflictError, NotFoundError
from assent.gate.approval import Approval, State
from assent.gate.audit import Entry
from assent.gate.changes import step_entries
from assent.gate.events import EventKind
from assent.gate.ports import Limits
from assent.gate.store import ApprovalChange, ChangeResult, MakeApproval, Moment
from assent.stores import events
from assent.stores.clock import Clock
from assent.stores.counts import Counts
from assent.stores.events import Row, row_of, rows_of
from assent.stores.policy import Edited, added_policy, bumped
from assent.stores.queries import moment_of
from assent.stores.questions import Questions
from assent.stores.rows import MOVED, Question, asked_row, moved_row, question_of
from assent.stores.spending import Purses
from assent.stores.statements import inserting, updating
from assent.stores.tables import approvals


class Add(NamedTuple):
    """Keep a question."""

    id: str
    ask: MakeApproval
    limits: Limits


class Move(NamedTuple):
    """Move an approval on."""

    id: str
    change: ApprovalChange


class Edit(NamedTuple):
    """Change anything but approvals."""

    edit: Callable[[Connection, Moment], Edited]


class Spend(NamedTuple):
    """Count a call against a budget."""

    principal: str
    calls: int
    window: timedelta


Piece = Add | Move | Edit | Spend


class Done(NamedTuple):
    """What came of each piece, or the error it ended with; what is new, and what is no longer pending."""

    outcomes: Sequence[object]
    asked: Sequence[Question] = ()
    ended: Sequence[Approval] = ()
    told: bool = False
    """Whether anything happened that others hear of."""
    at: datetime | None = None
    """When it was done, by the store's clock; None where nothing was."""
    entries: Sequence[Entry] = ()
    """What the audit says of it, which is committed with it."""


def written(
    connection: Connection, questions: Questions, clock: Clock | None, pieces: Sequence[Piece]
) -> Done:
    """Do all pieces in the transaction that is open; whoever called commits."""
    touched = {piece.id for piece in pieces if isinstance(piece, Add | Move)}
    if touched:
        moment, known = questions.held(connection, touched, clock)
    else:
        moment, known = moment_of(connection, clock), {}
    return Batch(connection, moment, known).done(pieces)


class Batch:
    """One transaction's work on approvals; later pieces see what earlier ones did.

    A piece that is refused is refused alone: nothing of it is written, and the others go on.
    """

    def __init__(self, connection: Connection, moment: Moment, known: Mapping[str, Approval]) -> None:
        self._connection = connection
        self._moment = moment
        self._known = dict(known)
        self._counts = Counts()
        self._asked: list[Question] = []
        self._added: dict[str, dict[str, object]] = {}
        self._moved: dict[str, dict[str, object]] = {}
        self._changed: list[ChangeResult] = []
        self._ended: dict[str, Approval] = {}
        self._policy = self._stirs = False
        self._told: list[Row] = []
        self._entries: list[Entry] = []
        self._purses = Purses(connection, moment)

    def done(self, pieces: Sequence[Piece]) -> Done:
        """Do all of it; whoever called commits."""
        asked = [self._alone(self._ask, piece) if isinstance(piece, Add) else None for piece in pieces]
        self._count(zip(pieces, asked, strict=True))
        self._purses.hold((piece.principal, piece.window) for piece in pieces if isinstance(piece, Spend))
        outcomes = [
            self._alone(self._do, piece, question) for piece, question in zip(pieces, asked, strict=True)
        ]
        self._write()
        return Done(
            outcomes,
            self._asked,
            tuple(self._ended.values()),
            self._stirs or bool(self._told),
            self._moment.at,
            self._entries,
        )

    def _alone(self, work: Callable[..., object], piece: Piece, *words: object) -> object:
        """What came of it, or the error, which is this piece's alone unless it may be half written."""
        try:
            return work(piece, *words)
        except AssentError as error:
            return error
        except Exception as error:
            # INVARIANT: an edit that failed in the middle is never committed; asks and changes write nothing.
            if isinstance(piece, Edit):
                raise
            return error

    def _ask(self, piece: Add) -> Approval:
        return piece.ask(self._moment)

    def _do(self, piece: Piece, question: object) -> object:
        match piece:
            case Add():
                return self._add(piece, question)
            case Move():
                return self._move(piece)
            case Edit():
                result, policy, told, stirs, entries = piece.edit(self._connection, self._moment)
                self._policy |= policy
                self._stirs |= stirs
                self._told += [row_of(told, self._moment.at)] if told is not None else []
                self._entries += entries
                return result
            case Spend():
                return self._purses.count_call(*piece)

    def _add(self, piece: Add, question: object) -> Approval:
        if not isinstance(question, Approval):
            raise question if isinstance(question, Exception) else TypeError(piece.id)
        known = self._known.get(piece.id)
        if known is None:
            return self._kept(question, piece.limits)
        if known.call_digest != question.call_digest:
            raise ConflictError(f"approval `{piece.id}` is about another call than this one")
        return known

    def _kept(self, question: Approval, limits: Limits) -> Approval:
        row = asked_row(question)
        if question.state is State.PENDING:
            self._counts.ask(question, limits, cast("int", row["size"]))
        self._added[question.id] = row
        self._known[question.id] = question
        self._told += rows_of(None, question, self._moment.at)
        # INVARIANT: kept for later only once it is committed: another pod may have been first.
        bare = replace(question, call=replace(question.call, args={}))
        self._asked.append(Question(bare, str(row["args"]), cast("int", row["size"])))
        return question

    def _move(self, piece: Move) -> Approval:
        before = self._known.get(piece.id)
        if before is None:
            raise NotFoundError("approval", piece.id)
        changed = piece.change(before, self._moment)
        after = changed.approval
        if after is not before:
            self._replace(before, after)
        self._changed.append(changed)
        return after

    def _replace(self, before: Approval, after: Approval) -> None:
        # INVARIANT: a step never alters what was asked, or a yes would be about something else.
        if question_of(after) != question_of(before):
            raise ConflictError(f"approval `{before.id}` would be about another call than was asked")
        row = moved_row(after)
        if after.id in self._added:
            self._added[after.id] |= row
        else:
            self._moved[after.id] = row
        self._known[after.id] = after
        self._told += rows_of(before, after, self._moment.at)
        self._entries += step_entries(before, after)
        self._counts.move(before, after)
        if before.state is State.PENDING and after.state is not State.PENDING:
            self._ended[after.id] = after

    def _count(self, asked: Iterable[tuple[Piece, object]]) -> None:
        new = [
            (question, piece.limits)
            for piece, question in asked
            if isinstance(piece, Add) and isinstance(question, Approval) and question.id not in self._known
        ]
        if new:
            self._counts.learn(self._connection, self._moment, new)

    def _write(self) -> None:
        _INSERT.many(self._connection, list(self._added.values()))
        _UPDATE.many(self._connection, list(self._moved.values()))
        grants = [grant for changed in self._changed for grant in changed.grants]
        rules = [rule for changed in self._changed for rule in changed.rules]
        if added_policy(self._connection, self._moment, grants, rules) or self._policy:
            bumped(self._connection)
            self._told.append(row_of(EventKind.POLICY, self._moment.at))
        events.write(self._connection, self._told)
        self._purses.write()


_INSERT = inserting(approvals)
_UPDATE = updating(approvals, "id", *(column.name for column in MOVED[1:-1]))
