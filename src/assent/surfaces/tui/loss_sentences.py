"""What an irreversible act does, as a sentence for a terminal."""

from assent.engine.irreversible.act import IrreversibleAct
from assent.engine.programs.losses import Loss


def act_sentence(act: IrreversibleAct) -> str:
    """The sentence that describes an irreversible act."""
    named, unnamed = _LOSS_SENTENCES[act.loss]
    kind = act.kind or _DEFAULT_KIND_NAMES.get(act.loss, "")
    thing = f"the {kind} `{act.name}`" if kind else f"`{act.name}`"
    if act.name:
        return named.format(thing=thing, kind=kind, name=f"`{act.name}`")
    return unnamed.format(kind=kind or "thing")


_LOSS_SENTENCES = {
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
    Loss.ERASES: ("erases {name} permanently", "erases a disk"),
    Loss.MOVES_MONEY: ("moves money ({name})", "moves money"),
    Loss.DECLARED: ("{name} is declared destructive", "is declared destructive"),
}
"""For each kind of loss, a sentence with the name of the affected thing, and a sentence without a name."""
_DEFAULT_KIND_NAMES = {Loss.PUBLISHES: "a registry", Loss.UNPUBLISHES: "a registry"}
"""The kind of the affected thing, if the call does not contain it."""
