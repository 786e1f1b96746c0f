"""A question as a terminal shows it: the parts of its call, who asks, and what "always" would write."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

from assent.engine.base.tool import render_specifier
from assent.engine.policy.verdict import Stage, Verdict
from assent.gate.approval import Approval, State
from assent.gate.file_preview import FileState
from assent.gate.preset import CHOICE, Becomes, Delivery
from assent.surfaces.tui.text import STARTED, is_plain, value_text, visible
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
_QUOTED = re.compile(r"`([^`]+)`")
_CONTENT = ("content", "contents", "text", "new_string")
_REPLACED_BY_DIFF = frozenset({*_CONTENT, "old_string", "replace_all", "edits", "changes", "new_source"})
"""Arguments that the diff of a file shows."""


class Part(NamedTuple):
    """A part of a command with its own verdict; all parts together are the whole command."""

    text: str
    verdict: Verdict
    reason: str

    @property
    def asks(self) -> bool:
        """Whether this part needs approval."""
        return self.verdict is not Verdict.RUN


class Offer(NamedTuple):
    """Rules that "always" could write, from one call to the whole tool."""

    width: str
    rules: tuple[str, ...]
    irreversible: tuple[str, ...] = ()
    """Irreversible commands that the rules would also allow."""


class AlwaysMeaning(NamedTuple):
    """What "always" means under the preset of a question."""

    becomes: str = Becomes.NOTHING.value
    scope: str = CHOICE
    lifetime: str = CHOICE
    is_widened: bool = False
    """The person may choose a wider scope than the preset's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An approval, and what the server offers for its answer once all of it is loaded."""

    approval: Approval
    is_loaded: bool = False
    """The whole call, its diff and the offers are loaded; before that nobody can allow it."""
    offers: tuple[Offer, ...] = ()
    always: AlwaysMeaning = field(default_factory=AlwaysMeaning)

    @property
    def id(self) -> str:
        """The id of the approval."""
        return self.approval.id

    @property
    def is_open(self) -> bool:
        """Whether it still waits for an answer."""
        return self.approval.state is State.PENDING

    @property
    def is_later(self) -> bool:
        """Whether a person put it off."""
        return self.approval.later_at is not None

    @property
    def agent(self) -> str:
        """The agent, after the agents that started it."""
        parents = list(reversed(self.approval.lineage))
        own = self.approval.call.agent
        if parents and own.startswith(f"{parents[-1]}/"):
            own = own[len(parents[-1]) + 1 :]
        return visible(STARTED.join([*parents, own or "an agent"]))

    @property
    def call_text(self) -> str:
        """The call as `Tool(specifier)` on one line."""
        call = self.approval.call
        found = render_specifier(self.approval.tool, call.args)
        named = ", ".join(f"{name}={value_text(value)}" for name, value in call.args.items())
        return f"{visible(call.tool)}({visible(named if found is None else found)})"

    @property
    def headline(self) -> str:
        """The text of a row in a list: the part that asks, or the call."""
        if self.command is None:
            return self.call_text
        asking = next((part.text for part in self.parts if part.asks), self.command)
        return visible(" ".join(asking.split()))

    @property
    def command_argument(self) -> str:
        """The name of the argument with the command line; empty for other tools."""
        tool, args = self.approval.tool, self.approval.call.args
        if not tool.dialect.is_shell:
            return ""
        line = render_specifier(tool, args)
        return next((name for name, value in args.items() if line is not None and value == line), "")

    @property
    def command(self) -> str | None:
        """The command line; None for a tool that runs none."""
        name = self.command_argument
        return str(self.approval.call.args[name]) if name else None

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the command line; one part where the server found no others."""
        text, decision = self.command or "", self.approval.decision
        if not decision.pieces:
            return (Part(text, decision.verdict, decision.because),)
        starts = [0, *(piece.start for piece in decision.pieces[1:]), len(text)]
        return tuple(
            Part(text[start:end], piece.verdict, piece.reason)
            for piece, (start, end) in zip(decision.pieces, pairwise(starts), strict=True)
        )

    @property
    def arguments(self) -> tuple[tuple[str, str], ...]:
        """The arguments that neither the command line nor the diff nor the comment shows."""
        args = self.approval.call.args
        hidden = {self.command_argument} | ({"description"} if self.comment else set[str]())
        if self.diff:
            hidden |= _REPLACED_BY_DIFF
        return tuple((name, value_text(value)) for name, value in args.items() if name not in hidden)

    @property
    def diff(self) -> tuple[str, ...]:
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
    def comment(self) -> str:
        """What the agent says about its command; it has no effect on the decision."""
        said = self.approval.call.args.get("description")
        return said if self.command_argument and isinstance(said, str) else ""

    @property
    def dangers(self) -> tuple[str, ...]:
        """The words that a reason quotes and that the card marks."""
        steps = (one for one in self.approval.decision.steps if one.verdict is not Verdict.RUN)
        naming = (step for step in steps if step.stage in _NAMING_STAGES)
        return tuple(dict.fromkeys(word for step in naming for word in _QUOTED.findall(step.reason)))

    @property
    def is_long(self) -> bool:
        """Whether the card takes the whole width, and the list makes room for it."""
        texts = [self.command or "", "\n".join(self.diff), *(text for _, text in self.arguments)]
        return any(len(text) > LONG_TEXT or text.count("\n") >= LONG_LINES for text in texts)

    @property
    def needs_confirmation(self) -> bool:
        """Whether a person must type a word to allow it: it is locked, or it cannot be undone."""
        return self.approval.decision.is_locked or bool(self.approval.decision.irreversible)

    @property
    def can_allow(self) -> bool:
        """Whether it can be allowed here; a proposal is applied in its conversation."""
        return self.is_open and self.is_loaded and self.approval.delivery is not Delivery.PROPOSE

    @property
    def can_remember(self) -> bool:
        """Whether "always" is offered; never for what cannot be undone."""
        decision = self.approval.decision
        return (
            self.can_allow
            and decision.always_offered
            and not decision.irreversible
            and bool(self.offers)
            and self.always.becomes != Becomes.NOTHING
        )

    @property
    def can_edit_command(self) -> bool:
        """Whether the command can be edited as plain text instead of JSON."""
        return self.command is not None and is_plain(self.command)

    @property
    def card_key(self) -> tuple[str, ...]:
        """What identifies the card as it is shown; keys arm again when one of these changes."""
        approval = self.approval
        return (approval.id, approval.state, approval.digest, str(self.is_loaded))

    def with_news(self, news: "Question") -> "Question":
        """The question in its latest state; what was loaded is kept as long as the call is the same."""
        if news.is_loaded or not self.is_loaded:
            return news
        now, known = news.approval, self.approval
        is_same = now.call_digest in ("", known.call_digest) and _file_key(now) == _file_key(known)
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
    """The question in a live message, which may be clipped."""
    return Question(approval=excerpt_from_json(data).approval)


def question_from_detail(data: object) -> Question:
    """The question in a reply that has all of it."""
    fields = Fields(data, "approval")
    meaning = Fields(fields.raw("always"), "approval.always")
    return Question(
        approval=excerpt_from_json(data).approval,
        is_loaded=True,
        offers=tuple(_offers(fields)),
        always=AlwaysMeaning(
            becomes=meaning.text("becomes"),
            scope=meaning.text("scope"),
            lifetime=meaning.text("lifetime"),
            is_widened=meaning.flag("widened", default=False),
        ),
    )


def _offers(fields: Fields) -> Iterator[Offer]:
    for item in fields.items("suggestions", ()):
        offer = Fields(item, "approval.suggestions")
        yield Offer(offer.text("width"), offer.texts("rules"), offer.texts("irreversible", ()))


def _file_key(approval: Approval) -> tuple[str, int]:
    file = approval.file
    return ("", 0) if file is None else (file.digest, file.changes)
