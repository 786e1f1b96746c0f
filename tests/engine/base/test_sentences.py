"""Every reason has a sentence, in which every value has its place."""

import re

import pytest

from assent.engine.base.reason import Reason, ReasonCode, make_reason, text_reason
from assent.engine.base.sentences import ADVICE, SENTENCES, is_complete, to_model_message, to_sentence


def values_of(code: ReasonCode) -> dict[str, str]:
    return {name: f"<{name}>" for name in re.findall(r"\{(\w+)\}", SENTENCES[code])}


@pytest.mark.parametrize("code", ReasonCode)
def test_every_code_has_a_sentence_with_all_its_values(code: ReasonCode) -> None:
    values = values_of(code) | {"cause": ReasonCode.MODE_ASKS.value, "mode": "<mode>", "effect": "<effect>"}

    sentence = to_sentence(make_reason(code, **values))

    assert all(value in sentence for name, value in values_of(code).items() if name != "cause")
    assert not re.search(r"[{}\[\]]|\.$", sentence)


def test_a_piece_in_brackets_is_left_out_without_its_value() -> None:
    values = {"rule": "sh(rm *)", "source": "assent.toml, line 2"}

    assert (
        to_sentence(make_reason(ReasonCode.DENY_RULE, **values))
        == "deny rule `sh(rm *)` (assent.toml, line 2)"
    )
    assert to_sentence(make_reason(ReasonCode.DENY_RULE, **values, why="no [rm] {today}")) == (
        "deny rule `sh(rm *)` (assent.toml, line 2): no [rm] {today}"
    )


def test_an_effect_is_shown_in_words() -> None:
    asks = make_reason(ReasonCode.MODE_ASKS, mode="default", effect="execute")

    assert to_sentence(asks) == "default mode asks before running commands"
    assert to_sentence(make_reason(ReasonCode.MODE_ASKS, mode="default", effect="x")).endswith("before x")


def test_a_question_that_nobody_can_answer_names_its_cause() -> None:
    values = {"cause": "protected-path", "program": ">", "path": ".envrc"}

    assert to_sentence(make_reason(ReasonCode.NOBODY_TO_ASK, **values)) == (
        "no person can be reached to approve it: `>` would change `.envrc`, which is protected: every change to it needs approval"
    )


@pytest.mark.parametrize(
    ("reason", "complete"),
    [
        (text_reason("why"), True),
        (Reason(ReasonCode.TEXT), False),
        (Reason(ReasonCode.ONLY_READS), True),
        (Reason(ReasonCode.GRANT), False),
        (make_reason(ReasonCode.DENY_RULE, rule="r", source="s"), True),
        (make_reason(ReasonCode.NOBODY_TO_ASK, cause="only-reads"), True),
        (make_reason(ReasonCode.NOBODY_TO_ASK, cause="grant"), False),
        (make_reason(ReasonCode.NOBODY_TO_ASK, cause="nobody-to-ask"), False),
        (make_reason(ReasonCode.NOBODY_TO_ASK, cause="else"), False),
        (Reason(ReasonCode.NOBODY_TO_ASK), False),
    ],
)
def test_a_reason_from_elsewhere_is_used_only_with_all_its_values(reason: Reason, complete: bool) -> None:
    assert is_complete(reason) is complete


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        (
            make_reason(ReasonCode.READS_OUTSIDE, program="cat", path="../x"),
            "`cat` reads `../x`, which is outside the workspace; name a path inside the workspace",
        ),
        (
            make_reason(ReasonCode.UNKNOWN_VALUE, part="rm $X", value="$X"),
            "the value of `$X` in `rm $X` is unknown; write the value itself instead of `$X`",
        ),
        (
            make_reason(ReasonCode.NOBODY_TO_ASK, cause="plan-only-reads"),
            "no person can be reached to approve it: plan mode only reads; describe what you would do",
        ),
        (make_reason(ReasonCode.ABSENT_DESTRUCTIVE_TOOL, tool="db.drop"), None),
    ],
)
def test_the_message_to_the_model_says_what_to_do_instead(reason: Reason, message: str | None) -> None:
    assert to_model_message(reason) == (message or to_sentence(reason))


def test_advice_names_only_values_of_its_reason() -> None:
    for code, advice in ADVICE.items():
        assert values_in(advice) <= values_in(SENTENCES[code])


def values_in(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))
