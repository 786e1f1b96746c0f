"""Variables and substitutions that only contain a number or a hash."""

import pytest

from assent.engine.bash.variables import is_numeric_variable, prints_number_or_hash
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.bash.line_texts import parse_readable_line

COUNTERS = [
    "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done",
    "for i in 1 2 3; do echo $((i*2)); done",
    "for i in {1..9..2}; do echo $((i*2)); done",
    "for i in $(seq 1 5); do echo $((i*2)); done",
    "for ((i=0; i<3; i++)); do echo $i; done",
    "((i = 4)); echo $i",
    "((++i)); echo $i",
    'i=-3; ((i += (2 * i))); echo "i: $i"',
    "i=$(ls | wc -l); echo $((i + 1))",
    "i=$(find . -name '*.py' | wc -l); echo $((i + 1))",
    "i=$(wc -l < notes.txt); echo $((i + 1))",
    "i=$(date +%s); echo $((i - 1))",
    "i=$(git rev-list --count main..HEAD); echo $i",
    'for f in *.py; do i=$(wc -l < "$f"); echo $((i + 1)); done',
    "for d in a b; do i=$(find ${d} -name 'x' 2>&1 | sort -u | wc -l); echo $((i + 1)); done",
    'i=$(ls "$d/x" | wc -l); echo $i',
    "i=$(date +%s); ls; echo $(( $(date +%s) - i ))",
    "i=1; ((i += $(wc -l < f))); echo $i",
]

ANYTHING = [
    "echo $i",
    'echo "$i"',
    "echo $((i + 1))",
    "echo '((i = 1))'; echo $i",
    "i=0; read i < f; echo $((i))",
    'i=0; read "i" < f; echo $((i))',
    'i=0; echo \\" ; read i < f; echo \\"; echo $((i))',
    "i=0; cat <<E\ndon't\nE\nread i < f; echo 'x'; echo $((i))",
    "i=0 # don't\nread i < f # don't\necho $((i))",
    "i=0; echo \"$(echo 'a\"b')\"; read i < f; echo 'x \"'; echo $((i))",
    "i=1; : ${i:=$x}; echo $((i))",
    "i=1; for i in $x; do echo $((i)); done",
    "i=1; i+=$x; echo $((i))",
    "i=1; i=x$((1)); echo $((i))",
    "i=1; i=$((1))x; echo $((i))",
    "i=1; printf -v i %s $x; echo $((i))",
    "i=1; v=i; read $v < f; echo $((i))",
    'i=1; eval "$x"; echo $((i))',
    "i=1; . ./x; echo $((i))",
    "wc() { cat f; }; i=$(ls | wc -l); echo $((i))",
    "i=$(cat f '| wc -l)'); echo $((i))",
    "i=$(cat f); echo $((i))",
    "i=1; echo 'i=x'; echo $i",
    "if a; then i=0'x'; fi; echo $i",
    'if a; then i=0" --output=x"; fi; git log $i',
    "i=$(cat f; true | wc -l); echo $((i))",
    "i=$(cat f || true | wc -l); echo $((i))",
    "i=$(cat f & true | wc -l); echo $((i))",
    "i=$(cat f # | wc -l\n); echo $((i))",
    "i=$(cat f\ntrue | wc -l); echo $((i))",
    "i=1; : ${i[0]:=$x}; echo $((i))",
    "i=1; echo '$(ls ' ; read i < f; echo '| wc -l)'; echo $((i))",
    "i=1; echo " + "x" * 5000,
]


@pytest.mark.parametrize("text", COUNTERS)
def test_a_variable_that_only_gets_numbers_is_numeric(text: str) -> None:
    assert is_numeric_variable(text, "i") is True


@pytest.mark.parametrize("text", ANYTHING)
@pytest.mark.proves("T-22", "T-24")
def test_a_variable_that_may_get_other_values_is_not_numeric(text: str) -> None:
    assert is_numeric_variable(text, "i") is False


@pytest.mark.parametrize(
    "text",
    [
        "$(git merge-base main HEAD)",
        "$(git rev-parse --short HEAD)",
        "$(git rev-parse -q --verify feature/x)",
        "$(git rev-parse origin/main~2)",
        "$(git rev-list -1 main)",
        "$(nproc)",
    ],
)
def test_some_commands_print_nothing_but_numbers_or_hashes(text: str) -> None:
    assert prints_number_or_hash(text) is True


@pytest.mark.parametrize(
    "text",
    [
        "$(cat f)",
        "$(git rev-parse --output=x)",
        "$(git rev-parse .env)",
        "$(git rev-parse HEAD .env)",
        "$(git rev-parse -q id_rsa)",
        "$(cat f; ls | wc -l)",
        "$(git rev-parse --abbrev-ref HEAD)",
        "$(git merge-base -x a)",
        "$(git describe --tags)",
        "$(cat f; wc -l f)",
        "$(wc -l f g)",
        "$(cat f '| wc -l)')",
    ],
)
@pytest.mark.proves("T-22")
def test_a_substitution_that_may_print_a_flag_is_no_number(text: str) -> None:
    assert prints_number_or_hash(text) is False


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("echo $#", Word(UNKNOWN_MARK, plain=True)),
        ("echo ${#x}", Word(UNKNOWN_MARK, plain=True)),
        ("echo $((1 + 2))", Word("3")),
        ("echo $(ls | wc -l)", Word(UNKNOWN_MARK, plain=True)),
        ("echo a$?$x", Word(f"a{UNKNOWN_MARK}{UNKNOWN_MARK}", splits=True)),
        ("IFS=1; echo $#", Word(UNKNOWN_MARK, splits=True)),
        ("IFS=1; echo $((10 + 1))", Word(UNKNOWN_MARK, splits=True)),
        ("i=1; ((i++)); echo $i", Word(UNKNOWN_MARK, plain=True)),
        ("i=1; echo $((i + 1)); echo $i", Word("1")),
    ],
)
def test_a_number_is_one_word_unless_the_line_changes_ifs(text: str, word: Word) -> None:
    assert parse_readable_line(text).commands[-1].words[-1] == word
