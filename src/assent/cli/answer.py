"""`assent answer`: say yes or no to a question, for once or for longer."""

import re
from datetime import UTC, datetime, timedelta

import click

from assent.cli.database import database_option, json_option, print_json, run
from assent.cli.desk import desk_on
from assent.cli.specifier import shown_call
from assent.cli.terminal import Style, paint, visible
from assent.errors import InputError
from assent.gate.approval import Answer, Approval, Say
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
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


@click.command()
@click.argument("id")
@click.argument("say", metavar="once|chat|always|deny|later", type=click.Choice([*WORDS]))
@click.option("--rule", "rules", metavar="RULE", multiple=True, help="with always: the rule to write")
@click.option("--scope", type=click.Choice([*SCOPES]), help="with always: for whom it counts")
@click.option("--lasting", metavar="HOW", help="with always: `restart`, 30m, 2h, 7d, or `5 uses`")
@click.option("--reason", default="", help="with deny: what the agent is told")
@database_option
@json_option
def answer(id: str, say: str, as_json: bool, database: str | None, **how: object) -> None:  # noqa: FBT001
    """Answer the question ID; the first characters of it are enough."""
    run(_answer(id, say, database, as_json=as_json, **how))


async def _answer(id: str, say: str, database: str | None, *, as_json: bool, **how: object) -> None:
    said = WORDS[say]
    async with desk_on(database) as desk:
        asked = await desk.approval(id)
        written = None if said is None else _written(said, **how)  # type: ignore[arg-type]
        approval = await desk.answer(asked, written)
    if as_json:
        print_json(approval_to_json(approval))
    else:
        click.echo(f"{_painted(approval)}: {shown_call(approval.call, approval.tool)}")


def _written(
    say: Say, *, rules: tuple[str, ...], scope: str | None, lasting: str | None, reason: str
) -> Answer:
    _check_fit(say, {"--rule": rules, "--scope": scope, "--lasting": lasting}, reason)
    lifetime, until, uses = _lifetime(lasting)
    return Answer(
        say=say,
        rules=rules,
        scope=None if scope is None else SCOPES[scope],
        lifetime=lifetime,
        until=until,
        uses=uses,
        reason=reason,
    )


def _check_fit(say: Say, lasting: dict[str, object], reason: str) -> None:
    """An option that would have no effect is a mistake worth telling."""
    for name, value in lasting.items():
        if value and say is not Say.ALWAYS:
            raise InputError(f"{name} only goes with `always`")
    if reason and say is not Say.DENY:
        raise InputError("--reason only goes with `deny`")


def _lifetime(text: str | None) -> tuple[Lifetime | None, datetime | None, int | None]:
    if text is None:
        return None, None, None
    if text == "restart":
        return Lifetime.RESTART, None, None
    if found := re.fullmatch(r"(\d{1,6}) ?uses?", text):
        return Lifetime.USES, None, int(found[1])
    if found := re.fullmatch(r"(\d{1,6})([mhd])", text):
        span = timedelta(**{_UNITS[found[2]]: int(found[1])})
        return Lifetime.UNTIL, datetime.now(UTC) + span, None
    raise InputError(f"--lasting `{visible(text)}` must be `restart`, 30m, 2h, 7d or `5 uses`")


def _painted(approval: Approval) -> str:
    if approval.answer is None:
        return paint("later", Style.FAINT)
    return paint(approval.state, Style.GOOD if approval.answer.yes else Style.BAD)
