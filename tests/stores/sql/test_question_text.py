"""The text of a question holds everything that its columns do not, as briefly as possible."""

import json
from dataclasses import replace

import pytest

from assent.engine.base.facts import CallDirectories, Facts
from assent.engine.base.reason import Reason, ReasonCode, text_reason
from assent.engine.base.tool import Dialect, Effect, PathKind, Tool
from assent.engine.policy.verdict import Decision, Piece, Stage, Step, Verdict
from assent.gate.access import SubAgent
from assent.gate.approval import Approval
from assent.stores.sql.question_text import (
    IdentityMemo,
    QuestionDetails,
    decode_question,
    encode_question,
    group_piece_reasons,
    group_pieces,
    ungroup_pieces,
)
from assent.wire.call import decision_to_json, facts_to_json, tool_to_json
from tests.gate.samples import CALL, DECISION, FACTS, TOOL, sample_approval

DIRECTORIES = CallDirectories(roots=("/project",), cwd="/project/web", home="/home/ana")
REAL_PATHS = {
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
PIECES = (
    Piece(0, Verdict.RUN, text_reason("it only reads")),
    Piece(9, Verdict.ASK, text_reason("nothing covers this"), "sh(x)"),
)
READS = "it only reads"
ASKS = "nothing covers this"
RULE = "sh(npm run *)"
PIECES = (
    Piece(0, Verdict.RUN, text_reason(READS)),
    Piece(10, Verdict.ASK, text_reason(ASKS)),
    Piece(20, Verdict.RUN, text_reason(f"allow rule `{RULE}`"), RULE),
    Piece(41, Verdict.RUN, text_reason(READS)),
    Piece(60, Verdict.ASK, text_reason(READS)),
)


def decode_encoded(approval: Approval) -> QuestionDetails:
    return QuestionDetails(
        approval.tool,
        approval.decision,
        approval.facts,
        approval.cwd,
        approval.call.cwd,
        approval.lineage,
        approval.sub_agents,
    )


@pytest.mark.parametrize(
    "approval",
    [
        sample_approval(),
        sample_approval(facts=Facts(directories=DIRECTORIES, real=REAL_PATHS), cwd="/project/web"),
        sample_approval(
            facts=Facts(directories=replace(DIRECTORIES, case_sensitive=False), trusted_repository=True)
        ),
        sample_approval(
            facts=Facts(directories=replace(DIRECTORIES, cwd="/"), real={"/": ("/",), "/etc": ("/etc",)})
        ),
        sample_approval(
            cwd="/elsewhere",
            call=replace(CALL, cwd="/elsewhere"),
            lineage=("cook", "chef"),
            sub_agents=(SubAgent("a", "b"),),
        ),
        sample_approval(cwd=""),
        sample_approval(decision=DECISION._replace(pieces=PIECES)),
        sample_approval(decision=DECISION._replace(reason=text_reason("something else"))),
        sample_approval(decision=DECISION._replace(reason=text_reason(""), steps=())),
        sample_approval(tool=Tool(name="a", effect=Effect.READ, dialect=Dialect.TEXT)),
        sample_approval(tool=replace(TOOL, paths=PathKind.ANCHORED, origin="page", reads=True, group="g")),
    ],
)
def test_an_encoded_question_is_decoded_unchanged(approval: Approval) -> None:
    assert decode_question(encode_question(approval)) == decode_encoded(approval)


def test_the_complete_json_of_earlier_versions_is_understood() -> None:
    approval = sample_approval(
        facts=Facts(directories=DIRECTORIES, real=REAL_PATHS),
        cwd="/project/web",
        decision=DECISION._replace(pieces=PIECES),
    )
    whole = {
        "tool": tool_to_json(approval.tool),
        "decision": decision_to_json(approval.decision),
        "facts": facts_to_json(approval.facts),
    }

    assert decode_question(json.dumps(whole)) == decode_encoded(approval)


def test_a_reason_that_the_deciding_step_repeats_is_stored_once() -> None:
    steps = (
        Step(Stage.MODE, Verdict.RUN, text_reason("auto runs it")),
        Step(Stage.ASK_RULE, Verdict.ASK, text_reason("a rule asks")),
        Step(Stage.ASK_RULE, Verdict.ASK, text_reason("another asks")),
    )
    first = Decision(
        verdict=Verdict.ASK, stage=Stage.ASK_RULE, reason=text_reason("a rule asks"), steps=steps
    )

    text = encode_question(sample_approval(decision=first))

    assert text.count("a rule asks") == 1
    assert decode_question(text).decision == first
    assert decode_question(
        encode_question(sample_approval(decision=first._replace(reason=text_reason("another asks"))))
    ).decision.because == ("another asks")


def test_paths_that_resolve_to_themselves_are_stored_once_and_relative() -> None:
    real = {f"/project/{name}": (f"/project/{name}",) for name in ("web", "web/ci")}

    said = json.loads(encode_question(sample_approval(facts=replace(FACTS, real=real))))

    assert (said["plain"], "real" in said["facts"]) == (["web", "web/ci"], False)


def test_a_question_with_an_equal_decision_has_the_same_text() -> None:
    again = Decision(*DECISION)

    assert encode_question(sample_approval(decision=again)) == encode_question(sample_approval())


def test_each_tool_has_its_own_text_even_if_only_its_parameters_differ() -> None:
    tools = [replace(TOOL, parameters={"type": kind}) for kind in ("object", "string")]

    texts = [encode_question(sample_approval(tool=tool)) for tool in tools]

    assert [decode_question(text).tool for text in texts] == tools


def test_pieces_with_the_same_verdict_and_reason_are_grouped() -> None:
    assert group_pieces(PIECES) == [
        ["run", READS, [0, 41]],
        ["ask", ASKS, [10]],
        ["run", f"allow rule `{RULE}`", [20], RULE],
        ["ask", READS, [60]],
    ]


@pytest.mark.parametrize("pieces", [(), PIECES[:1], PIECES])
def test_ungrouped_pieces_are_in_their_original_order(pieces: tuple[Piece, ...]) -> None:
    assert ungroup_pieces(json.loads(json.dumps(group_pieces(pieces)))) == pieces


def test_the_codes_of_reasons_are_stored_beside_the_groups() -> None:
    reads = Reason(ReasonCode.ONLY_READS)
    pieces = (
        Piece(0, Verdict.RUN, reads),
        Piece(5, Verdict.ASK, text_reason(ASKS)),
        Piece(9, Verdict.RUN, reads),
    )
    groups, reasons = group_pieces(pieces), group_piece_reasons(pieces)

    assert reasons == [{"code": "only-reads", "values": {}}, {}]
    assert ungroup_pieces(groups, reasons) == pieces
    assert ungroup_pieces(groups)[0].because == READS


def test_a_memo_computes_a_value_once_for_each_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent.stores.sql.question_text._MAX_OBJECTS", 2)
    made: list[str] = []

    def note_id(approval: Approval) -> int:
        made.append(approval.id)
        return len(made)

    memo = IdentityMemo(note_id)
    a, b, c = (replace(sample_approval(), id=id_) for id_ in "abc")

    assert [memo(a), memo(a), memo(b), memo(c), memo(a)] == [1, 1, 2, 3, 4]
