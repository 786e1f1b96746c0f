"""The one switch as JSON."""

import pytest

from assent.gate.current import Pause
from assent.wire.pause import pause_from_json, pause_to_json
from tests.gate.samples import NOW
from tests.wire.spoiling import demanded, through_json


@pytest.mark.parametrize("pause", [None, Pause("ada", NOW)])
def test_the_switch_comes_back_as_it_was(pause: Pause | None) -> None:
    assert pause_from_json(through_json(pause_to_json(pause))) == pause


def test_who_and_since_when_must_be_said() -> None:
    data = pause_to_json(Pause("ada", NOW))

    assert list(data) == ["paused", "by", "since"]
    assert demanded(data, "switch", pause_from_json) == {"paused", "by", "since"}
