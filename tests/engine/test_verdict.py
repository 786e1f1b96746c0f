"""Verdicts are ordered, stages stand as in the table, and what is locked is known."""

from assent.engine.verdict import LOCKED, ORDER, Decision, Stage, Step, Verdict


def test_the_strictest_verdict_is_the_greatest() -> None:
    assert Verdict.RUN < Verdict.ASK < Verdict.DENY < Verdict.ABSENT
    assert [verdict.word for verdict in Verdict] == ["run", "ask", "deny", "absent"]


def test_equals_are_settled_in_the_order_of_the_table() -> None:
    assert list(ORDER) == [
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
        "outside",
        "read",
        "tier",
        "grant",
        "allow-rule",
        "mode",
        "fallback",
        "unattended",
    ]
    assert [ORDER[stage] for stage in Stage] == list(range(len(Stage)))


def test_what_no_yes_can_lift_is_locked() -> None:
    assert {
        "breaker",
        "protected-path",
        "ask-rule",
        "destructive",
        "unreadable",
        "unresolved",
        "changed",
    } == LOCKED


def test_a_decision_offers_nothing_unless_it_says_so() -> None:
    decision = Decision(
        verdict=Verdict.RUN, stage=Stage.READ, because="it reads", steps=(Step(Stage.READ, Verdict.RUN, "x"),)
    )

    assert (decision.rule, decision.part, decision.always_offered) == (None, None, False)
