"""The irreversible acts of a tool with named arguments, by its name, its declaration and its arguments."""

from collections.abc import Iterator, Mapping

from assent.engine.irreversible import sql
from assent.engine.irreversible.act import Irreversible, to_name
from assent.engine.model import Call, Effect, Tool, as_list, as_object
from assent.engine.programs.program import Loss
from assent.engine.regex import regex

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


def acts_of_tool(call: Call, tool: Tool) -> Iterator[Irreversible]:
    """What a call says by its tool's name, its arguments, or its tool's declaration."""
    if any(value is True for name, value in call.args.items() if name.lower().replace("-", "_") in _DRY):
        return
    found = [*_by_name(call), *_by_statements(call.args)]
    if not found and tool.effect is Effect.DESTRUCTIVE:
        found.append(Irreversible(Loss.DECLARED, "", to_name([tool.name])))
    yield from found


def _by_name(call: Call) -> Iterator[Irreversible]:
    """`crm.delete_customer`, `github__deleteRepository`, `mail.send`: the verb and its noun."""
    words = [word.lower() for word in _WORD.findall(call.tool)]
    at = next((at for at, word in enumerate(words) if word in _VERBS), None)
    if at is None or not _PREVIEWS.isdisjoint(words):
        return
    loss = _VERBS[words[at]]
    noun = " ".join(words[at + 1 :]) or " ".join(words[at - 1 : at])
    yield Irreversible(loss, noun, _named(call.args))


def _named(args: Mapping[str, object]) -> str:
    """The argument that says which one: by its name, or else the first short one."""
    told = {name.lower(): value for name, value in args.items()}
    keys = [one for one in _NAMES if one in told] or [
        one for one in told if one.endswith(("_id", "id", "name"))
    ]
    for key in keys:
        value = told[key]
        items = as_list(value) or (value,)
        texts = [str(item) for item in items if isinstance(item, (str, int))]
        if texts:
            return to_name(texts)
    return ""


def _by_statements(args: Mapping[str, object]) -> Iterator[Irreversible]:
    """Statements of a database in the arguments that are named so."""
    for name, value in args.items():
        if name.lower() in _STATEMENTS:
            items = as_list(value) or (value,)
            for text in items:
                if isinstance(text, str):
                    yield from sql.in_sql(text)
        elif (inner := as_object(value)) is not None:
            yield from _by_statements(inner)
