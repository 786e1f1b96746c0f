"""The engine agrees with a slow and simple model of the table of stages, on many random cases."""

from random import Random

import pytest

from assent.engine.base.tool import as_list, as_object
from assent.engine.decide import decide
from tests.conftest import IS_DEEP_RUN
from tests.engine.model import expected_verdict
from tests.engine.random_cases import RandomCase, random_case

SHARDS = 20
CASES = (1_000_000 if IS_DEEP_RUN else 20_000) // SHARDS


@pytest.mark.parametrize("seed", range(SHARDS))
@pytest.mark.proves("T-26", "R003-21", "R004-12")
def test_the_engine_agrees_with_the_model_of_its_table(seed: int) -> None:
    random = Random(seed)
    casts = (random_case(random) for _ in range(CASES))

    wrong = [told for one in casts if (told := find_disagreement(one))]

    assert len(wrong) == 0, f"seed {seed}: {len(wrong)} of {CASES} cases\n" + "\n\n".join(wrong[:3])


def find_disagreement(cast: RandomCase) -> str | None:
    """A description of the difference between engine and model; None if they agree."""
    decision = decide(cast.sample.call, cast.snapshot, cast.facts)
    wanted = expected_verdict(cast.situation)
    if (decision.verdict, decision.stage) == wanted:
        return None
    steps = "\n".join(f"    {step.stage}: {step.verdict.word}, {step.because}" for step in decision.steps)
    said = f"{decision.verdict.word} at {decision.stage}"
    lists = "\n".join(f"    {policy.rules.lists}" for policy in cast.snapshot.lineage())
    return (
        f"{cast.sample.name}: {said}, not {wanted[0].word} at {wanted[1]}\n{steps}\n{cast.situation}\n{lists}"
    )


def test_a_list_has_items_and_anything_else_has_none() -> None:
    assert as_list(["a", 1]) == ["a", 1]
    assert as_list(("a",)) == ("a",)
    assert as_list("ab") is None
    assert as_list({"a": 1}) is None


def test_an_object_has_members_and_anything_else_has_none() -> None:
    assert as_object({"a": 1}) == {"a": 1}
    assert as_object([("a", 1)]) is None
    assert as_object(None) is None
