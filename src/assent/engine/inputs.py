"""What is fed to the commands of a call, as a person is shown it; it decides nothing."""

from assent.engine.case import Case
from assent.engine.facts import Facts, PathUse, Place
from assent.engine.globs import HOLE
from assent.engine.lines.input_names import Fed, FedInput, InputSource
from assent.engine.lines.part import Part
from assent.engine.model import Call
from assent.engine.parsing import parse_call
from assent.engine.policy.snapshot import Snapshot

LONGEST_COMMAND = 120
"""Characters of a command that an input names it by."""


def fed_inputs(call: Call, snapshot: Snapshot, facts: Facts) -> tuple[FedInput, ...]:
    """What commands of a call are fed and may act on, in their order; what several are fed is one input."""
    tool = snapshot.tools.get(call.tool)
    fed = () if tool is None else tuple(part for part in parse_call(call, tool).distinct if part.fed)
    if tool is None or not fed:
        return ()
    case = Case(call, tool, snapshot, facts)
    found: dict[FedInput, list[str]] = {}
    for part in fed:
        found.setdefault(_input(part, case), []).append(_command(part))
    return tuple(one._replace(commands=tuple(dict.fromkeys(names))) for one, names in found.items())


def _input(part: Part, case: Case) -> FedInput:
    """The input of a part, without its command."""
    fed = part.fed or Fed()
    can_be_named = bool(case.input_names(part))
    if fed.text is not None:
        found = _text(fed.text, case.call)
    elif fed.file is None:
        found = FedInput(source=fed.unnamed or InputSource.UNKNOWN_FILE)
    else:
        written = case.may_change_input(part)
        found = _file(fed.file, case.facts, InputSource.WRITTEN_FILE if written else InputSource.FILE)
    return found._replace(can_be_named=can_be_named, must_be_named=fed.must)


def _text(text: str, call: Call) -> FedInput:
    """A text by its place among the arguments; itself only where it does not stand there as it is."""
    texts = {name: value for name, value in call.args.items() if isinstance(value, str)}
    # An argument that is this text and nothing else is the one that feeds it.
    for name in sorted(texts, key=lambda one: texts[one] != text):
        start = texts[name].find(text) if text else -1
        if start >= 0:
            return FedInput(source=InputSource.TEXT, argument=name, start=start, end=start + len(text))
    return FedInput(source=InputSource.TEXT, text=text)


def _file(use: PathUse, facts: Facts, source: InputSource) -> FedInput:
    written = use.absolute(facts.place)
    real = () if written is None else facts.real.get(written, ())
    path = _shown(real[0] if len(real) == 1 else written or use.text, facts.place)
    return FedInput(source=source, path=path, digest=facts.contents.get(written or "", ""))


def _shown(path: str, place: Place) -> str:
    """A path from the workspace's root where it is inside, else as it is."""
    root = place.roots[0].rstrip("/") + "/" if place.roots else ""
    return path[len(root) :] if root and path.startswith(root) else path


def _command(part: Part) -> str:
    words = () if part.command is None else part.command.words
    text = " ".join(word.text for word in words).replace(HOLE, "…") or part.text
    return text if len(text) <= LONGEST_COMMAND else text[: LONGEST_COMMAND - 1] + "…"
