"""The standard input of a command, and what its program uses it for."""

import pytest

from assent.engine.base.facts import PathUse
from assent.engine.base.tool import Dialect
from assent.engine.bash.language import parse_bash
from assent.engine.lines.command import Command, Redirect, RedirectAccess
from assent.engine.lines.line import load_language, parse_line
from assent.engine.lines.specifier import MAX_NAMED_INPUT, InputSource, StandardInput
from assent.engine.lines.standard_input import find_bash_input_use, find_input, find_own_input
from assent.engine.programs.catalog import TOPICS, find_program
from assent.engine.programs.runs import InputUse
from assent.engine.programs.word import Word

PIPE = StandardInput(unnamed_source=InputSource.PIPE)
UNKNOWN_TEXT = StandardInput(unnamed_source=InputSource.UNKNOWN_TEXT)
UNKNOWN_FILE = StandardInput(unnamed_source=InputSource.UNKNOWN_FILE)


def last_command(line: str) -> Command:
    read = parse_bash(line)
    assert read.unreadable is None, read.unreadable
    return read.commands[-1]


@pytest.mark.parametrize(
    ("line", "fed"),
    [
        ("psql", None),
        ("psql 2>&1", None),
        ("psql > out", None),
        ("psql <<< 'a b'", StandardInput(text="a b")),
        ("psql <<'E'\na\nE", StandardInput(text="a\n")),
        ("psql <<E\na\nE", StandardInput(text="a\n")),
        ("psql <<E\n$a\nE", UNKNOWN_TEXT),
        ("psql <<E\na\\\\b\nE", UNKNOWN_TEXT),
        ("psql <<'E'\na\\\\b\nE", StandardInput(text="a\\\\b\n")),
        ("psql <<-E\n\ta\n\t\tb\nE", StandardInput(text="a\nb\n")),
        ("psql <<'E'\n\ta\nE", StandardInput(text="\ta\n")),
        ("psql <<'E'\nE", StandardInput(text="")),
        ('psql <<< "$a"', UNKNOWN_TEXT),
        ("psql <<< ~/a", UNKNOWN_TEXT),
        ("psql < x.sql", StandardInput(file=PathUse("x.sql"))),
        ("cd db && psql < x.sql", StandardInput(file=PathUse("x.sql", "db"))),
        ("cd a || cd b; psql < x.sql", StandardInput(unnamed_source=InputSource.UNKNOWN_FILE)),
        ("psql < *.sql", UNKNOWN_FILE),
        ("psql < $x", UNKNOWN_FILE),
        ("psql < /dev/stdin", UNKNOWN_FILE),
        ("psql < /proc/self/fd/0", UNKNOWN_FILE),
        ("psql <&3", UNKNOWN_TEXT),
        ("psql < a < b", StandardInput(unnamed_source=InputSource.SEVERAL)),
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
def test_the_input_of_a_command_is_what_the_line_gives_it(line: str, fed: StandardInput | None) -> None:
    assert find_own_input(last_command(line)) == fed


@pytest.mark.proves("T-44")
@pytest.mark.parametrize(
    ("line", "fed"),
    [
        ("cat f > >(psql)", PIPE),
        ("tee >(psql) < f", PIPE),
        ("make < f <<E\n$(psql)\nE", PIPE),
        ("make <<E\n$(psql)\nE", None),
        ("cat <(psql) < f", None),
        ("make $(psql) < f", None),
    ],
)
def test_a_substitution_reads_what_the_shell_gives_it(line: str, fed: StandardInput | None) -> None:
    (found,) = [one for one in parse_bash(line).commands if one.program == "psql"]

    assert find_own_input(found) == fed


@pytest.mark.proves("T-44")
@pytest.mark.parametrize(
    ("line", "must_be_named"),
    [
        ("sh -c 'while read f; do rm \"$f\"; done' <<< x", True),
        ("sh -c 'cat > out' <<< x", None),
        ("sh -c 'frobnicate' <<< x", False),
    ],
)
def test_an_input_that_fills_the_words_of_a_text_must_be_named(line: str, must_be_named: bool | None) -> None:
    (part,) = parse_line(line, load_language(Dialect.SHELL)).parts

    assert (None if part.input is None else part.input.must_be_named) is must_be_named


def test_a_file_that_is_read_and_written_has_no_name() -> None:
    both = Redirect(RedirectAccess.WRITE, Word("x.sql"), reads_and_writes=True)

    assert find_own_input(Command((Word("psql"),), redirects=(both,))) == StandardInput(
        unnamed_source=InputSource.WRITTEN_FILE
    )


def test_a_text_that_is_too_long_has_no_name() -> None:
    long = Redirect(RedirectAccess.TEXT, Word("a" * (MAX_NAMED_INPUT + 1)))

    assert find_own_input(Command((Word("psql"),), redirects=(long,))) == StandardInput(
        unnamed_source=InputSource.LARGE_TEXT
    )


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
        ("git rm --pathspec-from-file=-", InputUse.OPERANDS),
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
def test_the_words_of_a_program_decide_how_it_uses_its_input(line: str, expected: InputUse) -> None:
    assert find_bash_input_use(last_command(line)) is expected


ACTS_ON_INPUT = """
perl -ne eval
perl -pe 's/(.+)/$1/ee'
perl -ne 'open F,$_; print <F>'
perl -ne '&$_'
perl -e 'do "/dev/stdin"'
perl -nle 'symlink $_,"x"'
ruby -e 'load "/dev/fd/0"'
ruby -e 'send(*gets.split)'
ruby -ne '%x(#{$_})'
ruby -e 'open(gets.chomp)'
ruby -e 'Marshal.load($stdin)'
node -e 'vm.runInThisContext(fs.readFileSync(0,"utf8"))'
node -e 'import("data:text/javascript,"+fs.readFileSync(0))'
node -e 'module._compile(fs.readFileSync(0,"utf8"),"x")'
node -e '[].constructor.constructor(fs.readFileSync(0,"utf8"))()'
php -r 'include "php://stdin";'
php -r 'shell_exec(fgets(STDIN));'
php -r '$f=fgets(STDIN);$f();'
lua -e 'load(io.read("a"))()'
lua -e 'dofile()'
julia -e 'include_string(Main, read(stdin, String))'
python3 -c 'import pdb;pdb.set_trace()'
python3 -c 'import code;code.interact()'
python3 -c 'breakpoint()'
python3 -c "import yaml,sys;yaml.load(sys.stdin,Loader=yaml.Loader)"
python3 -c "open(input(),'w')"
python3 -c "import os;getattr(os,input())(input())"
python3 -c "import os;os.replace('a',input())"
python3 -c "import shutil;shutil.move(input(),'x')"
python3 manage.py shell
./manage.py dbshell
rails console
bin/rails c
heroku pg:psql
php artisan tinker
fly ssh console
docker attach c
docker start -ai c
kubectl attach -i p
kubectl run -it t --image=x
kubectl debug -it p --image=x
oc debug n
nix-shell
nix develop
nix repl
guix repl
lein repl
poetry shell
dotnet fsi
yarn node
pnpm node
npx
crystal eval
mosh h
cmd /k
git -C x apply
git -c a=b apply
git remote-https origin
tar x
tar -xv
tar xzf-
bsdtar x
curl -sK-
wget -qi-
kubectl apply -Rf-
python3 -c'exec(input())'
perl -neeval
node -e'eval(x)'
aws ssm start-session --target i
toolbox enter
stack ghci
ar -M
dmsetup create x
""".strip().splitlines()
COMPLETED_BY_INPUT = """
gsutil -m rm -I
gcloud storage rm -I
git checkout --pathspec-from-file=-
git commit --pathspec-from-file=- -m x
git hash-object --stdin-paths
git cherry-pick --stdin
git pack-objects x
""".strip().splitlines()
ANSWERED_BY_INPUT = """
rm -ri x
rm -I x
cp -i a b
mv --interactive a b
ln -i a b
unzip a.zip
pip uninstall x
ssh-keygen -f x
git mergetool
""".strip().splitlines()
USES_DATA = """
perl -pe 's/x/y/'
perl -pe 's/x/uc($1)/ge'
ruby -ne 'puts $_.upcase'
node -p 'fs.readFileSync(0,"utf8").length'
python3 -c "import json; print(json.load(open(0))['code'])"
python3 -c "import sys; open('out', 'w').write(sys.stdin.read())"
python3 eval.py
python3 tools/exec.py open
timeout 5 psql -c x
git -C x commit-graph write
nix develop -c make
npx tsc
tar -xzf a.tgz
tar xzf a.tgz
rm -f x
wget -qO- https://a
wget -qO - https://a
python3 -Werror x.py
perl -pi.bak -e s/x/y/
unzip -o a.zip
pip install x
""".strip().splitlines()


@pytest.mark.proves("T-44")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        *((line, InputUse.INSTRUCTIONS) for line in ACTS_ON_INPUT),
        *((line, InputUse.OPERANDS) for line in COMPLETED_BY_INPUT),
        *((line, InputUse.ANSWERS) for line in ANSWERED_BY_INPUT),
        *((line, InputUse.DATA) for line in USES_DATA),
    ],
)
def test_a_program_that_acts_on_its_input_is_recognised(line: str, expected: InputUse) -> None:
    assert find_bash_input_use(last_command(line)) is expected


@pytest.mark.parametrize("name", sorted(name for name in TOPICS if find_program(name).input))
def test_every_entry_of_the_table_can_be_read(name: str) -> None:
    assert isinstance(find_bash_input_use(Command((Word(name), Word("x")))), InputUse)


def test_the_input_of_nested_commands_counts_for_the_outer_command() -> None:
    fed, other = StandardInput(text="a"), StandardInput(file=PathUse("x.sql"))
    plain, given = last_command("timeout 5 psql"), last_command("timeout 5 psql <<< a")

    assert find_input(plain, [None], find_bash_input_use) is None
    assert find_input(plain, [fed], find_bash_input_use) is None
    assert find_input(plain, [other], find_bash_input_use) == other
    assert find_input(plain, [other, PIPE], find_bash_input_use) == StandardInput(
        unnamed_source=InputSource.SEVERAL
    )
    assert find_input(given, [fed], find_bash_input_use) == fed
    assert find_input(given, [None], find_bash_input_use) is None
    assert find_input(given, [fed._replace(must_be_named=False)], find_bash_input_use) == fed._replace(
        must_be_named=False
    )
    assert find_input(last_command("frobnicate <<< a"), [], find_bash_input_use) == fed._replace(
        must_be_named=False
    )
