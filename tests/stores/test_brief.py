"""What was asked comes back whole from few bytes, and from a text that leaves nothing out."""

import json
from dataclasses import replace

import pytest

from assent.engine.facts import Facts, Place
from assent.engine.model import Dialect, Effect, PathKind, Tool
from assent.engine.verdict import Decision, Piece, Stage, Step, Verdict
from assent.gate.approval import Approval
from assent.stores.brief import Told, brief, told
from assent.wire.call import facts_to_json, tool_to_json
from assent.wire.decision import decision_to_json
from tests.gate.samples import CALL, DECISION, FACTS, TOOL, an_approval

PLACE = Place(roots=("/project",), cwd="/project/web", home="/home/ana")
REAL = {
    "/project/web/ci": ("/project/web/ci",),
    "/project/web": ("/project/web",),
    "/project/web/": ("/project/web/",),
    "/project/web//ci": ("/project/web//ci",),
    "/project/webs": ("/project/webs",),
    "/etc/hosts": ("/etc/hosts",),
    "/project/link": ("/srv/data",),
    "/project/*.txt": ("/project/a.txt", "/project/b.txt"),
    "/project/none": (),
    "C:/x": ("C:/x",),
}
PIECES = (Piece(0, Verdict.RUN, "it only reads"), Piece(9, Verdict.ASK, "nothing covers this", "sh(x)"))


def of(approval: Approval) -> Told:
    return Told(
        approval.tool,
        approval.decision,
        approval.facts,
        approval.cwd,
        approval.call.cwd,
        approval.lineage,
    )


@pytest.mark.parametrize(
    "approval",
    [
        an_approval(),
        an_approval(facts=Facts(place=PLACE, real=REAL), cwd="/project/web"),
        an_approval(facts=Facts(place=replace(PLACE, case_sensitive=False), trusted_repository=True)),
        an_approval(facts=Facts(place=replace(PLACE, cwd="/"), real={"/": ("/",), "/etc": ("/etc",)})),
        an_approval(cwd="/elsewhere", call=replace(CALL, cwd="/elsewhere"), lineage=("cook", "chef")),
        an_approval(cwd=""),
        an_approval(decision=DECISION._replace(pieces=PIECES)),
        an_approval(decision=DECISION._replace(because="something else")),
        an_approval(decision=DECISION._replace(because="", steps=())),
        an_approval(tool=Tool(name="a", effect=Effect.READ, dialect=Dialect.TEXT)),
        an_approval(tool=replace(TOOL, paths=PathKind.ANCHORED, origin="page", reads=True, group="g")),
    ],
)
def test_nothing_is_lost(approval: Approval) -> None:
    assert told(brief(approval)) == of(approval)


def test_a_text_that_leaves_nothing_out_says_the_same() -> None:
    approval = an_approval(
        facts=Facts(place=PLACE, real=REAL), cwd="/project/web", decision=DECISION._replace(pieces=PIECES)
    )
    whole = {
        "tool": tool_to_json(approval.tool),
        "decision": decision_to_json(approval.decision),
        "facts": facts_to_json(approval.facts),
    }

    assert told(json.dumps(whole)) == of(approval)


def test_a_reason_is_told_by_the_step_that_decided() -> None:
    steps = (
        Step(Stage.MODE, Verdict.RUN, "auto runs it"),
        Step(Stage.ASK_RULE, Verdict.ASK, "a rule asks"),
        Step(Stage.ASK_RULE, Verdict.ASK, "another asks"),
    )
    first = Decision(verdict=Verdict.ASK, stage=Stage.ASK_RULE, because="a rule asks", steps=steps)

    text = brief(an_approval(decision=first))

    assert text.count("a rule asks") == 1
    assert told(text).decision == first
    assert told(brief(an_approval(decision=first._replace(because="another asks")))).decision.because == (
        "another asks"
    )


def test_paths_that_are_what_they_say_are_named_once_and_from_the_directory() -> None:
    real = {f"/project/{name}": (f"/project/{name}",) for name in ("web", "web/ci")}

    said = json.loads(brief(an_approval(facts=replace(FACTS, real=real))))

    assert (said["plain"], "real" in said["facts"]) == (["web", "web/ci"], False)
