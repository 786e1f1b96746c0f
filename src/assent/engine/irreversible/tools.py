"""Find the irreversible acts of a tool with named arguments, by its name, its effect and its arguments."""

from collections.abc import Iterator, Mapping

from assent.engine.base.lazy import regex
from assent.engine.base.tool import Call, Effect, Tool, as_list, as_object
from assent.engine.irreversible import sql
from assent.engine.irreversible.act import IrreversibleAct, join_names
from assent.engine.programs.losses import Loss

_NAME_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_VERB_LOSSES = {
    **dict.fromkeys("delete drop destroy erase wipe terminate uninstall obliterate".split(), Loss.DELETES),
    **dict.fromkeys(("purge", "truncate", "empty"), Loss.EMPTIES),
    "publish": Loss.PUBLISHES,
    **dict.fromkeys(("unpublish", "yank"), Loss.UNPUBLISHES),
    **dict.fromkeys("pay payout refund wire charge".split(), Loss.MOVES_MONEY),
}
"""The loss that each verb in a tool name means."""
_PREVIEW_WORDS = frozenset("preview draft dry plan validate check list get read".split())
"""Words in a tool name with which nothing is lost."""
_STATEMENT_ARGUMENTS = frozenset("sql query queries statement statements".split())
_NAME_ARGUMENTS = (
    "name names to recipient recipients title repo repository slug key table bucket path id ids email".split()
)
"""Arguments that name the affected thing, in order of preference."""
_DRY_RUN_ARGUMENTS = frozenset({"dry_run", "dryrun", "preview", "whatif"})


def find_tool_acts(call: Call, tool: Tool) -> Iterator[IrreversibleAct]:
    """Yield the acts of a call, by the name, the arguments, or the declared effect of its tool."""
    if any(
        value is True
        for name, value in call.args.items()
        if name.lower().replace("-", "_") in _DRY_RUN_ARGUMENTS
    ):
        return
    found = [*_acts_by_name(call), *_acts_by_statements(call.args)]
    if not found and tool.effect is Effect.DESTRUCTIVE:
        found.append(IrreversibleAct(Loss.DECLARED, "", join_names([tool.name])))
    yield from found


def _acts_by_name(call: Call) -> Iterator[IrreversibleAct]:
    """Yield the act that a tool name means, as in `crm.delete_customer` or `mail.send`."""
    words = [word.lower() for word in _NAME_WORD.findall(call.tool)]
    at = next((at for at, word in enumerate(words) if word in _VERB_LOSSES), None)
    if at is None or not _PREVIEW_WORDS.isdisjoint(words):
        return
    loss = _VERB_LOSSES[words[at]]
    noun = " ".join(words[at + 1 :]) or " ".join(words[at - 1 : at])
    yield IrreversibleAct(loss, noun, _name_of_affected_thing(call.args))


def _name_of_affected_thing(args: Mapping[str, object]) -> str:
    """The value of the argument that names the affected thing."""
    told = {name.lower(): value for name, value in args.items()}
    keys = [one for one in _NAME_ARGUMENTS if one in told] or [
        one for one in told if one.endswith(("_id", "id", "name"))
    ]
    for key in keys:
        value = told[key]
        items = as_list(value) or (value,)
        texts = [str(item) for item in items if isinstance(item, (str, int))]
        if texts:
            return join_names(texts)
    return ""


def _acts_by_statements(args: Mapping[str, object]) -> Iterator[IrreversibleAct]:
    """Yield the acts of SQL statements in arguments with names such as `query`."""
    for name, value in args.items():
        if name.lower() in _STATEMENT_ARGUMENTS:
            items = as_list(value) or (value,)
            for text in items:
                if isinstance(text, str):
                    yield from sql.find_sql_acts(text)
        elif (inner := as_object(value)) is not None:
            yield from _acts_by_statements(inner)
