"""The irreversible acts of a tool with named arguments, by its name, its declaration and its arguments."""

from collections.abc import Iterator, Mapping

from assent.engine.base.lazy import regex
from assent.engine.base.tool import Call, Effect, Tool, as_list, as_object
from assent.engine.irreversible import sql
from assent.engine.irreversible.act import IrreversibleAct, join_names
from assent.engine.programs.losses import Loss

_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_VERBS = {
    **dict.fromkeys("delete drop destroy erase wipe terminate uninstall obliterate".split(), Loss.DELETES),
    **dict.fromkeys(("purge", "truncate", "empty"), Loss.EMPTIES),
    "publish": Loss.PUBLISHES,
    **dict.fromkeys(("unpublish", "yank"), Loss.UNPUBLISHES),
    **dict.fromkeys("pay payout refund wire charge".split(), Loss.MOVES_MONEY),
}
_PREVIEWS = frozenset("preview draft dry plan validate check list get read".split())
_STATEMENTS = frozenset("sql query queries statement statements".split())
_NAMES = (
    "name names to recipient recipients title repo repository slug key table bucket path id ids email".split()
)
_DRY = frozenset({"dry_run", "dryrun", "preview", "whatif"})


def acts_of_tool(call: Call, tool: Tool) -> Iterator[IrreversibleAct]:
    """The acts of a call, by the name, the arguments, or the declared effect of its tool."""
    if any(value is True for name, value in call.args.items() if name.lower().replace("-", "_") in _DRY):
        return
    found = [*_acts_by_name(call), *_acts_by_statements(call.args)]
    if not found and tool.effect is Effect.DESTRUCTIVE:
        found.append(IrreversibleAct(Loss.DECLARED, "", join_names([tool.name])))
    yield from found


def _acts_by_name(call: Call) -> Iterator[IrreversibleAct]:
    """`crm.delete_customer`, `github__deleteRepository`, `mail.send`: the verb and its noun."""
    words = [word.lower() for word in _WORD.findall(call.tool)]
    at = next((at for at, word in enumerate(words) if word in _VERBS), None)
    if at is None or not _PREVIEWS.isdisjoint(words):
        return
    loss = _VERBS[words[at]]
    noun = " ".join(words[at + 1 :]) or " ".join(words[at - 1 : at])
    yield IrreversibleAct(loss, noun, _find_name(call.args))


def _find_name(args: Mapping[str, object]) -> str:
    """The value of the argument that names the thing."""
    told = {name.lower(): value for name, value in args.items()}
    keys = [one for one in _NAMES if one in told] or [
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
    """The acts of SQL statements in arguments with names such as `query`."""
    for name, value in args.items():
        if name.lower() in _STATEMENTS:
            items = as_list(value) or (value,)
            for text in items:
                if isinstance(text, str):
                    yield from sql.sql_acts(text)
        elif (inner := as_object(value)) is not None:
            yield from _acts_by_statements(inner)
