"""An irreversible act in the words of the command line."""

from collections.abc import Iterable, Iterator

from assent.cli.terminal import Style, paint, visible
from assent.engine.irreversible.act import Irreversible
from assent.engine.programs.program import Loss


def warnings(acts: Iterable[Irreversible]) -> Iterator[str]:
    """One line for each act: that it cannot be undone, and what it is."""
    for act in acts:
        yield f"{paint('cannot be undone', Style.BAD)}: {visible(sentence(act))}"


def sentence(act: Irreversible) -> str:
    """What the act does."""
    named, unnamed = _SENTENCES[act.loss]
    kind = act.kind or _KINDS.get(act.loss, "")
    thing = f"the {kind} `{act.name}`" if kind else f"`{act.name}`"
    if act.name:
        return named.format(thing=thing, kind=kind, name=f"`{act.name}`")
    return unnamed.format(kind=kind or "thing")


_SENTENCES = {
    Loss.DELETES: ("deletes {thing}", "deletes the {kind}"),
    Loss.DELETES_ALL: ("deletes all {kind} of {name}", "deletes all {kind}"),
    Loss.DESTROYS: ("destroys everything in {name}", "destroys everything that {kind} manages here"),
    Loss.REMOVES_FILES: ("removes {name}", "removes files"),
    Loss.DISCARDS_CHANGES: ("discards uncommitted changes ({name})", "discards uncommitted changes"),
    Loss.REMOVES_UNTRACKED: ("removes untracked files ({name})", "removes untracked files"),
    Loss.ERASES_HISTORY: ("erases history ({name})", "erases history"),
    Loss.OVERWRITES_REMOTE: ("overwrites what others pushed to {name}", "overwrites what others pushed"),
    Loss.PUBLISHES: ("publishes {name} with {kind}", "publishes a release with {kind}"),
    Loss.UNPUBLISHES: ("withdraws {name} from {kind}", "withdraws a release from {kind}"),
    Loss.EMPTIES: ("empties {thing}", "empties the {kind}"),
    Loss.CHANGES_ALL: ("changes every row of {name}", "changes every row"),
    Loss.ERASES: ("erases {name} for good", "erases a disk"),
    Loss.MOVES_MONEY: ("moves money ({name})", "moves money"),
    Loss.DECLARED: ("{name} is declared destructive", "is declared destructive"),
}
"""With a name and without one."""
_KINDS = {Loss.PUBLISHES: "a registry", Loss.UNPUBLISHES: "a registry"}
"""What stands for the kind where the call does not say it."""
