"""A filter of jq or yq reads only the given files."""

import pytest

from assent.engine.programs.checks.jq import check_jq, check_yq
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.programs.lines import files_read_by, find_line_reads, split_lines

FILES = {
    "jq . a.json": ["a.json"],
    "jq -r '.a[] | .b' a.json ../b.json": ["a.json", "../b.json"],
    "jq -nr '1 + 1'": [],
    "jq --arg n x '.[$n]' a.json": ["a.json"],
    "jq --arg n $X '.[$n]' a.json": ["a.json"],
    "jq --argjson n 1 --indent 2 . a.json": ["a.json"],
    "jq --slurpfile x ../x.json . a.json": ["../x.json", "a.json"],
    "jq --rawfile x /etc/passwd . a.json": ["/etc/passwd", "a.json"],
    "jq -n '$ARGS' --args /etc/passwd": [],
    "jq . $*": [UNKNOWN_MARK],
    "jq --version": [],
    "jq '.env' a.json": ["a.json"],
    "jq '.spec.containers[].env[]' a.json": ["a.json"],
    "jq '{env: .a, x: .\"env\"}' a.json": ["a.json"],
    "jq '$env' a.json": ["a.json"],
    "yq .a a.yml": ["a.yml"],
    "yq e .a a.yml": ["a.yml"],
    "yq eval '.a.env' ../a.yml": ["../a.yml"],
    "yq -o=json . a.yml": ["a.yml"],
    "yq -P -I2 . a.yml": ["a.yml"],
    "yq --version": [],
    "tomlq -r .a a.toml": ["a.toml"],
}

REFUSED = split_lines("""
    jq -f program.jq a.json
    jq --from-file program.jq a.json
    jq -L lib . a.json
    jq 'import "x" as x; .' a.json
    jq 'include "x"; .' a.json
    jq '"x" | modulemeta' a.json
    jq -n env
    jq -n 'env.HOME'
    jq -n '$ENV'
    jq -n '$ ENV.HOME'
    jq '.a | env' a.json
    jq '"\\(env)"' a.json
    jq $X a.json
    jq .a$X a.json
    jq --arg n $* . a.json
    jq --arg n
    jq --in-place . a.json
    yq -i .a=1 a.yml
    yq --inplace .a=1 a.yml
    yq -s .a a.yml
    yq --split-exp .a a.yml
    yq 'load("/etc/passwd")' a.yml
    yq 'load_str("/etc/passwd")' a.yml
    yq 'strload("/etc/passwd")' a.yml
    yq 'env(HOME)' a.yml
    yq 'strenv(HOME)' a.yml
    yq 'envsubst' a.yml
    yq '.a | eval(.b)' a.yml
    yq 'system("id")' a.yml
    yq e 'load("x")' a.yml
    yq --from-file x a.yml
    yq $X a.yml
    yq . $X
""")


@pytest.mark.parametrize("line", FILES)
def test_the_files_that_jq_and_yq_read_are_known(line: str) -> None:
    assert files_read_by(line) == FILES[line]


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("line", REFUSED)
def test_a_filter_that_may_read_more_is_refused(line: str) -> None:
    assert find_line_reads(line) is None


@pytest.mark.parametrize("text", [".[0]", ".a[]", ".a[0:2].b", ".[-1]"])
def test_an_unquoted_number_in_brackets_stays_a_number(text: str) -> None:
    assert check_jq((Word(text, glob=True), Word("a.json"))) == (Word("a.json"),)


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("text", ["en[v]", "*", ".a?", ".[a-z]", ".[0"])
def test_an_unquoted_filter_that_file_names_could_change_is_refused(text: str) -> None:
    assert check_jq((Word(text, glob=True), Word("a.json"))) is None
    assert check_yq((Word(text, glob=True), Word("a.yml"))) is None
