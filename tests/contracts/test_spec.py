"""docs/spec lists every numbered requirement once, with the tests that prove it."""

import ast

import pytest

from tests.conftest import proving_tests_by_id
from tests.contracts.tree import ROOT, parse_file
from tools import spec

CHAT_TESTS = {
    "the table of modes and effects": "gate/test_turn.py::test_the_outcome_of_a_call_depends_on_the_mode",
    "memory": "engine/policy/test_snapshot.py::test_a_grant_applies_only_in_its_scope",
    "the shape of a denial": "gate/test_calls.py::test_the_refusal_after_a_denial_has_the_persons_reason_separately",
    "the shape of a refusal in plan mode": "gate/test_calls.py::test_plan_mode_refuses_with_its_own_message",
    "the gate in each mode": "hosts/chat/test_agent_loop.py::test_the_mode_decides_what_runs",
    "pause and resume": (
        "hosts/chat/test_agent_loop.py"
        "::test_an_answer_is_recorded_before_the_model_call_and_the_clients_history_is_ignored"
    ),
    "sub-agents": "hosts/chat/test_subtask.py::test_a_subtask_runs_in_the_narrower_mode",
    "the protocol": "chat_node/test_sdk.py::test_an_approved_call_runs",
    "the menu of modes": "web/test_chat.py::test_the_mode_of_a_conversation_is_chosen_by_keyboard",
    "the mode of each conversation": (
        "web/test_thread.py::test_each_conversation_has_its_own_mode_answers_and_questions"
    ),
    "one menu instead of several": "web/test_thread.py::test_one_menu_offers_the_modes_of_the_preset",
    "the card": "web/test_thread.py::test_a_card_shows_the_arguments_and_a_yes_runs_them",
}
"""The tests that the specification of the chat requires, by their subject."""


def test_no_number_is_listed_twice() -> None:
    listed = [number for page in spec.SPEC_PAGES.values() for number in spec.row_ids(page.read_text("utf-8"))]

    assert len(listed) == len(set(listed))


def test_all_promises_are_listed() -> None:
    assert [line.rpartition(" ")[2] for line in spec.proven_count_lines([])] == ["255", "51", "38"]


def test_only_proven_requirements_are_counted() -> None:
    assert spec.proven_count_lines(["R000-1", "T-1", "T-2", "R-1", "D-1"]) == [
        "requirements proven: 1 of 255",
        "threats proven: 2 of 51",
        "faults proven: 1 of 38",
    ]


def test_the_column_of_proofs_is_rewritten() -> None:
    page = "# Page\n| T-1 | It holds. | `old` |\n| T-2 | Also. | |\n"

    assert spec.with_proofs(page, {"T-2": ["b", "a", "a"]}, {"T-1": ["c|d"]}) == (
        "# Page\n| T-1 | It holds. | in part: `c\\|d` |\n| T-2 | Also. | `a`<br>`b` |\n"
    )


def test_the_tables_name_the_current_proofs(request: pytest.FixtureRequest) -> None:
    if not _runs_whole_suite(request.config):
        pytest.skip("only a run of all tests knows all proofs")
    marked = [proving_tests_by_id(request.session.items, marker) for marker in spec.MARKERS]

    for page in spec.SPEC_PAGES.values():
        text = page.read_text("utf-8")
        assert text == spec.with_proofs(text, *marked), f"{page.name} is out of date: ./dev spec"


def _runs_whole_suite(config: pytest.Config) -> bool:
    narrowed = config.option.keyword or config.option.markexpr or config.option.lf
    return not narrowed and config.args == config.getini("testpaths")


@pytest.mark.proves("R000-51")
@pytest.mark.parametrize("subject", CHAT_TESTS)
def test_the_tests_that_the_chat_needs_exist_and_run(subject: str) -> None:
    path, _, name = CHAT_TESTS[subject].partition("::")
    functions = {
        node.name: node
        for node in parse_file(ROOT / "tests" / path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }

    assert name in functions
    assert not [one for one in functions[name].decorator_list if "skip" in ast.unparse(one)]
