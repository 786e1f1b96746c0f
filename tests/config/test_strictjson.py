"""The strict JSON parser refuses documents that other parsers might read differently."""

import json

import pytest

from assent.config.strictjson import MAX_DEPTH, MAX_JSON_BYTES, JsonLimiter, read_json, read_object
from assent.errors import InputError

REFUSED_DOCUMENTS = {
    "duplicate key": b'{"deny": ["rm"], "deny": []}',
    "duplicate key, spelled otherwise": b'{"a": 1, "\\u0061": 2}',
    "duplicate key deep inside": b'[{"x": {"a": 1, "a": 1}}]',
    "NaN": b'{"a": NaN}',
    "Infinity": b"[Infinity]",
    "negative infinity": b"[-Infinity]",
    "a number without end": b"[1e999]",
    "half a pair": b'{"a": "\\ud800"}',
    "half a pair and nothing else": b'"\\ud800"',
    "half a pair as a key": b'{"\\udc00": 1}',
    "invalid UTF-8": b'"\xff"',
    "a raw surrogate": b'"\xed\xa0\x80"',
    "a byte order mark": b"\xef\xbb\xbf{}",
    "a raw control character": b'"a\x00b"',
    "a whole number of 5,000 digits": b"9" * 5_000,
    "two documents": b"{} {}",
    "nothing": b"",
    "a comment": b"{} // x",
    "a trailing comma": b"[1,]",
    "single quotes": b"{'a': 1}",
    "ten thousand levels": b"[" * 10_000 + b"]" * 10_000,
}


@pytest.mark.proves("T-35", "R-18")
@pytest.mark.parametrize("data", REFUSED_DOCUMENTS.values(), ids=REFUSED_DOCUMENTS)
def test_an_ambiguous_document_is_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        read_json(data)


@pytest.mark.parametrize(
    "text", ["{}", '{"a": [1, 2.5, true, null, "\\u00e9 \\ud83d\\ude00"]}', '"é"', "-0", '"\\u00e9"']
)
def test_ordinary_json_is_parsed(text: str) -> None:
    assert read_json(text.encode()) == json.loads(text)


@pytest.mark.proves("T-35")
@pytest.mark.parametrize("kind", ["[]", "{}"])
def test_depth_is_counted_exactly(kind: str) -> None:
    opening = "[" if kind == "[]" else '{"a":'
    closing = kind[1]

    def make_nested(levels: int) -> bytes:
        return (opening * (levels - 1) + kind + closing * (levels - 1)).encode()

    read_json(make_nested(MAX_DEPTH))
    with pytest.raises(InputError, match="nested deeper than 64 levels"):
        read_json(make_nested(MAX_DEPTH + 1))


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert read_json(b"[" + b"[]," * 500 + b"[]]") == [[]] * 501


@pytest.mark.proves("R-18")
def test_an_oversized_document_is_refused_before_parsing() -> None:
    with pytest.raises(InputError, match="larger than"):
        read_json(b'"' + b"a" * MAX_JSON_BYTES + b'"', "the line")


def test_an_error_names_the_source_and_the_position() -> None:
    with pytest.raises(InputError) as caught:
        read_json(b'{"a": 1,\n "b" 2}', "the line")

    assert str(caught.value) == "the line is not JSON: expecting ':' delimiter at line 2, column 6"


def test_a_repeated_key_is_named() -> None:
    with pytest.raises(InputError, match="duplicate key `deny`"):
        read_json(b'{"allow": [], "deny": [1], "deny": []}')


@pytest.mark.parametrize("data", [b"[]", b'"x"', b"1", b"null"])
def test_a_document_that_must_be_an_object_is_checked(data: bytes) -> None:
    with pytest.raises(InputError, match="must be a JSON object"):
        read_object(data)


def test_a_repeated_key_among_many_is_found_quickly() -> None:
    names = ",".join(f'"{number}":0' for number in range(200_000))

    with pytest.raises(InputError, match="duplicate key `199999`"):
        read_json(f'{{{names},"199999":0}}'.encode())


def count_pieces(data: bytes, most: int, piece: int = 1) -> None:
    measure = JsonLimiter(most)
    for start in range(0, len(data), piece):
        measure.count_piece(data[start : start + piece])


@pytest.mark.proves("T-35")
@pytest.mark.parametrize(
    ("data", "values"),
    [
        (b"1", 1),
        (b'"a, [b] {c}"', 1),
        (rb'"say \"a, b\" \\"', 1),
        (rb'["\\", ",", "\\\","]', 4),
        (b'{"a": 1, "b": [1, 2]}', 5),
        (b'[[1], {"a": "x"}]', 5),
        (b"[[], {}]", 5),
    ],
)
@pytest.mark.parametrize("piece", [1, 2, 3, 100])
def test_values_are_counted_independently_of_the_piece_size(data: bytes, values: int, piece: int) -> None:
    count_pieces(data, values, piece)
    if values > 1:
        with pytest.raises(InputError, match=f"more than {values - 1} values"):
            count_pieces(data, values - 1, piece)


@pytest.mark.proves("T-35")
def test_a_too_deep_document_is_refused_before_its_end() -> None:
    measure = JsonLimiter(1000)
    measure.count_piece(b"[" * MAX_DEPTH)

    with pytest.raises(InputError, match=f"deeper than {MAX_DEPTH} levels"):
        measure.count_piece(b"{")
    count_pieces(b"[]" * 200, 1000)
