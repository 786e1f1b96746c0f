"""A question as a terminal shows it: the parts of its call, who asks, and what "always" would write."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from assent.engine.base.tool import render_specifier
from assent.engine.policy.verdict import Stage, Step, Verdict
from assent.gate.approval import Approval, State
from assent.gate.file_preview import FileState
from assent.gate.preset import CHOICE, Becomes, Delivery
from assent.surfaces.tui.text import (
    QUESTION_IN_WORDS,
    STARTED,
    has_no_hidden_characters,
    value_text,
    visible_text,
)
from assent.wire.excerpt import excerpt_from_json
from assent.wire.fields import Fields

CONFIRMATION = "allow"
"""The word that a person types to allow what is locked or cannot be undone."""
LONG_TEXT = 2000
"""Characters from which a call is shown on the whole width."""
LONG_LINES = 25
"""Lines from which a call is shown on the whole width."""
_NAMING_STAGES = frozenset({Stage.BREAKER, Stage.PROTECTED_PATH, Stage.OUTSIDE})
"""Stages whose reason quotes the dangerous words."""
_NAMING_VALUES = ("path", "value", "part")
"""Values of a reason that are texts of the call; the first of them is what the reason is about."""
_JOINING = re.compile(r" ?(&&|\|\|?|;)$")
"""What joins a part of a command to the next one."""
_QUOTED = re.compile(r"`([^`]+)`")
_CONTENT = ("content", "contents", "text", "new_string")
_REPLACED_BY_DIFF = frozenset({*_CONTENT, "old_string", "replace_all", "edits", "changes", "new_source"})
"""Arguments that the diff of a file shows."""


class CommandPart(NamedTuple):
    """A part of a command with its own verdict; all parts together are the whole command."""

    text: str
    verdict: Verdict
    reason: str

    @property
    def needs_approval(self) -> bool:
        """Whether this part needs approval."""
        return self.verdict is not Verdict.RUN


class RuleOffer(NamedTuple):
    """Rules that "always" could write; the width is between one call and the whole tool."""

    width: str
    rules: tuple[str, ...]
    irreversible: tuple[str, ...] = ()
    """Irreversible commands that the rules would also allow."""


class AlwaysSettings(NamedTuple):
    """The scope and lifetime of "always" under the preset of a question."""

    becomes: str = Becomes.NOTHING.value
    scope: str = CHOICE
    lifetime: str = CHOICE
    is_widened: bool = False
    """The person may choose a wider scope than the preset's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An approval, and the rules that the server offers for "always" after it is completely loaded."""

    approval: Approval
    is_loaded: bool = False
    """The whole call, its diff and the offers are loaded; before that nobody can allow it."""
    offers: tuple[RuleOffer, ...] = ()
    always: AlwaysSettings = field(default_factory=AlwaysSettings)

    @property
    def id(self) -> str:
        """The id of the approval."""
        return self.approval.id

    @property
    def is_open(self) -> bool:
        """Whether the question still waits for an answer."""
        return self.approval.state is State.PENDING

    @property
    def is_postponed(self) -> bool:
        """Whether a person postponed the question."""
        return self.approval.later_at is not None

    @property
    def agent(self) -> str:
        """The agent, between the agents that started it and the sub-agents that it named."""
        return STARTED.join(
            [self.calling_agent, *(visible_text(one.name) for one in self.approval.sub_agents)]
        )

    @property
    def calling_agent(self) -> str:
        """The agent to which rules apply; sub-agents that it only names have no rules of their own."""
        parents = list(reversed(self.approval.lineage))
        own = self.approval.call.agent
        if parents and own.startswith(f"{parents[-1]}/"):
            own = own[len(parents[-1]) + 1 :]
        return visible_text(STARTED.join([*parents, own or "an agent"]))

    @property
    def words(self) -> str:
        """What the agent asks in words; empty for a call that needs a permission."""
        call = self.approval.call
        if call.tool != QUESTION_IN_WORDS:
            return ""
        return (
            visible_text(" ".join(str(call.args.get("question", "")).split())) or "a question without words"
        )

    @property
    def call_text(self) -> str:
        """The call as `Tool(specifier)` on one line."""
        call = self.approval.call
        found = render_specifier(self.approval.tool, call.args)
        named = ", ".join(f"{name}={value_text(value)}" for name, value in call.args.items())
        return f"{visible_text(call.tool)}({visible_text(named if found is None else found)})"

    @property
    def heading(self) -> tuple[str, str, str]:
        """What the bar says first, who wants what, and the call; a question in words is no permission."""
        if self.words:
            return f"{self.agent.upper()} ASKS: ", "", self.words
        return "PERMISSION: ", f"{self.agent} wants to use ", self.call_text

    @property
    def headline(self) -> str:
        """The text of a row in a list: the part that asks, or the call."""
        if self.command_line is None:
            return self.words or self.call_text
        asking = next((part.text for part in self.command_parts if part.needs_approval), self.command_line)
        return visible_text(_JOINING.sub("", " ".join(asking.split())))

    @property
    def command_argument(self) -> str:
        """The name of the argument with the command line; empty for other tools."""
        tool, args = self.approval.tool, self.approval.call.args
        if not tool.dialect.is_shell:
            return ""
        line = render_specifier(tool, args)
        return next((name for name, value in args.items() if line is not None and value == line), "")

    @property
    def command_line(self) -> str | None:
        """The command line; None for a tool that runs none."""
        name = self.command_argument
        return str(self.approval.call.args[name]) if name else None

    @property
    def command_parts(self) -> tuple[CommandPart, ...]:
        """The parts of the command line; one part where the server found no others."""
        text, decision = self.command_line or "", self.approval.decision
        if not decision.pieces:
            return (CommandPart(text, decision.verdict, decision.because),)
        starts = [0, *(piece.start for piece in decision.pieces[1:]), len(text)]
        return tuple(
            CommandPart(text[start:end], piece.verdict, piece.because)
            for piece, (start, end) in zip(decision.pieces, pairwise(starts), strict=True)
        )

    @property
    def other_arguments(self) -> tuple[tuple[str, str], ...]:
        """The arguments that neither the command line nor the diff nor the comment shows."""
        args = self.approval.call.args
        hidden = {self.command_argument} | ({"description"} if self.agent_comment else set[str]())
        if self.diff_lines:
            hidden |= _REPLACED_BY_DIFF
        return tuple((name, value_text(value)) for name, value in args.items() if name not in hidden)

    @property
    def diff_lines(self) -> tuple[str, ...]:
        """The lines of the diff of the file that the call changes; a new file has only added lines."""
        file = self.approval.file
        if file is None:
            return ()
        if file.state is FileState.CHANGED and file.diff:
            return tuple(file.diff.split("\n"))
        if file.state is FileState.NEW:
            args = self.approval.call.args
            text = next((args[name] for name in _CONTENT if isinstance(args.get(name), str)), None)
            return (
                () if text is None else tuple(f"+{line}" for line in str(text).removesuffix("\n").split("\n"))
            )
        return ()

    @property
    def agent_comment(self) -> str:
        """The agent's comment about its command; it has no effect on the decision."""
        said = self.approval.call.args.get("description")
        return said if self.command_argument and isinstance(said, str) else ""

    @property
    def dangerous_words(self) -> tuple[str, ...]:
        """The dangerous words: a reason quotes them, and the card marks them."""
        steps = (one for one in self.approval.decision.steps if one.verdict is not Verdict.RUN)
        naming = (step for step in steps if step.stage in _NAMING_STAGES)
        return tuple(dict.fromkeys(word for step in naming for word in _named_words(step)))

    @property
    def needs_full_width(self) -> bool:
        """Whether the card needs the whole width of the screen, so that the list is hidden."""
        texts = [
            self.command_line or "",
            "\n".join(self.diff_lines),
            *(text for _, text in self.other_arguments),
        ]
        return any(len(text) > LONG_TEXT or text.count("\n") >= LONG_LINES for text in texts)

    @property
    def needs_confirmation(self) -> bool:
        """Whether a person must type a word to allow the call: it is locked or cannot be undone."""
        return self.approval.decision.is_locked or bool(self.approval.decision.irreversible)

    @property
    def can_allow(self) -> bool:
        """Whether the call can be allowed here; a proposal is applied in its conversation."""
        return self.is_open and self.is_loaded and self.approval.delivery is not Delivery.PROPOSE

    @property
    def can_answer_always(self) -> bool:
        """Whether "always" is offered; it is not offered for a call that cannot be undone."""
        decision = self.approval.decision
        return (
            self.can_allow
            and not self.words
            and decision.always_offered
            and not decision.irreversible
            and bool(self.offers)
            and self.always.becomes != Becomes.NOTHING
        )

    @property
    def can_edit_command(self) -> bool:
        """Whether the command can be edited as plain text instead of JSON."""
        return self.command_line is not None and has_no_hidden_characters(self.command_line)

    @property
    def card_identity(self) -> tuple[str, ...]:
        """The values that identify the card as it is shown; a change of one of them restarts the arming."""
        approval = self.approval
        return (approval.id, approval.state, approval.digest, str(self.is_loaded))

    def with_latest_state(self, news: "Question") -> "Question":
        """The question in its latest state; loaded details are kept while the call is the same."""
        if news.is_loaded or not self.is_loaded:
            return news
        now, known = news.approval, self.approval
        is_same = now.call_digest in ("", known.call_digest) and _file_identity(now) == _file_identity(known)
        if not is_same:
            return news
        moved = replace(
            known,
            state=now.state,
            later_at=now.later_at,
            answer=now.answer,
            answered_at=now.answered_at,
            closed_at=now.closed_at,
            expires_at=now.expires_at,
            note=now.note,
        )
        return replace(self, approval=moved)


