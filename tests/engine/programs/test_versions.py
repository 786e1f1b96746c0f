"""Programs that run code may print their version without asking."""

import pytest

from assent.engine.programs.flags import parse_flags
from assent.engine.programs.program import Reads
from tests.engine.programs.lines import PROGRAMS, find_line_reads

VERSIONS = {name: entry for name, entry in PROGRAMS.items() if isinstance(entry, Reads) and entry.only}
"""Programs that only print information about themselves, with one flag as the only word."""


@pytest.mark.parametrize("program", VERSIONS)
def test_a_program_prints_its_version_without_asking(program: str) -> None:
    flags = parse_flags(VERSIONS[program].flags).known

    assert [
        flag for flag in flags if "-version" in flag and find_line_reads(f"{program} {flag}") is None
    ] == []


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("program", VERSIONS)
def test_a_version_flag_with_other_words_is_refused(program: str) -> None:
    flag = next(iter(parse_flags(VERSIONS[program].flags).known))

    assert find_line_reads(f"{program} {flag}") is not None
    assert find_line_reads(program) is None
    assert find_line_reads(f"{program} {flag} {flag}") is None
    assert find_line_reads(f"{program} {flag} x") is None
    assert find_line_reads(f"{program} x {flag}") is None
    assert find_line_reads(f"{program} {flag}=x") is None


@pytest.mark.parametrize("line", ["cargo --version", "yarn --version", "pytest --version", "dotnet --info"])
def test_a_directory_that_may_name_another_version_must_be_trusted(line: str) -> None:
    found = find_line_reads(line)

    assert found is not None
    assert found.needs_trust


@pytest.mark.parametrize("line", ["node --version", "python3 -V", "java -version", "zig version", "gcc -v"])
def test_other_programs_need_no_trust(line: str) -> None:
    found = find_line_reads(line)

    assert found is not None
    assert not found.needs_trust
