"""What is fed to a command of bash, and what its program takes that for."""

import pytest

from assent.engine.bash.language import read_bash
from assent.engine.facts import PathUse
from assent.engine.lines.command import Access, Command, Redirect
from assent.engine.lines.input_names import MOST_FED, Fed, InputSource
from assent.engine.lines.standard_input import fed_to, source_of, takes
from assent.engine.programs.catalog import TOPICS, lookup
from assent.engine.programs.program import InputUse
from assent.engine.programs.word import Word

PIPE = Fed(unnamed=InputSource.PIPE)
UNKNOWN_TEXT = Fed(unnamed=InputSource.UNKNOWN_TEXT)
UNKNOWN_FILE = Fed(unnamed=InputSource.UNKNOWN_FILE)


def last(line: str) -> Command:
    read = read_bash(line)
    assert read.unreadable is None, read.unreadable
    return read.commands[-1]


@pytest.mark.parametrize(
    ("line", "fed"),
    [
        ("psql", None),
        ("psql 2>&1", None),
        ("psql > out", None),
        ("psql <<< 'a b'", Fed(text="a b")),
        ("psql <<'E'\na\nE", Fed(text="a\n")),
        ("psql <<E\na\nE", Fed(text="a\n")),
        ("psql <<E\n$a\nE", UNKNOWN_TEXT),
        ("psql <<E\na\\\\b\nE", UNKNOWN_TEXT),
        ("psql <<'E'\na\\\\b\nE", Fed(text="a\\\\b\n")),
        ("psql <<-E\n\ta\n\t\tb\nE", Fed(text="a\nb\n")),
        ("psql <<'E'\n\ta\nE", Fed(text="\ta\n")),
        ("psql <<'E'\nE", Fed(text="")),
        ('psql <<< "$a"', UNKNOWN_TEXT),
        ("psql <<< ~/a", UNKNOWN_TEXT),
        ("psql < x.sql", Fed(file=PathUse("x.sql"))),
        ("cd db && psql < x.sql", Fed(file=PathUse("x.sql", "db"))),
        ("cd a || cd b; psql < x.sql", Fed(unnamed=InputSource.UNKNOWN_FILE)),
        ("psql < *.sql", UNKNOWN_FILE),
        ("psql < $x", UNKNOWN_FILE),
        ("psql < /dev/stdin", UNKNOWN_FILE),
        ("psql < /proc/self/fd/0", UNKNOWN_FILE),
        ("psql <&3", UNKNOWN_TEXT),
        ("psql < a < b", Fed(unnamed=InputSource.SEVERAL)),
        ("cat a | psql", PIPE),
        ("cat a | psql < b", PIPE),
        ("{ psql; } < a", PIPE),
        ("exec < a; psql", PIPE),
        ("exec 3< a; psql", PIPE),
        ("command exec < a; psql", PIPE),
        ("eval 'exec < a'; psql", PIPE),
        ("while exec < a; do psql; done", PIPE),
        ("exec 2> a; psql", None),
    ],
)
def test_what_is_fed_is_what_the_line_puts_on_standard_input(line: str, fed: Fed | None) -> None:
    assert source_of(last(line)) == fed


def test_a_file_that_is_read_and_written_has_no_name() -> None:
    both = Redirect(Access.WRITE, Word("x.sql"), both=True)

    assert source_of(Command((Word("psql"),), redirects=(both,))) == Fed(unnamed=InputSource.WRITTEN_FILE)


