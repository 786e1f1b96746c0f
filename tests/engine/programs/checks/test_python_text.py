"""`python3 -c` is a read if its program only turns its input into its output."""

import pytest

from assent.engine.lines.reading import find_reads
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Verdict
from assent.engine.programs.checks.python_text import MAX_PROGRAM, check_python
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine import given

FILTERS = (
    "import json,sys; print(json.load(sys.stdin)['name'])",
    "import json, sys\nd = json.load(sys.stdin)\nfor k, v in sorted(d.items()):\n    print(f'{k:20} {v!r}')\n",
    "import sys\nfor line in sys.stdin:\n    a, _, b = line.strip().partition(':')\n    print(b or a)",
    "import sys, collections\nc = collections.Counter(l.strip() for l in sys.stdin)\nprint(c.most_common(5))",
    "import sys; from collections import Counter as C; print(C(sys.stdin.read().split()).total())",
    "import json as j, sys\ntry:\n    d = j.loads(sys.stdin.read())\nexcept ValueError as e:\n    print(e); sys.exit(1)",
    "import re,sys; print(re.sub(r'\\d+', lambda m: str(int(m.group()) + 1), sys.stdin.read()))",
    "import sys\ndef f(x, *more, y=1):\n    return x * y\nprint([f(int(n)) for n in sys.stdin if n.strip()])",
    "import sys, datetime\nprint(datetime.datetime.now().isoformat(), len(sys.stdin.readlines()))",
    "import sys, csv\nfor r in csv.DictReader(sys.stdin):\n    print(r['a'], file=sys.stderr)",
    "import sys\nx = {}\nfor l in sys.stdin:\n    x[l[:3]] = x.get(l[:3], 0) + 1\ndel l\nassert x\nprint(-1.5, None, True, x)",
    "import sys; sys.stdout.write(' '.join(sys.argv[1:]) + sys.stdin.read())",
    "import re, sys; print(re.findall('\\d+\\\\', sys.stdin.read()), 'it\\'s \\N{DASH}', \\\n 1)",
)
OTHERS = (
    "print(1)", "import sys; print(sys.version)", "import sys; exec(sys.stdin.read())",
    "import sys; eval(sys.stdin.read())", "import sys; open('x', 'w').write(sys.stdin.read())",
    "import sys; print(open('.env').read(), sys.stdin)", "import os, sys; os.system(sys.stdin.read())",
    "import sys, subprocess as json; json.run(sys.stdin.read())", "import sys as json; json.modules; sys.stdin",
    "import sys; sys.modules['os'].system('id'); sys.stdin", "import sys; print(sys.stdin.buffer.raw)",
    "import sys; print('{0.modules}'.format(sys.stdin))", "import sys; print('{x}'.format_map({'x': sys.stdin}))",
    "import sys; ''.__class__.__mro__[-1].__subclasses__(); sys.stdin", "import sys; getattr(sys, 'modules'); sys.stdin",
    "import sys; __import__('os').system('id'); sys.stdin", "import sys; print(sys); sys.stdin",
    "import sys; s = sys; s.modules; sys.stdin", "import sys\nsys.stdin = 1", "import sys; sys.stdin.name",
    "import sys\nif 0: eval = 1\neval(sys.stdin.read())", "import sys\nif 0: open = 1\nopen('x', 'w'); sys.stdin",
    "import sys\nclass A: pass\nsys.stdin", "import sys\nwith sys.stdin as f: pass", "import sys\nglobal x\nsys.stdin",
    "import sys\nasync def f(): pass\nsys.stdin", "import sys\n@print\ndef f(): pass\nsys.stdin",
    "import sys\nmatch sys.stdin:\n    case str(): pass", "from os import system; import sys; sys.stdin",
    "from .json import load; import sys; sys.stdin", "from json import *; import sys; sys.stdin",
    "from json import decoder; import sys; sys.stdin", "import json.decoder, sys; sys.stdin",
    "import sys; from sys import modules; modules['os']; sys.stdin", "import sys; print(b'x', sys.stdin)",
    "import sys; print(1j, ..., sys.stdin)", "import sys\ndef print(x): pass\nsys.stdin",
    "import sys\nimport json as m\nimport re as m\nprint(m.load(sys.stdin))", "import sys\nfor sys in []: sys.stdin",
    "import sys\ndef f(json): json.load(sys.stdin)\nimport json", "import sys\nsys += 1\nsys.stdin",
    "import sys; 'x'.encode('idna'); sys.stdin", "import sys; sys.stdin.read().decode()", "import sys; sys.exit.x = sys.stdin",
    "import sys; print(sys.stdin, breakpoint())", "import sys; input(sys.stdin)", "import sys; help(sys.stdin)",
    "import sys; vars(sys.stdin)", "import sys; type('A', (), {})(sys.stdin)", "import sys; del sys.stdin",
    "import sys; sys.setrecursionlimit(1); sys.stdin", "import sys; print(__name__, sys.stdin)", "import pickle, sys; pickle.load(sys.stdin)",
    "import sys; import yaml; yaml.load(sys.stdin)", "import operator, sys; operator.attrgetter('x')(sys.stdin)",
    "import sys; (x for x in sys.stdin).gi_frame", "import sys; sys.stdin(", "import sys; sys.stdin\0", "import sys; sys.stdin \ud800",
    "import sys; sys.stdin; " + "(" * 500 + ")" * 500,
    "import sys; sys.stdin" + "#" * MAX_PROGRAM, "",
)  # fmt: skip


