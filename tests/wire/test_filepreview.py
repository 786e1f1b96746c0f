"""A file preview as JSON."""

from assent.gate.file_preview import FilePreview, FileState
from assent.wire.approval import file_from_json, file_to_json, file_to_public_json
from tests.wire.spoiling import demanded, through_json, unnoticed

FILE = FilePreview(
    path="a.txt", state=FileState.CHANGED, digest="cd" * 32, diff="-a", added=1, removed=2, lines=3, changes=1
)
DATA = file_to_json(FILE)


def test_a_preview_comes_back_as_it_was() -> None:
    assert file_from_json(through_json(DATA)) == FILE


def test_a_list_carries_all_but_the_diff() -> None:
    assert {**file_to_public_json(FILE), "diff": "-a"} == DATA


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    assert unnoticed(DATA, "file", file_from_json) == []


def test_what_says_nothing_of_the_file_is_no_preview() -> None:
    assert demanded(DATA, "file", file_from_json) == {"path", "state", "digest"}
