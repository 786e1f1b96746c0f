"""A preset in JSON tells a person what its modes mean."""

from assent.config.preset import load_preset, preset_names
from assent.engine.modes import MODE_VERDICTS, Mode
from assent.wire.policy import MODE_DESCRIPTIONS, preset_to_json


def test_every_mode_has_a_sentence_of_its_own() -> None:
    assert set(MODE_DESCRIPTIONS) == set(Mode)
    assert len(set(MODE_DESCRIPTIONS.values())) == len(Mode)


def test_every_shipped_preset_says_the_table_of_its_modes() -> None:
    for name in preset_names():
        said = preset_to_json(load_preset(name))
        modes = said["modes"]
        assert isinstance(modes, list)

        assert [one["verdicts"] for one in modes] == [
            {effect: verdict.word for effect, verdict in MODE_VERDICTS[Mode(one["mode"])].items()}
            for one in modes
        ]


def test_a_preset_keeps_the_words_that_it_shows() -> None:
    said = preset_to_json(load_preset("workbench"))

    assert [one["shown"] for one in said["modes"]] == ["default", "plan", "accept_edits", "autonomous"]  # type: ignore[attr-defined]
    assert said["always"] == {
        "becomes": "rule", "width": "exact", "scope": "user", "lifetime": "forever", "widened": True,
    }  # fmt: skip
