"""Irreversible acts in words: every code has its sentence, with a name and without one."""

import pytest

from assent.cli.irreversible import sentence, warnings
from assent.engine.irreversible.act import Irreversible
from assent.engine.programs.program import Loss


@pytest.mark.parametrize("loss", Loss)
def test_every_act_has_a_sentence(loss: Loss) -> None:
    assert "`prod`" in sentence(Irreversible(loss, "namespace", "prod"))
    assert "{" not in sentence(Irreversible(loss)) + sentence(Irreversible(loss, "namespace"))


def test_a_kind_and_a_name_are_said_as_far_as_they_are_known() -> None:
    assert sentence(Irreversible(Loss.DELETES, "namespace", "prod")) == "deletes the namespace `prod`"
    assert sentence(Irreversible(Loss.DELETES, "", "prod")) == "deletes `prod`"
    assert sentence(Irreversible(Loss.DELETES, "crontab")) == "deletes the crontab"
    assert sentence(Irreversible(Loss.PUBLISHES, "", "left-pad")) == "publishes `left-pad` with a registry"


def test_nothing_hides_in_a_warning() -> None:
    (line,) = warnings([Irreversible(Loss.DELETES, "", "a\u202eb\x1b[31m")])

    assert line == "cannot be undone: deletes `a\\u202eb\\u001b[31m`"
