"""A value behaves like a frozen dataclass."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Mapping

import pytest

from assent.engine.base.value import Value, replace


class Point(Value):
    """A value with two coordinates."""

    x: int
    y: int = 2
    notes: Mapping[str, str] = dict[str, str]()

    @property
    def sum(self) -> int:
        return self.x + self.y


class OtherPoint(Value):
    """A value with the same fields and another name."""

    x: int
    y: int = 2
    notes: Mapping[str, str] = dict[str, str]()


HERE = Point(x=1, notes={"a": "b"})


def test_fields_are_given_by_name_and_have_defaults() -> None:
    assert (HERE.x, HERE.y, HERE.notes, HERE.sum) == (1, 2, {"a": "b"}, 3)


def test_values_are_equal_if_class_and_all_fields_are_equal() -> None:
    assert Point(x=1) == Point(x=1, y=2)
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != OtherPoint(x=1)
    assert Point(x=1) != (1, 2, {})


def test_equal_values_have_one_hash_if_all_fields_are_hashable() -> None:
    class Key(Value):
        name: str

    assert len({Key(name="a"), Key(name="a"), Key(name="b")}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(HERE)


def test_the_representation_names_the_class_and_its_fields() -> None:
    assert repr(HERE) == "Point(x=1, y=2, notes={'a': 'b'})"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "Point needs, or does not have, x"),
        ({"x": 1, "z": 3}, "Point needs, or does not have, z"),
        ({"z": 3}, "Point needs, or does not have, x, z"),
    ],
)
def test_a_field_that_is_missing_or_unknown_is_an_error(given: dict[str, int], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Point(**given)  # type: ignore[arg-type]


def test_fields_cannot_be_passed_by_position() -> None:
    with pytest.raises(TypeError):
        Point(1)  # type: ignore[misc]


def test_a_value_does_not_change() -> None:
    with pytest.raises(AttributeError, match="`x` of a value does not change"):
        HERE.x = 5  # type: ignore[misc]
    with pytest.raises(AttributeError, match="`x` of a value does not change"):
        del HERE.x  # type: ignore[misc]
    with pytest.raises(AttributeError, match="`z` of a value does not change"):
        HERE.z = 5  # type: ignore[attr-defined]


@pytest.mark.parametrize("change", [replace, dataclasses.replace])
def test_replacing_fields_creates_a_new_value(change: object) -> None:
    assert callable(change)
    assert change(HERE, x=7) == Point(x=7, notes={"a": "b"})
    with pytest.raises(TypeError):
        change(HERE, z=7)


def test_the_dataclasses_module_finds_its_fields() -> None:
    described = dataclasses.fields(Point)

    assert dataclasses.is_dataclass(Point)
    assert [(field.name, field.type, field.kw_only) for field in described] == [
        ("x", int, True), ("y", int, True), ("notes", Mapping[str, str], True),
    ]  # fmt: skip
    assert described[0].default_factory is dataclasses.MISSING
    assert described[1].default_factory() == 2  # type: ignore[misc]
    assert dataclasses.asdict(HERE) == {"x": 1, "y": 2, "notes": {"a": "b"}}


def test_it_can_be_copied_and_sent_to_another_process() -> None:
    assert copy.deepcopy(HERE) == HERE
    assert pickle.loads(pickle.dumps(HERE)) == HERE


def test_a_value_has_no_other_attributes() -> None:
    assert not hasattr(HERE, "__dict__")


def test_deciding_does_not_load_the_dataclasses_module() -> None:
    program = "import sys, assent.engine.decide; sys.exit('dataclasses' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
