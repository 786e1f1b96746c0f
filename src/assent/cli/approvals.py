"""`assent pending` and `assent answer`: list the calls that wait for approval, and answer them."""

import re
import sys
from datetime import UTC, datetime

import click

from assent.cli.base.backend import open_command_backend
from assent.cli.base.call_view import (
    call_text,
    diff_lines,
    file_change_lines,
    full_call_text,
    irreversible_lines,
    is_call_text_cut,
)
from assent.cli.base.command import run_async
from assent.cli.base.database import database_option
from assent.cli.base.output import age_in_largest_unit, json_option, parse_duration, print_json
from assent.cli.base.terminal import Style, visible_text, with_style
from assent.engine.base.tool import UNDECLARED_ORIGIN
from assent.errors import InputError
from assent.gate.always import rule_suggestions
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, Excerpt
from assent.gate.preset import Lifetime, Scope
from assent.surfaces.tui.words import act_sentence
from assent.wire.approval import approval_to_json

ANSWER_WORDS = {
    "once": Say.ONCE,
    "chat": Say.CONVERSATION,
    "always": Say.ALWAYS,
    "deny": Say.DENY,
    "later": None,
}
SCOPE_WORDS = {
    "conversation": Scope.CONVERSATION,
    "agent": Scope.AGENT,
    "user": Scope.USER,
    "user-agent": Scope.USER_AGENT,
    "everyone": Scope.EVERYONE,
}
SHORT_ID_LENGTH = 8
"""Number of characters of an approval id that a list shows."""
MIN_DIGEST_LENGTH = 8
"""Minimum number of characters that `--digest` accepts."""
CONFIRMATION_WORD = "allow"
"""The word that a person types to confirm a call that cannot be undone."""


@click.command(name="pending")
@click.argument("id", required=False)
@database_option
@json_option
def show_pending(id: str | None, database: str | None, as_json: bool) -> None:  # noqa: FBT001 - click passes flags by name
    """List the open questions, oldest first; with ID, show that question in full."""
    if id is None:
        run_async(_list_pending(database, as_json=as_json))
    else:
        run_async(_show_question(id, database, as_json=as_json))


@click.command(name="answer")
@click.argument("id")
@click.argument("say", metavar="once|chat|always|deny|later", type=click.Choice([*ANSWER_WORDS]))
@click.option("--rule", "rules", metavar="RULE", multiple=True, help="with always: the rule to store")
@click.option("--scope", type=click.Choice([*SCOPE_WORDS]), help="with always: to whom the rule applies")
@click.option(
    "--lasting",
    metavar="LIMIT",
    multiple=True,
    help="with always or chat: `restart`, 30m, 2h, 7d, or `5 uses`; the first limit that is reached ends it",
)
@click.option("--reason", default="", help="with deny: the reason for the agent")
@click.option("--confirm", is_flag=True, help="allow without the confirmation that a terminal asks for")
@click.option("--digest", help="the digest that `assent pending ID` prints; required for a call that is cut")
@database_option
@json_option
def answer_approval(
    id: str,
    say: str,
    as_json: bool,  # noqa: FBT001
    database: str | None,
    digest: str | None,
    **options: object,
) -> None:
    """Answer the question ID; the first characters of the id are enough."""
    run_async(_answer_question(id, say, database, digest, as_json=as_json, **options))


async def _list_pending(database: str | None, *, as_json: bool) -> None:
    async with open_command_backend(database) as backend:
        found = await backend.list_pending()
    if as_json:
        print_json([_excerpt_to_json(one) for one in found])
        return
    for excerpt in found:
        _print_question(excerpt.approval, is_complete=not excerpt.clipped)
    if not found:
        click.echo("no open questions", err=True)


async def _show_question(id: str, database: str | None, *, as_json: bool) -> None:
    async with open_command_backend(database) as backend:
        approval = await backend.find_approval(id)
    if as_json:
        print_json(approval_to_json(approval))
        return
    _print_question(approval, is_complete=True, call=full_call_text(approval.call, approval.tool))
    for line in diff_lines(approval.file):
        click.echo(f"    {line}")
    click.echo(with_style(f"    digest {approval.digest}", Style.FAINT))


def _excerpt_to_json(excerpt: Excerpt) -> dict[str, object]:
    record = approval_to_json(excerpt.approval)
    return {**record, "clipped": True, "size": excerpt.size, "digest": ""} if excerpt.clipped else record


