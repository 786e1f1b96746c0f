"""Reading, listing and searching files: clear results within limits."""

import os
from pathlib import Path

import pytest

from assent.hosts.chat.tools.file_reading import list_files_tool, read_file_tool, search_files_tool
from tests.hosts.chat.tools.support import make_context, make_limits, succeeded_and_text, workspace


async def test_a_file_is_read_without_changes(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "a.txt").write_text("one\ntwo – zwölf\n", "utf-8")

    result = await read_file_tool().run_call({"path": "a.txt"}, make_context(root))

    assert succeeded_and_text(result) == (True, "one\ntwo – zwölf")
    assert result.data == {"path": "a.txt", "offset": 1, "lines": 2}


async def test_a_long_file_is_read_in_pages(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 101)), "utf-8")
    context = make_context(root)

    first = await read_file_tool().run_call({"path": "a.txt", "limit": 2}, context)
    last = await read_file_tool().run_call({"path": "a.txt", "offset": 99}, context)
    behind = await read_file_tool().run_call({"path": "a.txt", "offset": 101}, context)

    assert first.text == "line 1\nline 2\n… 778 more bytes; go on with offset 3"
    assert succeeded_and_text(last) == (True, "line 99\nline 100")
    assert succeeded_and_text(behind) == (False, "`a.txt` has fewer than 101 lines")


async def test_reading_a_page_of_a_huge_file_is_cheap(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    with (root / "big.txt").open("wb") as file:
        for _ in range(100):
            file.write((b"x" * 99 + b"\n") * 10_000)

    result = await read_file_tool().run_call({"path": "big.txt"}, make_context(root))
    far = await read_file_tool().run_call(
        {"path": "big.txt", "offset": 1_000_000, "limit": 1}, make_context(root)
    )

    assert not result.failed
    assert len(result.text) <= 40_000
    assert "more bytes; go on with offset" in result.text
    assert far.text == "x" * 99


async def test_a_very_long_line_is_truncated(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "line.json").write_text("y" * 200_000, "utf-8")

    result = await read_file_tool().run_call(
        {"path": "line.json"}, make_context(root, limits=make_limits(characters=1_000))
    )

    assert result.text == "y" * 800 + "\n… 199,200 more bytes; go on with offset 2"


@pytest.mark.parametrize(
    "content", [b"\x7fELF\0\0\x01", b"\xff\xfe" + b"a\0" * 50, bytes(range(128, 256)) * 20]
)
async def test_a_binary_file_is_reported_as_binary(tmp_path: Path, content: bytes) -> None:
    root = workspace(tmp_path)
    (root / "a.bin").write_bytes(content)

    result = await read_file_tool().run_call({"path": "a.bin"}, make_context(root))

    assert succeeded_and_text(result) == (
        False,
        f"`a.bin` is a binary file of {len(content):,} bytes, which is not shown",
    )


async def test_a_file_with_a_few_invalid_bytes_is_still_text(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "latin.txt").write_bytes("Das Café an der Fähre.".encode("latin-1"))

    result = await read_file_tool().run_call({"path": "latin.txt"}, make_context(root))

    assert succeeded_and_text(result) == (True, "Das Caf� an der F�hre.")


async def test_missing_files_directories_and_unreadable_files_have_different_errors(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "sub").mkdir()
    context = make_context(root)

    assert succeeded_and_text(await read_file_tool().run_call({"path": "no.txt"}, context)) == (
        False,
        "there is no `no.txt`",
    )
    assert succeeded_and_text(await read_file_tool().run_call({"path": "sub"}, context)) == (
        False,
        "`sub` is a directory",
    )
    assert succeeded_and_text(await list_files_tool().run_call({"path": "no"}, context)) == (
        False,
        "there is no `no`",
    )


async def test_a_directory_listing_shows_the_kind_of_each_entry(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "sub" / "deep").mkdir(parents=True)
    (root / "sub" / "deep" / "b.py").write_text("x = 1\n", "utf-8")
    (root / "a.txt").write_text("abc", "utf-8")
    (root / "link").symlink_to("/etc")
    (root / "node_modules" / "left-pad").mkdir(parents=True)
    context = make_context(root)

    flat = await list_files_tool().run_call({}, context)
    deep = await list_files_tool().run_call({"recursive": True, "pattern": "*.py"}, context)

    assert flat.text == "a.txt  3 bytes\nlink@\nnode_modules/\nsub/"
    assert deep.text == "sub/deep/b.py  6 bytes"


async def test_a_large_directory_names_the_number_of_missing_entries(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    for number in range(30):
        (root / f"{number:02}").touch()

    result = await list_files_tool().run_call({}, make_context(root, limits=make_limits(entries=2)))

    assert result.text == "00  0 bytes\n01  0 bytes\n… 28 more"
    assert result.data["count"] == 30


async def test_a_search_returns_each_line_with_its_file_and_number(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "src").mkdir()
    (root / "src" / "a.py").write_text("import os\n\ndef Heron():\n    pass\n", "utf-8")
    (root / "b.txt").write_text("a heron\n", "utf-8")
    (root / "c.bin").write_bytes(b"heron\0")
    context = make_context(root)

    exact = await search_files_tool().run_call({"text": "heron"}, context)
    folded = await search_files_tool().run_call(
        {"text": "HERON", "ignore_case": True, "pattern": "*.py"}, context
    )
    one = await search_files_tool().run_call({"text": "heron", "path": "b.txt"}, context)

    assert exact.text == "b.txt:1: a heron"
    assert folded.text == "src/a.py:3: def Heron():"
    assert one.text == "b.txt:1: a heron"


async def test_a_search_cannot_bypass_the_approval_for_a_secret_file(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / ".env").write_text("TOKEN=hunter2\n", "utf-8")
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")

    result = await search_files_tool().run_call({"text": "hunter2"}, make_context(root))
    linked = await search_files_tool().run_call({"text": "business"}, make_context(root))

    assert "no line matches\n(1 files are left out: they hold secrets" in result.text
    assert "hunter2" not in result.text.replace("`hunter2`", "")
    assert linked.data["hits"] == []


async def test_a_search_that_finds_too_much_stops(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "a.txt").write_text("x\n" * 5_000, "utf-8")

    result = await search_files_tool().run_call({"text": "x"}, make_context(root))

    assert result.text.endswith("… more than 200 lines match")
    assert len(result.text.splitlines()) == 201


async def test_a_file_without_read_permission_is_refused_with_a_clear_message(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / "locked").write_text("x", "utf-8")
    (root / "locked").chmod(0)
    if os.geteuid() == 0:  # Root reads everything: there is nothing to refuse.
        (root / "locked").unlink()

    result = await read_file_tool().run_call({"path": "locked"}, make_context(root))

    assert result.failed
    assert result.text in ("`locked` may not be opened: permission denied", "there is no `locked`")
