"""Facts as JSON."""

import pytest

from assent.engine.facts import Facts, Place
from assent.errors import InputError
from assent.wire.call import facts_from_json, facts_to_json
from tests.gate.samples import FACTS
from tests.wire.spoiling import Json, demanded, through_json, unnoticed

WHOLE = Facts(
    place=Place(roots=("/a", "/b"), cwd="/a/x", home="/home/ana", case_sensitive=False),
    real={"/a/x": ("/b/y", "/b/z"), "/none": (), "/a/\udcff": ("/a/\udcff",)},
    contents={"/a/x": "0" * 64},
    trusted_repository=True,
)
DATA = facts_to_json(WHOLE)


@pytest.mark.parametrize("facts", [WHOLE, FACTS])
def test_facts_come_back_as_they_were_even_names_that_are_no_text(facts: Facts) -> None:
    assert facts_from_json(through_json(facts_to_json(facts))) == facts


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    place = DATA["place"]
    assert isinstance(place, dict)

    def read_place(data: object) -> object:
        return facts_from_json({**DATA, "place": data})

    assert unnoticed(DATA, "facts", facts_from_json) == []
    assert unnoticed(Json(place), "facts.place", read_place) == []
    assert demanded(Json(place), "facts.place", read_place) == {"roots", "cwd"}


def test_facts_need_a_place_and_what_is_real() -> None:
    assert demanded(DATA, "facts", facts_from_json) == {"place", "real"}


def test_facts_that_were_kept_before_files_were_read_hold_no_digests() -> None:
    old = {name: value for name, value in DATA.items() if name != "contents"}

    assert facts_from_json(old).contents == {}


def test_what_a_path_stands_for_is_a_list_of_paths() -> None:
    with pytest.raises(InputError, match=r"`facts\.real\./x` must be a list of strings"):
        facts_from_json({**DATA, "real": {"/x": ["/y", 7]}})