def _print_question(approval: Approval, *, is_complete: bool, call: str = "") -> None:
    """Print a question: the call, the reason for asking, and the rule that `always` would store."""
    later = with_style("  later", Style.FAINT) if approval.later_at is not None else ""
    agent = visible_text(
        " > ".join([approval.call.agent or "an agent", *(one.name for one in approval.sub_agents)])
    )
    short_id = with_style(approval.id[:SHORT_ID_LENGTH], Style.STRONG)
    click.echo(f"{short_id}  {age_in_largest_unit(approval.asked_at)}  {agent}{later}")
    click.echo(f"    {call or call_text(approval.call, approval.tool)}")
    click.echo(f"    {with_style(visible_text(approval.decision.because), Style.FAINT)}")
    if approval.tool.origin.startswith(UNDECLARED_ORIGIN):
        click.echo("    nobody declared this tool; only calls show its arguments")
    for line in (*file_change_lines(approval.file), *irreversible_lines(approval.decision.irreversible)):
        click.echo(f"    {line}")
    widths = rule_suggestions(approval) if is_complete else ()
    if widths:
        rules = ", ".join(visible_text(rule.text) for rule in widths[0].rules)
        click.echo(with_style(f"    always would allow {rules}", Style.FAINT))


async def _answer_question(
    id: str, say: str, database: str | None, digest: str | None, *, as_json: bool, **options: object
) -> None:
    async with open_command_backend(database) as backend:
        approval = await backend.find_approval(id)
        confirmed = options.pop("confirm")
        said = ANSWER_WORDS[say]
        given = None if said is None else _build_answer(said, **options)  # type: ignore[arg-type]
        _check_digest(approval, given, digest)
        if given is not None and given.yes and not confirmed:
            _require_confirmation(approval)
        answered = await backend.answer_approval(approval, given)
    if as_json:
        print_json(approval_to_json(answered))
    else:
        click.echo(f"{_styled_state_word(answered)}: {call_text(answered.call, answered.tool)}")


def _build_answer(
    say: Say, *, rules: tuple[str, ...], scope: str | None, lasting: tuple[str, ...], reason: str
) -> Answer:
    _refuse_unused_options(say, {"--rule": rules, "--scope": scope}, lasting, reason)
    limits = [_parse_grant_limit(text) for text in lasting]
    if len({type(limit) for limit in limits}) < len(limits):
        raise InputError("--lasting has two limits of the same kind: remove one")
    return Answer(
        say=say,
        rules=rules,
        scope=None if scope is None else SCOPE_WORDS[scope],
        lifetime=next((one for one in limits if isinstance(one, Lifetime)), None),
        until=next((one for one in limits if isinstance(one, datetime)), None),
        uses=next((one for one in limits if isinstance(one, int)), None),
        reason=reason,
    )


def _refuse_unused_options(
    say: Say, always_only: dict[str, object], lasting: tuple[str, ...], reason: str
) -> None:
    """Raise an error for an option that has no effect with this answer."""
    for name, value in always_only.items():
        if value and say is not Say.ALWAYS:
            raise InputError(f"{name} requires `always`")
    if lasting and say not in (Say.ALWAYS, Say.CONVERSATION):
        raise InputError("--lasting requires `always` or `chat`")
    if reason and say is not Say.DENY:
        raise InputError("--reason requires `deny`")


def _parse_grant_limit(text: str) -> Lifetime | datetime | int:
    """Parse `restart`, a duration from now, or a number of uses."""
    if text == "restart":
        return Lifetime.RESTART
    if found := re.fullmatch(r"(\d{1,6}) ?uses?", text):
        return int(found[1])
    if (duration := parse_duration(text)) is not None:
        return datetime.now(UTC) + duration
    raise InputError(f"--lasting `{visible_text(text)}` must be `restart`, 30m, 2h, 7d or `5 uses`")


def _check_digest(approval: Approval, answer: Answer | None, digest: str | None) -> None:
    """Raise an error if the answer allows a call that lists show only in part, and no digest is given."""
    if digest is not None and (len(digest) < MIN_DIGEST_LENGTH or not approval.digest.startswith(digest)):
        raise InputError(f"--digest `{visible_text(digest)}` is not the digest of this question")
    if (
        digest is None
        and answer is not None
        and answer.yes
        and is_call_text_cut(approval.call, approval.tool)
    ):
        raise InputError(
            "lists show only a part of this call:"
            f" read it with `assent pending {approval.id[:SHORT_ID_LENGTH]}`,"
            " then add the --digest that it prints"
        )


def _require_confirmation(approval: Approval) -> None:
    """Ask for a typed confirmation if the call cannot be undone or is locked, as the web page does."""
    reasons = [f"cannot be undone: {act_sentence(act)}" for act in approval.decision.irreversible]
    if approval.decision.is_locked:
        reasons.append("always asks: no rule or mode can avoid this question")
    if not reasons:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(f"{visible_text(reasons[0])}; confirm it at a terminal, or add --confirm")
    click.echo(full_call_text(approval.call, approval.tool))
    for reason in reasons:
        click.echo(with_style(visible_text(reason), Style.BAD))
    if (
        click.prompt(f"type `{CONFIRMATION_WORD}` to allow it", default="", show_default=False)
        != CONFIRMATION_WORD
    ):
        raise InputError("not confirmed: the question is still open")


def _styled_state_word(approval: Approval) -> str:
    if approval.answer is None:
        return with_style("later", Style.FAINT)
    return with_style(approval.state, Style.GOOD if approval.answer.yes else Style.BAD)
