"""Tests of grants, rules, definitions and presets as JSON."""

from datetime import UTC, datetime

import pytest

from assent.config.preset import load_preset, preset_names
from assent.engine.policy.modes import MODE_VERDICTS, Mode
from assent.engine.policy.rule import RuleList
from assent.errors import InputError
from assent.gate.catalog import FieldChange
from assent.gate.definitions import DefinitionToReview, Review
from assent.gate.policy import StoredGrant, StoredRule
from assent.gate.preset import Lifetime
from assent.gate.workspaces import RegisteredWorkspace, RootProof, WantedRoot
from assent.wire.policy import (
    MODE_DESCRIPTIONS,
    definition_from_json,
    definition_to_json,
    grant_from_json,
    grant_to_json,
    preset_to_json,
    rule_from_json,
    rule_to_json,
    wanted_root_to_json,
    workspace_from_json,
    workspace_to_json,
)
from tests.gate.samples import NOW, sample_grant
from tests.wire.broken_json import required_fields, to_and_from_json, unchecked_fields

WHOLE_GRANT = sample_grant(
    conversation="c1",
    agent="clerk",
    user="ana",
    lifetime=Lifetime.UNTIL,
    boot="b1",
    until=NOW,
    uses=3,
    approval="q1",
    override=True,
    at=NOW,
)


@pytest.mark.parametrize("grant", [WHOLE_GRANT, *(sample_grant(lifetime=lifetime) for lifetime in Lifetime)])
def test_a_grant_is_parsed_to_the_original(grant: StoredGrant) -> None:
    assert grant_from_json(to_and_from_json(grant_to_json(grant))) == grant


def test_every_field_of_a_grant_is_written_under_its_own_name() -> None:
    assert list(grant_to_json(WHOLE_GRANT)) == list(StoredGrant.__dataclass_fields__)


def test_a_wrong_type_in_a_grant_is_an_error_that_names_the_field() -> None:
    assert unchecked_fields(grant_to_json(sample_grant()), "grant", grant_from_json) == []


def test_a_grant_without_a_scope_field_is_refused() -> None:
    assert required_fields(grant_to_json(WHOLE_GRANT), "grant", grant_from_json) == {
        "id", "pattern", "conversation", "agent", "user", "lifetime", "by",
    }  # fmt: skip


CHANGED = DefinitionToReview(
    origin="mcp:post",
    tool="post.send",
    agent="clerk",
    digest="0" * 64,
    review=Review.CHANGED,
    differences=(FieldChange("effect", '"read"', None), FieldChange("template", None, '"{to}"')),
)


def test_a_definition_to_review_is_parsed_to_the_original() -> None:
    assert definition_from_json(definition_to_json(CHANGED)) == CHANGED


def test_every_mode_has_its_own_description() -> None:
    assert set(MODE_DESCRIPTIONS) == set(Mode)
    assert len(set(MODE_DESCRIPTIONS.values())) == len(Mode)


def test_the_json_of_every_preset_contains_the_verdicts_of_its_modes() -> None:
    for name in preset_names():
        said = preset_to_json(load_preset(name))
        modes = said["modes"]
        assert isinstance(modes, list)

        assert [one["verdicts"] for one in modes] == [
            {effect: verdict.word for effect, verdict in MODE_VERDICTS[Mode(one["mode"])].items()}
            for one in modes
        ]


def test_a_preset_keeps_the_names_of_its_modes() -> None:
    said = preset_to_json(load_preset("workbench"))

    assert [one["shown"] for one in said["modes"]] == ["default", "plan", "accept_edits", "autonomous"]  # type: ignore[attr-defined]
    assert said["always"] == {
        "becomes": "rule", "width": "exact", "scope": "user", "lifetime": "forever", "widened": True,
    }  # fmt: skip


PLAIN_RULE = StoredRule(id="r1", list=RuleList.ALLOW, text="t(x)", by="ana")
WHOLE_RULE = StoredRule(
    id="r1",
    list=RuleList.DENY,
    text="t(x)",
    conversation="c1",
    agent="clerk",
    user="ana",
    by="ana",
    approval="q1",
    why="careful",
    at=NOW,
)


@pytest.mark.parametrize("rule", [PLAIN_RULE, WHOLE_RULE])
def test_a_rule_is_parsed_to_the_original(rule: StoredRule) -> None:
    assert rule_from_json(to_and_from_json(rule_to_json(rule))) == rule


def test_every_field_of_a_rule_is_written_under_its_own_name() -> None:
    assert list(rule_to_json(WHOLE_RULE)) == list(StoredRule.__dataclass_fields__)


def test_a_wrong_type_in_a_rule_is_an_error_that_names_the_field() -> None:
    assert unchecked_fields(rule_to_json(PLAIN_RULE), "rule", rule_from_json) == []


def test_a_rule_without_a_scope_field_is_refused() -> None:
    assert required_fields(rule_to_json(WHOLE_RULE), "rule", rule_from_json) == {
        "id", "list", "text", "conversation", "agent", "user", "by",
    }  # fmt: skip


AT = datetime(2026, 11, 18, tzinfo=UTC)


@pytest.mark.parametrize("agent", ["", "clerk"])
@pytest.mark.parametrize("remote", [True, False])
def test_a_workspace_survives_json(agent: str, remote: bool) -> None:
    workspace = RegisteredWorkspace(id="w1", agent=agent, root="/srv/a", remote=remote, by="ada", at=AT)

    assert workspace_from_json(workspace_to_json(workspace)) == workspace


@pytest.mark.parametrize("missing", ["id", "agent", "root", "remote", "by"])
def test_a_workspace_without_a_field_is_refused(missing: str) -> None:
    shown = dict(workspace_to_json(RegisteredWorkspace(id="w1", root="/srv/a", by="ada", at=AT)))
    del shown[missing]

    with pytest.raises(InputError, match=missing):
        workspace_from_json(shown)


def test_a_wanted_root_has_its_proof_or_null() -> None:
    assert wanted_root_to_json(WantedRoot("/a")) == {"root": "/a", "proof": None}
    assert wanted_root_to_json(WantedRoot("/a", RootProof("f", "t"))) == {
        "root": "/a",
        "proof": {"file": "f", "text": "t"},
    }
