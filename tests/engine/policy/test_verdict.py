"""Verdicts are ordered, stages are in the order of the table, and locked stages are known."""

from assent.engine.base.reason import text_reason
from assent.engine.policy.verdict import STAGE_ORDER, Decision, Piece, Stage, Step, Verdict


def test_the_strictest_verdict_is_the_greatest() -> None:
    assert Verdict.RUN < Verdict.ASK < Verdict.DENY < Verdict.ABSENT
    assert [verdict.word for verdict in Verdict] == ["run", "ask", "deny", "absent"]


def test_among_equal_verdicts_the_order_of_the_stages_decides() -> None:
    assert list(STAGE_ORDER) == [
        "unknown",
        "unauthorized",
        "blocked",
        "deny-rule",
        "plan",
        "breaker",
        "protected-path",
        "ask-rule",
        "destructive",
        "unreadable",
        "unresolved",
        "changed",
        "paused",
        "outside",
        "read",
        "tier",
        "grant",
        "allow-rule",
        "mode",
        "fallback",
        "unattended",
    ]
    assert [STAGE_ORDER[stage] for stage in Stage] == list(range(len(Stage)))


def test_a_stage_that_no_approval_lifts_is_locked() -> None:
    assert {stage for stage in Stage if stage.is_locked} == {
        "breaker",
        "protected-path",
        "ask-rule",
        "destructive",
        "unreadable",
        "unresolved",
        "changed",
    }


def test_a_decision_does_not_offer_always_by_default() -> None:
    decision = Decision(
        verdict=Verdict.RUN,
        stage=Stage.READ,
        reason=text_reason("it reads"),
        steps=(Step(Stage.READ, Verdict.RUN, text_reason("x")),),
    )

    assert (decision.rule, decision.part, decision.always_offered) == (None, None, False)


def test_a_decision_shows_whether_a_pause_is_its_only_reason() -> None:
    paused = Step(Stage.PAUSED, Verdict.ASK, text_reason("ada paused every agent"))
    runs, asks = (
        Step(Stage.MODE, Verdict.RUN, text_reason("auto")),
        Step(Stage.MODE, Verdict.ASK, text_reason("default")),
    )
    only = Decision(verdict=Verdict.ASK, stage=Stage.PAUSED, reason=text_reason(""), steps=(paused, runs))
    both = Decision(verdict=Verdict.ASK, stage=Stage.PAUSED, reason=text_reason(""), steps=(paused, asks))
    neither = Decision(verdict=Verdict.ASK, stage=Stage.MODE, reason=text_reason(""), steps=(asks,))

    assert [(one.is_paused, one.is_only_paused) for one in (only, both, neither)] == [
        (True, True),
        (True, False),
        (False, False),
    ]


def test_a_piece_says_its_reason_in_a_sentence() -> None:
    assert Piece(0, Verdict.ASK, text_reason("nothing covers this")).because == "nothing covers this"
