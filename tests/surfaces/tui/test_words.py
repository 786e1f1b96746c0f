"""Every irreversible act has a sentence, with the names that are known."""

import pytest

from assent.engine.irreversible.act import IrreversibleAct
from assent.engine.programs.losses import Loss
from assent.surfaces.tui.words import act_sentence


@pytest.mark.parametrize("loss", Loss)
def test_every_irreversible_act_has_a_sentence(loss: Loss) -> None:
    assert "`prod`" in act_sentence(IrreversibleAct(loss, "namespace", "prod"))
    assert "{" not in act_sentence(IrreversibleAct(loss)) + act_sentence(IrreversibleAct(loss, "namespace"))


def test_a_sentence_contains_kind_and_name_if_they_are_known() -> None:
    assert act_sentence(IrreversibleAct(Loss.DELETES, "namespace", "prod")) == "deletes the namespace `prod`"
    assert act_sentence(IrreversibleAct(Loss.DELETES, "", "prod")) == "deletes `prod`"
    assert act_sentence(IrreversibleAct(Loss.DELETES, "crontab")) == "deletes the crontab"
    assert (
        act_sentence(IrreversibleAct(Loss.PUBLISHES, "", "left-pad"))
        == "publishes `left-pad` with a registry"
    )
