"""Limits are held against what is in the database and what the same batch did before."""

from dataclasses import replace
from pathlib import Path

import pytest

from assent.errors import LimitError
from assent.gate.approval import State
from assent.gate.ports import Limits, Moment
from assent.stores.batch import Add
from assent.stores.counts import Counts
from tests.gate.samples import DAY, NOW, an_approval, in_state
from tests.stores.database import transaction
from tests.stores.promises.given import MANY
from tests.stores.test_batch import done

TWO = Limits(pending=2, denials=2, lasting=DAY)


def test_a_step_counts_for_the_pieces_after_it() -> None:
    counts = Counts()
    asked = an_approval()
    counts.ask(asked, TWO, 100)
    counts.ask(asked, TWO, 100)

    with pytest.raises(LimitError, match="agent `clerk`, with its sub-agents, already has 2 questions"):
        counts.ask(asked, TWO, 100)
    counts.move(asked, in_state(State.DENIED))
    counts.move(asked, in_state(State.DENIED))
    with pytest.raises(LimitError, match="denied 2 times in this turn"):
        counts.ask(asked, TWO, 100)
    with pytest.raises(LimitError, match="this call was denied 2 times of late"):
        counts.ask(replace(asked, turn="t2"), TWO, 100)


@pytest.mark.proves("T-41")
def test_a_denial_counts_for_as_long_as_the_limits_say(tmp_path: Path) -> None:
    old = in_state(State.DENIED, answered_at=NOW - DAY)
    done(tmp_path / "a.db", *(Add(id_, lambda _, id_=id_: replace(old, id=id_), MANY) for id_ in "ab"))

    with transaction(tmp_path / "a.db") as connection:
        counts = Counts()
        asked = an_approval(turn="t2")
        counts.learn(connection, Moment(NOW, 1), [(asked, TWO)])
        counts.ask(asked, TWO, 100)
        longer = TWO._replace(lasting=2 * DAY)
        counts = Counts()
        counts.learn(connection, Moment(NOW, 1), [(asked, longer)])
        with pytest.raises(LimitError, match="of late"):
            counts.ask(asked, longer, 100)