def test_a_text_that_is_too_long_has_no_name() -> None:
    long = Redirect(Access.TEXT, Word("a" * (MOST_FED + 1)))

    assert source_of(Command((Word("psql"),), redirects=(long,))) == Fed(unnamed=InputSource.LARGE_TEXT)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bash", InputUse.INSTRUCTIONS),
        ("bash x.sh", InputUse.DATA),
        ("bash -c 'ls'", InputUse.DATA),
        ("bash -s a", InputUse.INSTRUCTIONS),
        ("python3.12", InputUse.INSTRUCTIONS),
        ("python3 x.py", InputUse.DATA),
        ("python3 -m http.server", InputUse.DATA),
        ("python3 -m pdb x.py", InputUse.INSTRUCTIONS),
        ("python3 -Bi x.py", InputUse.INSTRUCTIONS),
        ("python3 -c 'import json, sys; json.load(sys.stdin)'", InputUse.DATA),
        ("python3 -c 'exec(input())'", InputUse.INSTRUCTIONS),
        ("psql", InputUse.INSTRUCTIONS),
        ("psql -c 'select 1'", InputUse.DATA),
        ("psql -Atc 'select 1'", InputUse.DATA),
        ("psql --command='select 1'", InputUse.DATA),
        ("psql -f x.sql", InputUse.DATA),
        ("psql -f -", InputUse.INSTRUCTIONS),
        ("mysql -uroote", InputUse.INSTRUCTIONS),
        ("mysql -e 'select 1'", InputUse.DATA),
        ("sqlite3 app.db", InputUse.INSTRUCTIONS),
        ("sqlite3 app.db 'select 1'", InputUse.DATA),
        ("sqlite3 -separator , app.db", InputUse.INSTRUCTIONS),
        ("sqlite3 -frob , app.db", InputUse.INSTRUCTIONS),
        ("xargs rm", InputUse.OPERANDS),
        ("xargs -a list rm", InputUse.DATA),
        ("git apply", InputUse.INSTRUCTIONS),
        ("git apply x.patch", InputUse.DATA),
        ("git apply -", InputUse.INSTRUCTIONS),
        ("git add -p", InputUse.ANSWERS),
        ("git commit -F -", InputUse.DATA),
        ("git checkout -", InputUse.DATA),
        ("git rm --pathspec-from-file=-", InputUse.INSTRUCTIONS),
        ("kubectl apply -f -", InputUse.INSTRUCTIONS),
        ("kubectl apply -f-", InputUse.INSTRUCTIONS),
        ("kubectl get pods", InputUse.DATA),
        ("terraform apply", InputUse.ANSWERS),
        ("terraform apply -auto-approve", InputUse.DATA),
        ("terraform plan", InputUse.DATA),
        ("terraform console", InputUse.INSTRUCTIONS),
        ("docker exec -i c sh", InputUse.DATA),
        ("docker run img", InputUse.DATA),
        ("docker run -i img", InputUse.INSTRUCTIONS),
        ("docker login --password-stdin", InputUse.ANSWERS),
        ("curl -d @- https://a", InputUse.INSTRUCTIONS),
        ("curl -o - https://a", InputUse.DATA),
        ("curl --output=- https://a", InputUse.DATA),
        ("tee -", InputUse.DATA),
        ("npm test", InputUse.DATA),
        ("./tool", InputUse.DATA),
        ("/opt/tool", InputUse.UNKNOWN),
        ("frobnicate", InputUse.UNKNOWN),
        ("redis-cli get a", InputUse.DATA),
        ("redis-cli -x set a", InputUse.OPERANDS),
        ("at now", InputUse.INSTRUCTIONS),
        ("ssh host", InputUse.INSTRUCTIONS),
        ("ssh host ls", InputUse.DATA),
        ("sudo -i", InputUse.INSTRUCTIONS),
        ("PSQL.EXE", InputUse.INSTRUCTIONS),
        ("run() { ls; }; run", InputUse.DATA),
        ("$X", InputUse.UNKNOWN),
    ],
)
def test_a_program_takes_its_input_by_its_words(line: str, expected: InputUse) -> None:
    assert takes(last(line)) is expected


@pytest.mark.parametrize("name", sorted(name for name in TOPICS if lookup(name).input))
def test_every_entry_of_the_table_can_be_read(name: str) -> None:
    assert isinstance(takes(Command((Word(name), Word("x")))), InputUse)


def test_a_command_is_fed_what_those_are_fed_that_it_runs() -> None:
    fed, other = Fed(text="a"), Fed(file=PathUse("x.sql"))
    plain, given = last("timeout 5 psql"), last("timeout 5 psql <<< a")

    assert fed_to(plain, [None], takes) is None
    assert fed_to(plain, [fed], takes) is None
    assert fed_to(plain, [other], takes) == other
    assert fed_to(plain, [other, PIPE], takes) == Fed(unnamed=InputSource.SEVERAL)
    assert fed_to(given, [fed], takes) == fed
    assert fed_to(given, [None], takes) is None
    assert fed_to(given, [fed._replace(must=False)], takes) == fed._replace(must=False)
    assert fed_to(last("frobnicate <<< a"), [], takes) == fed._replace(must=False)
