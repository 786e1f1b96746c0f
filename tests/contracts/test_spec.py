"""docs/spec lists every numbered requirement once, with the tests that prove it."""

import pytest

from tests.conftest import proving_tests_by_id
from tools import spec


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