def _words(*texts: str) -> tuple[Word, ...]:
    return tuple(Word(text, quoted=True) for text in texts)


@pytest.mark.parametrize("text", FILTERS)
def test_a_program_that_turns_its_input_into_output_reads_nothing_else(text: str) -> None:
    assert check_python(_words("-c", text)) == ()
    assert check_python(_words("-I", "-c", text, "an argument")) == ()


@pytest.mark.parametrize("text", OTHERS)
def test_a_program_with_anything_else_may_do_more(text: str) -> None:
    assert check_python(_words("-c", text)) is None


@pytest.mark.parametrize(
    "words", [("-c",), (), ("-i", "-c", FILTERS[0]), ("-m", "json"), ("x.py",), ("-Ic", FILTERS[0]), ("-",)]
)
def test_only_the_option_for_program_text_counts(words: tuple[str, ...]) -> None:
    assert check_python(_words(*words)) is None


def test_an_unknown_program_may_do_more() -> None:
    assert check_python(_words("-c", f"import sys; sys.stdin {UNKNOWN_MARK}")) is None


@pytest.mark.parametrize("flag", ["--version", "-V", "--help"])
def test_the_version_needs_no_trust(flag: str) -> None:
    found = find_reads(_words("python3", flag))

    assert found is not None
    assert not found.needs_trust
    assert find_reads(_words("python3", flag, "x.py")) is None


def test_a_program_needs_a_directory_without_modules_of_the_same_names() -> None:
    found = find_reads(_words("python3", "-c", FILTERS[0]))

    assert found is not None
    assert found.needs_trust


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("cat a.json | python3 -m json.tool", Verdict.RUN),
        ("python3 -m json.tool --sort-keys a.json", Verdict.RUN),
        ("python3 -m json.tool a.json b.json", Verdict.ASK),
        ("python3 -m json.tool *.json", Verdict.ASK),
        ("python3 -m json.tool $x", Verdict.ASK),
        ("python3 -m json.tool --what", Verdict.ASK),
        ("python3 -m json.tool .env", Verdict.ASK),
        ("python3 -m json.tool /etc/x.json", Verdict.ASK),
        (f'cat a.json | python3 -c "{FILTERS[0]}"', Verdict.RUN),
        (f'PYTHONPATH=x python3 -c "{FILTERS[0]}"', Verdict.ASK),
        (f'export PYTHONPATH=x; python3 -c "{FILTERS[0]}"', Verdict.ASK),
        (f'./python3 -c "{FILTERS[0]}"', Verdict.ASK),
        (f'python2 -c "{FILTERS[0]}"', Verdict.ASK),
        (f'python -c "{FILTERS[0]}"', Verdict.ASK),
        (f'python3 -c "{FILTERS[0]}" | sh', Verdict.ASK),
        (f'python3 -c "{FILTERS[0]}" > x', Verdict.ASK),
        (f'cat .env | python3 -c "{FILTERS[0]}"', Verdict.ASK),
        (f'cd /tmp && python3 -c "{FILTERS[0]}"', Verdict.ASK),
        (f'python3 - "{FILTERS[0]}"', Verdict.ASK),
    ],
)
def test_lines_with_a_filter_in_python(command: str, verdict: Verdict) -> None:
    decision = given.decide_call(given.shell_call(command), given.make_snapshot(mode=Mode.DEFAULT))

    assert decision.verdict is verdict
