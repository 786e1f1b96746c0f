"""`assent modes` prints the very table that decides."""

import json

import pytest

from assent.engine.model import Effect
from assent.engine.modes import MODE_ALIASES, MODE_VERDICTS, Mode
from tests.cli.running import Place


@pytest.mark.proves("R000-6")
def test_every_cell_is_printed_from_the_table(place: Place) -> None:
    lines = place.run("modes").lines

    assert lines[0].split() == ["mode", *Effect]
    assert [line.split() for line in lines[1:5]] == [
        [mode, *(verdict.word for verdict in MODE_VERDICTS[mode].values())] for mode in Mode
    ]


def test_columns_stand_under_their_heads(place: Place) -> None:
    head, *rows = place.run("modes").lines[:5]

    for effect in Effect:
        at = head.index(f" {effect}") + 1
        assert [row[at - 1] for row in rows] == [" "] * 4
        assert all(row[at] != " " for row in rows)


def test_other_spellings_are_shown(place: Place) -> None:
    shown = place.run("modes").out

    assert [word for word in MODE_ALIASES if word not in shown] == []


def test_json_says_the_same(place: Place) -> None:
    found = json.loads(place.run("modes", "--json").out)

    assert found["modes"] == {
        mode: {effect: verdict.word for effect, verdict in row.items()} for mode, row in MODE_VERDICTS.items()
    }
    assert found["aliases"] == MODE_ALIASES
