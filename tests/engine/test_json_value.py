"""What a value among the arguments is."""

from assent.engine.json_value import as_list, as_object


def test_a_list_has_items_and_anything_else_has_none() -> None:
    assert as_list(["a", 1]) == ["a", 1]
    assert as_list(("a",)) == ("a",)
    assert as_list("ab") is None
    assert as_list({"a": 1}) is None


def test_an_object_has_members_and_anything_else_has_none() -> None:
    assert as_object({"a": 1}) == {"a": 1}
    assert as_object([("a", 1)]) is None
    assert as_object(None) is None
