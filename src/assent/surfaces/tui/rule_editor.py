"""The editor behind "always": the width of the rules, their text, to whom they apply and for how long."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from assent.gate.answer import Answer, Say
from assent.gate.preset import CHOICE, Lifetime, Scope
from assent.surfaces.tui.field import TextField
from assent.surfaces.tui.overview import RulePreview
from assent.surfaces.tui.question import Question
from assent.surfaces.tui.words import SCOPES


class RuleLifetime(NamedTuple):
    """How long a rule lasts."""

    label: str
    lifetime: Lifetime
    duration: timedelta | None = None
    uses: int | None = None


LIFETIMES = (
    RuleLifetime("30 minutes", Lifetime.UNTIL, duration=timedelta(minutes=30)),
    RuleLifetime("1 day", Lifetime.UNTIL, duration=timedelta(days=1)),
    RuleLifetime("until restart", Lifetime.RESTART),
    RuleLifetime("for good", Lifetime.FOREVER),
    RuleLifetime("10 uses", Lifetime.USES, uses=10),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleEditor:
    """An immutable state of the rule editor; at first the narrowest rule is chosen."""

    question: Question
    width: int = 0
    rules: tuple[TextField, ...] = ()
    scopes: tuple[Scope, ...] = ()
    scope: int = 0
    lifetimes: tuple[RuleLifetime, ...] = LIFETIMES
    lifetime: int = 0
    focus: int = 0
    """0 is the width, then one number per rule, then scope and lifetime."""
    previews: tuple[tuple[tuple[str, ...], RulePreview], ...] = field(default_factory=tuple)
    """The rules that the server was asked about, with its replies."""

    @property
    def rule_texts(self) -> tuple[str, ...]:
        """The current texts of the rules."""
        return tuple(one.text for one in self.rules)

    @property
    def current_preview(self) -> RulePreview | None:
        """The server's preview of the current rules; None until the server replies."""
        return next((found for rules, found in self.previews if rules == self.rule_texts), None)

    @property
    def rule_objection(self) -> str | None:
        """Why these rules cannot be saved; empty if they can be saved, None until the server replies."""
        if any(not text.strip() for text in self.rule_texts):
            return "a rule is empty"
        return None if self.current_preview is None else self.current_preview.objection

    @property
    def is_editing_rule(self) -> bool:
        """Whether typed letters are text, not commands."""
        return 1 <= self.focus <= len(self.rules)

    @property
    def allows_whole_tool(self) -> bool:
        """Whether a rule allows every call of the tool; the person then confirms it by the tool's name."""
        return any(text.strip() == self.question.approval.call.tool for text in self.rule_texts)

    def scope_label(self, scope: Scope) -> str:
        """The text that describes to whom a scope applies."""
        return SCOPES[scope].format(agent=self.question.calling_agent)

    def after_key(self, key: str, character: str | None) -> "RuleEditor":
        """The editor after a key press."""
        fields = len(self.rules) + 3
        match key:
            case "tab" | "down":
                return replace(self, focus=(self.focus + 1) % fields)
            case "shift+tab" | "up":
                return replace(self, focus=(self.focus - 1) % fields)
            case _ if self.is_editing_rule:
                at = self.focus - 1
                edited = self.rules[at].after_key(key, character)
                return replace(self, rules=(*self.rules[:at], edited, *self.rules[at + 1 :]))
            case "left" | "right":
                return self._with_next_choice(1 if key == "right" else -1)
            case _:
                return self

    def with_pasted_text(self, text: str) -> "RuleEditor":
        """The editor after a text was pasted into a rule."""
        if not self.is_editing_rule:
            return self
        at = self.focus - 1
        return replace(
            self, rules=(*self.rules[:at], self.rules[at].with_inserted_text(text), *self.rules[at + 1 :])
        )

    def with_preview(self, rules: tuple[str, ...], preview: RulePreview) -> "RuleEditor":
        """The editor with the server's preview of these rules."""
        return replace(self, previews=((rules, preview), *self.previews[:20]))

    def to_answer(self, now: datetime) -> Answer:
        """The answer that writes these rules."""
        lifetime = self.lifetimes[self.lifetime]
        return Answer(
            say=Say.ALWAYS,
            rules=self.rule_texts,
            scope=self.scopes[self.scope],
            lifetime=lifetime.lifetime,
            until=None if lifetime.duration is None else now + lifetime.duration,
            uses=lifetime.uses,
        )

    def _with_next_choice(self, step: int) -> "RuleEditor":
        if self.focus == 0:
            width = _next_index(self.width, step, len(self.question.offers))
            return replace(self, width=width, rules=_rule_fields(self.question, width))
        if self.focus == len(self.rules) + 1:
            return replace(self, scope=_next_index(self.scope, step, len(self.scopes)))
        return replace(self, lifetime=_next_index(self.lifetime, step, len(self.lifetimes)))


def new_rule_editor(question: Question) -> RuleEditor:
    """The initial rule editor for a question that offers "always"."""
    always = question.always
    lifetimes = tuple(one for one in LIFETIMES if always.lifetime in (CHOICE, one.lifetime))
    return RuleEditor(
        question=question,
        rules=_rule_fields(question, 0),
        scopes=offered_scopes(question),
        lifetimes=lifetimes or LIFETIMES,
    )


def offered_scopes(question: Question) -> tuple[Scope, ...]:
    """The scopes that the preset offers, the narrowest first."""
    has_conversation = bool(question.approval.call.conversation)
    usable = [one for one in Scope if one is not Scope.CONVERSATION or has_conversation]
    if question.always.scope == CHOICE:
        return tuple(usable)
    only = Scope(question.always.scope)
    wider = (Scope.EVERYONE,) if question.always.is_widened and only is not Scope.EVERYONE else ()
    return (only, *wider)


def _rule_fields(question: Question, width: int) -> tuple[TextField, ...]:
    return tuple(TextField.with_cursor_at_end(rule) for rule in question.offers[width].rules)


def _next_index(index: int, step: int, count: int) -> int:
    return max(0, min(count - 1, index + step))
