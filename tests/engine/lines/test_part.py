"""Parts and all that they carry."""

from assent.engine.lines.part import ParsedCall, Part


def test_every_part_is_listed_with_all_that_it_carries() -> None:
    inner = Part("c", carried=(Part("d"),))
    subject = ParsedCall((Part("a"), Part("b", carried=(inner, Part("e")))))

    assert [part.text for part in subject.all_parts] == ["a", "b", "c", "d", "e"]


def test_parts_that_carry_nothing_are_listed_as_they_are() -> None:
    parts = (Part("a"), Part("b"))

    assert ParsedCall(parts).all_parts is parts


def test_a_part_that_stands_there_again_is_listed_once() -> None:
    repeated, inner = Part("a"), Part("c")
    subject = ParsedCall((repeated, Part("b", carried=(inner, inner)), repeated))

    assert [part.text for part in subject.distinct] == ["a", "b"]
    assert [part.text for part in subject.all_parts] == ["a", "b", "c"]
