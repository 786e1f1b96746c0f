"""Each protocol has its own format of questions, and only its own approval words allow a call."""

from dataclasses import replace

import pytest

from assent.engine.base.tool import Effect
from assent.errors import InputError
from assent.gate.answer import Answer, Say
from assent.surfaces.http.routes.subscription import CHAT_CATEGORIES, PROTOCOLS, SentQuestions
from assent.wire.excerpt import make_excerpt
from assent.wire.fields import Fields
from tests.gate.samples import sample_approval

CHAT, WORKBENCH = PROTOCOLS["chat"], PROTOCOLS["workbench"]


@pytest.mark.supports("R000-1")
def test_every_effect_has_one_of_the_four_categories() -> None:
    assert set(CHAT_CATEGORIES) == set(Effect)
    assert set(CHAT_CATEGORIES.values()) == {"read", "write", "execute", "external"}


@pytest.mark.proves("R000-17")
def test_a_chat_is_asked_with_call_id_name_args_and_category() -> None:
    approval = sample_approval()
    asked = CHAT.write_question(approval)

    assert (asked["tool_call_id"], asked["name"]) == (approval.call.id, approval.call.tool)
    assert (asked["args"], asked["category"]) == (approval.call.args, CHAT_CATEGORIES[approval.tool.effect])
    assert asked["id"] == approval.id


@pytest.mark.proves("R000-24")
@pytest.mark.parametrize(
    ("word", "say"),
    [("allow", Say.ONCE), ("allow_for_chat", Say.CONVERSATION), ("deny", Say.DENY), ("", Say.DENY),
     ("Allow", Say.DENY), ("always", Say.DENY), ("allow_once", Say.DENY)],
)  # fmt: skip
def test_each_decision_word_of_the_chat_protocol_becomes_an_answer(word: str, say: Say) -> None:
    assert CHAT.read_answer(Fields({"decision": word}, "m")) == Answer(say=say)


@pytest.mark.parametrize("message", [{}, {"decision": None}, {"decision": True}, {"decision": ["allow"]}])
def test_an_unknown_decision_word_denies_the_call(message: dict[str, object]) -> None:
    with pytest.raises(InputError):
        CHAT.read_answer(Fields(message, "m"))


@pytest.mark.proves("R003-67")
def test_each_decision_word_of_the_workbench_protocol_becomes_an_answer() -> None:
    said = [
        WORKBENCH.read_answer(Fields(message, "m"))
        for message in (
            {"decision": "allow_once", "rule": "ignored"},
            {"decision": "allow_always", "rule": "Bash(make)"},
            {"decision": "allow_always"},
            {"decision": "no", "rule": "Bash"},
        )
    ]

    assert said == [
        Answer(say=Say.ONCE),
        Answer(say=Say.ALWAYS, rules=("Bash(make)",)),
        Answer(say=Say.ALWAYS),
        Answer(say=Say.DENY),
    ]


@pytest.mark.proves("T-4", "R000-23")
def test_only_a_shown_question_is_found_and_an_ambiguous_call_id_finds_none() -> None:
    shown, one = SentQuestions(), sample_approval()
    other = replace(one, id="other", call_digest="d2")
    shown.add(make_excerpt(one))
    alone = (shown.find(one.id), shown.find(one.call.id), shown.find("other"))
    shown.add(make_excerpt(other))
    both = (shown.find(one.call.id), shown.find("other"))
    shown.remove(one)
    left = (shown.find(one.id), shown.find(one.call.id))
    shown.remove(other)

    assert alone == ((one.id, one.digest), (one.id, one.digest), None)
    assert both == (None, ("other", "d2"))
    assert left == (None, ("other", "d2"))
    assert shown.find(one.call.id) is None


@pytest.mark.proves("R-27")
def test_a_clipped_question_is_remembered_as_clipped() -> None:
    shown, large = SentQuestions(), sample_approval(args={"command": "x" * 20_000})
    shown.add(make_excerpt(large))

    assert shown.find(large.id) == (large.id, large.digest)
    assert shown.is_clipped(large.id)
    shown.remove(large)
    assert not shown.is_clipped(large.id)
