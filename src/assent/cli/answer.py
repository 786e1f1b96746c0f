"""`assent answer`: say yes or no to a question, for once or for longer."""

import re
import sys
from datetime import UTC, datetime, timedelta

import click

from assent.cli.database import database_option, json_option, print_json, run
from assent.cli.desk import desk_on
from assent.cli.irreversible import sentence
from assent.cli.specifier import is_cut, shown_call, whole_call
from assent.cli.terminal import Style, paint, visible
from assent.errors import InputError
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval
from assent.gate.preset import Lifetime, Scope
from assent.wire.approval import approval_to_json

WORDS = {"once": Say.ONCE, "chat": Say.CONVERSATION, "always": Say.ALWAYS, "deny": Say.DENY, "later": None}
SCOPES = {
    "conversation": Scope.CONVERSATION,
    "agent": Scope.AGENT,
    "user": Scope.USER,
    "user-agent": Scope.USER_AGENT,
    "everyone": Scope.EVERYONE,
}
SHORTEST_DIGEST = 8
"""Characters of a digest that are enough."""
CONFIRMATION = "allow"
"""What is typed to confirm a yes."""
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


@click.command()
@click.argument("id")
@click.argument("say", metavar="once|chat|always|deny|later", type=click.Choice([*WORDS]))
@click.option("--rule", "rules", metavar="RULE", multiple=True, help="with always: the rule to write")
@click.option("--scope", type=click.Choice([*SCOPES]), help="with always: for whom it counts")
@click.option(
    "--lasting",
    metavar="HOW",
    multiple=True,
    help="with always or chat: `restart`, 30m, 2h, 7d, or `5 uses`; several all hold",
)
@click.option("--reason", default="", help="with deny: what the agent is told")
@click.option("--sure", is_flag=True, help="allow what needs a typed confirmation at a terminal")
@click.option("--digest", help="for a call that lists cut: its digest, as `assent pending ID` prints it")
@database_option
@json_option
def answer(
    id: str,
    say: str,
    as_json: bool,  # noqa: FBT001
    database: str | None,
    digest: str | None,
    **how: object,
) -> None:
    """Answer the question ID; the first characters of it are enough."""
    run(_answer(id, say, database, digest, as_json=as_json, **how))


async def _answer(
    id: str, say: str, database: str | None, digest: str | None, *, as_json: bool, **how: object
) -> None:
    said = WORDS[say]
    async with desk_on(database) as desk:
        asked = await desk.approval(id)
        sure = how.pop("sure")
        written = None if said is None else _written(said, **how)  # type: ignore[arg-type]
        _check_seen(asked, written, digest)
        if written is not None and written.yes and not sure:
            _confirm(asked)
        approval = await desk.answer(asked, written)
    if as_json:
        print_json(approval_to_json(approval))
    else:
        click.echo(f"{_painted(approval)}: {shown_call(approval.call, approval.tool)}")


def _written(
    say: Say, *, rules: tuple[str, ...], scope: str | None, lasting: tuple[str, ...], reason: str
) -> Answer:
    _check_fit(say, {"--rule": rules, "--scope": scope}, lasting, reason)
    limits = [_limit(text) for text in lasting]
    if len({type(limit) for limit in limits}) < len(limits):
        raise InputError("--lasting names two limits of one kind: leave one of them out")
    return Answer(
        say=say,
        rules=rules,
        scope=None if scope is None else SCOPES[scope],
        lifetime=next((one for one in limits if isinstance(one, Lifetime)), None),
        until=next((one for one in limits if isinstance(one, datetime)), None),
        uses=next((one for one in limits if isinstance(one, int)), None),
        reason=reason,
    )


def _check_seen(asked: Approval, answer: Answer | None, digest: str | None) -> None:
    """Refuse a yes to a call that nobody can have seen whole in a list."""
    if digest is not None and (len(digest) < SHORTEST_DIGEST or not asked.digest.startswith(digest)):
        raise InputError(f"--digest `{visible(digest)}` is not that of the question")
    if digest is None and answer is not None and answer.yes and is_cut(asked.call, asked.tool):
        start = asked.id[:SHORTEST_DIGEST]
        raise InputError(
            "a list shows only a part of this call:"
            f" read all of it with `assent pending {start}`, then add the --digest that it prints"
        )


def _confirm(asked: Approval) -> None:
    """Ask for more than one word where a card on the page does: all of the call is shown, a yes is typed."""
    why = [f"cannot be undone: {sentence(act)}" for act in asked.decision.irreversible]
    why += ["always asks: no rule or mode lifts this question"] if asked.decision.is_locked else []
    if not why:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(f"{visible(why[0])}; confirm it at a terminal, or say --sure")
    click.echo(whole_call(asked.call, asked.tool))
    for reason in why:
        click.echo(paint(visible(reason), Style.BAD))
    if click.prompt(f"type `{CONFIRMATION}` to allow it", default="", show_default=False) != CONFIRMATION:
        raise InputError("not confirmed, so nothing was answered")


def _check_fit(say: Say, reaching: dict[str, object], lasting: tuple[str, ...], reason: str) -> None:
    """An option that would have no effect is a mistake worth telling."""
    for name, value in reaching.items():
        if value and say is not Say.ALWAYS:
            raise InputError(f"{name} only goes with `always`")
    if lasting and say not in (Say.ALWAYS, Say.CONVERSATION):
        raise InputError("--lasting only goes with `always` and `chat`")
    if reason and say is not Say.DENY:
        raise InputError("--reason only goes with `deny`")


def _limit(text: str) -> Lifetime | datetime | int:
    """The restart, a moment, or a number of uses."""
    if text == "restart":
        return Lifetime.RESTART
    if found := re.fullmatch(r"(\d{1,6}) ?uses?", text):
        return int(found[1])
    if found := re.fullmatch(r"(\d{1,6})([mhd])", text):
        return datetime.now(UTC) + timedelta(**{_UNITS[found[2]]: int(found[1])})
    raise InputError(f"--lasting `{visible(text)}` must be `restart`, 30m, 2h, 7d or `5 uses`")


def _painted(approval: Approval) -> str:
    if approval.answer is None:
        return paint("later", Style.FAINT)
    return paint(approval.state, Style.GOOD if approval.answer.yes else Style.BAD)
