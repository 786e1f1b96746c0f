"""`/v1/approvals`: list, read, answer and postpone approvals."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Annotated, Literal, TypedDict, cast

from pydantic import Field

from assent.engine.base.tool import Effect
from assent.errors import AssentError, InputError, NotFoundError, StoreError
from assent.gate.access import Principal
from assent.gate.always import conversation_patterns, rule_suggestions
from assent.gate.answer import MAX_REASON_LENGTH, Answer, Say, check_reason
from assent.gate.approval import Approval, State
from assent.gate.preset import Becomes, Lifetime, Preset, Scope
from assent.gate.question import check_can_batch, check_same_kind
from assent.gate.store import ApprovalFilter
from assent.surfaces.http.api.access import Member, Person
from assent.surfaces.http.api.bodies import decode_cursor, encode_next_cursor
from assent.surfaces.http.api.fields import (
    ACCEPT_WHOLE_FLOAT,
    Args,
    Digest,
    GeneratedId,
    Id,
    LifetimeWord,
    Moment,
    Paging,
    RuleText,
    ScopeWord,
    ShortText,
    StrictBody,
    ToolName,
)
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.wire import shapes
from assent.wire.approval import approval_to_public_json, suggestion_to_json
from assent.wire.excerpt import excerpt_to_json

MAX_BATCH = 100
"""Maximum number of questions in one batch."""
_STATES_WITH_SUGGESTIONS = frozenset({State.PENDING, State.APPROVED, State.RUNNING, State.DONE, State.FAILED})

router = Router("/v1/approvals", "approvals")


class ApprovalQuery(Paging):
    """Filters of the list."""

    state: list[State] = Field(default_factory=list[State])
    agent: Id | None = None
    conversation: Id | None = None
    tool: ToolName | None = None
    effect: Effect | None = None
    later: Literal["true", "false"] | None = None
    q: ShortText = ""
    """A text in the name of the tool or agent, or in the id or title of the conversation."""


class AnswerContent(StrictBody):
    """A person's answer; `rules`, `scope`, `lifetime`, `until` and `uses` are only for `always`.

    All limits apply together; contradictory limits are refused.
    """

    say: Annotated[Say, Field(strict=False)]
    # The gate refuses a reason that is too long; the question stays open.
    reason: Annotated[
        str, Field(pattern=r"^[^\x00]*$", json_schema_extra={"maxLength": MAX_REASON_LENGTH})
    ] = ""
    rules: Annotated[list[RuleText], Field(max_length=100)] = Field(default_factory=list[RuleText])
    scope: ScopeWord | None = None
    lifetime: LifetimeWord | None = None
    until: Moment | None = None
    uses: Annotated[int, Field(ge=1, le=1_000_000), ACCEPT_WHOLE_FLOAT] | None = None
    args: Args | None = None


class AnswerIn(StrictBody):
    """An answer with the digest of the question that the person saw."""

    digest: Digest | None = None
    """The digest of the question, from its detail; required unless the answer is `deny`."""
    answer: AnswerContent


class QuestionRef(StrictBody):
    """The id and digest of a question that the person saw."""

    id: GeneratedId
    digest: Digest | None = None


class BatchAnswer(StrictBody):
    """The same answer to several questions."""

    questions: Annotated[list[QuestionRef], Field(min_length=1, max_length=MAX_BATCH)]
    answer: AnswerContent


class Approvals(TypedDict):
    """A page of questions, oldest first."""

    items: list[shapes.Approval]
    next: str | None


class Always(TypedDict):
    """What the answer "always" writes under the preset of this question."""

    becomes: Annotated[str, Becomes]
    scope: Annotated[str, Scope] | shapes.Choice
    lifetime: Annotated[str, Lifetime] | shapes.Choice
    widened: bool
    conversation: list[str]
    """The rules that "for this conversation" would add; empty if that answer is not offered."""


class ApprovalDetail(shapes.Approval):
    """A question with everything that a person needs to answer it."""

    diff: str
    """The change of `file` as a unified diff without headings; empty without a change."""
    suggestions: list[shapes.Suggestion]
    always: Always


class BatchItemResult(TypedDict):
    """The result for one question of a batch."""

    id: str
    outcome: Literal["answered", "refused"]
    state: Annotated[str, State] | None
    problem: str
    """Why the question was not answered; empty if it was answered."""


class BatchResult(TypedDict):
    """The result for each question, in the order of the request."""

    results: list[BatchItemResult]


@router.get(name="find")
async def list_approvals(query: ApprovalQuery, principal: Member, service: Service) -> Approvals:
    """List the questions that you may see, oldest first; by default the pending ones.

    A large question is `clipped`: it has a head, a tail and parts, but no digest, so it cannot be allowed.
    """
    with decode_cursor(query.after) as after:
        found = await service.gate.excerpts(principal, _to_filter(query), limit=query.limit, after=after)
    return {
        "items": [excerpt_to_json(one) for one in found.excerpts],
        "next": encode_next_cursor(found.after),
    }


@router.post("/answers", name="answer_all")
async def answer_batch(body: BatchAnswer, principal: Person, service: Service) -> BatchResult:
    """Give the same answer to several questions; an error of one question does not affect the others.

    Only calls whose decisions have the same `batch_key` can be allowed together.
    """
    if body.answer.args is not None:
        raise InputError("changed arguments are for one call: answer its question by itself")
    answer = _to_answer(body.answer)
    known = await _find_visible_questions(service, principal, body.questions) if answer.yes else {}
    check_same_kind(known.values())
    results = [await _answer_batch_item(service, principal, shown, answer, known) for shown in body.questions]
    return {"results": results}


@router.get("/{id:generated}", name="look")
async def read_approval(id: GeneratedId, principal: Member, service: Service) -> ApprovalDetail:
    """Read one question with its whole decision, and the rules that would allow similar calls."""
    approval = await service.gate.approval(principal, id)
    return _to_detail(approval, service.policy(approval.preset).preset, service.gate.store.secret)


@router.post("/{id:generated}/answer", name="answer")
async def answer_approval(
    id: GeneratedId, body: AnswerIn, principal: Person, service: Service
) -> shapes.Approval:
    """Answer a question that you saw; only the first answer is accepted, later ones get a `409`."""
    return approval_to_public_json(
        await service.gate.answer(principal, id, body.digest, _to_answer(body.answer))
    )


@router.post("/{id:generated}/later", name="put_off")
async def postpone_approval(id: GeneratedId, principal: Person, service: Service) -> shapes.Approval:
    """Postpone a question; it stays open."""
    return approval_to_public_json(await service.gate.postpone(principal, id))


def _to_filter(query: ApprovalQuery) -> ApprovalFilter:
    return ApprovalFilter(
        states=frozenset(query.state),
        agent=query.agent,
        conversation=query.conversation,
        tool=query.tool,
        effect=query.effect,
        postponed=None if query.later is None else query.later == "true",
        search=query.q,
    )


def _to_answer(body: AnswerContent) -> Answer:
    check_reason(body.reason)
    return Answer(
        say=body.say,
        reason=body.reason,
        rules=tuple(body.rules),
        scope=body.scope,
        lifetime=body.lifetime,
        until=body.until,
        uses=body.uses,
        args=cast("dict[str, object] | None", body.args),
    )


async def _find_visible_questions(
    service: Service, principal: Principal, questions: Iterable[QuestionRef]
) -> dict[str, Approval]:
    """The questions of a batch that this person may see, by id."""
    found: dict[str, Approval] = {}
    for shown in questions:
        with suppress(NotFoundError):
            found[shown.id] = await service.gate.approval(principal, shown.id)
    return found


async def _answer_batch_item(
    service: Service, principal: Principal, shown: QuestionRef, answer: Answer, known: Mapping[str, Approval]
) -> BatchItemResult:
    """Answer one question of a batch; an error becomes the result of this question."""
    try:
        if shown.id in known:
            check_can_batch(known[shown.id])
        approval = await service.gate.answer(principal, shown.id, shown.digest, answer)
    except StoreError:
        raise
    except AssentError as error:
        return {"id": shown.id, "outcome": "refused", "state": None, "problem": str(error)}
    return {"id": shown.id, "outcome": "answered", "state": approval.state.value, "problem": ""}


def _to_detail(approval: Approval, preset: Preset, key: bytes) -> ApprovalDetail:
    always = preset.always
    # No suggestions for a question that was denied or whose arguments were deleted.
    is_worth_one = approval.state in _STATES_WITH_SUGGESTIONS and bool(approval.call.args)
    found = rule_suggestions(approval, key) if is_worth_one else ()
    return {
        **approval_to_public_json(approval),
        "diff": "" if approval.file is None else approval.file.diff,
        "suggestions": [suggestion_to_json(one) for one in found],
        "always": {
            "becomes": always.becomes.value,
            "scope": always.scope_word,
            "lifetime": always.lifetime_word,
            "widened": always.widened,
            "conversation": list(conversation_patterns(approval, preset, key)) if is_worth_one else [],
        },
    }