def question_from_excerpt(data: object) -> Question:
    """Parse the question in a live message, which may be clipped."""
    return Question(approval=excerpt_from_json(data).approval)


def question_from_detail(data: object) -> Question:
    """Parse the complete question in a reply."""
    fields = Fields(data, "approval")
    meaning = Fields(fields.raw("always"), "approval.always")
    return Question(
        approval=excerpt_from_json(data).approval,
        is_loaded=True,
        offers=tuple(_rule_offers(fields)),
        always=AlwaysSettings(
            becomes=meaning.text("becomes"),
            scope=meaning.text("scope"),
            lifetime=meaning.text("lifetime"),
            is_widened=meaning.flag("widened", default=False),
        ),
    )


def _rule_offers(fields: Fields) -> Iterator[RuleOffer]:
    for item in fields.items("suggestions", ()):
        offer = Fields(item, "approval.suggestions")
        yield RuleOffer(offer.text("width"), offer.texts("rules"), offer.texts("irreversible", ()))


def _file_identity(approval: Approval) -> tuple[str, int]:
    file = approval.file
    return ("", 0) if file is None else (file.digest, file.changes)


def _named_words(step: Step) -> Sequence[str]:
    """The texts of the call that the reason of a step is about."""
    values = step.reason.values
    named = next((values[name] for name in _NAMING_VALUES if name in values), None)
    return _QUOTED.findall(step.because) if named is None else (named,)
