"""Random bash texts: lines built from the grammar, and lines of a corpus with a few characters changed."""

from collections.abc import Sequence
from random import Random

PLAIN_WORDS = (
    "a",
    "b c",
    "-x",
    "--flag=v",
    "x.txt",
    "src/a.py",
    "1",
    "A=1",
    "it",
    "#",
    "a#b",
    "!",
    "=",
    "%",
    "@",
)
PROGRAMS = ("ls", "cat", "rm", "echo", "git", "./run", "/bin/rm", "[", "test", "grep", "printf", "true", ":")
MARKS = (
    " ", "  ", "\t", "\n", ";", ";;", "&", "&&", "|", "||", "|&", "(", ")", "{", "}", "<", ">", ">>", "<<", "<<<",
    "'", '"', "`", "$", "\\", "#", "!", "*", "?", "[", "]", "~", "=", ",", "$(", "${", "$((", "))", "$'", '$"', "<(",
    ">|", "2>&1", "\\\n", " # ", "<<E", "\nE\n", "E", "if", "then", "fi", "do", "done", "in", "case", "esac", "time",
    "coproc", "function", "()", "[[", "]]", "((", "-", "1", "a", "@P", "!(", "@(", "?(", "é", "{a,b}", "${x:-", ":",
)  # fmt: skip


def random_line(random: Random) -> str:
    """A random text built from the grammar of bash."""
    found = _random_list(random, random.choice((1, 2, 2, 3)))
    # Not deeper inside: there bash leaves out the semicolon behind a here-document when it prints.
    return found if random.random() > 0.15 else f"{_random_heredoc(random)}{found}"


def mutate_text_randomly(random: Random, texts: Sequence[str]) -> str:
    """A text with a few characters inserted, removed, or copied from another text."""
    text = random.choice(texts)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at = random.randrange(len(text) + 1)
        end = min(len(text), at + random.choice((0, 0, 1, 1, 2, 5)))
        put = (
            random.choice(MARKS)
            if random.random() < 0.85
            else _random_substring(random, random.choice(texts))
        )
        text = text[:at] + put + text[end:]
    return text


def _random_substring(random: Random, text: str) -> str:
    at = random.randrange(len(text) + 1)
    return text[at : at + random.randrange(12)]


def _random_list(random: Random, depth: int) -> str:
    found = _random_pipeline(random, depth)
    for _ in range(random.choice((0, 0, 1, 1, 2))):
        joint = random.choice(
            (" && ", " || ", "; ", "\n", " & ", ";", "&&", "||\n", " ; # note\n", " \\\n&& ")
        )
        found += joint + _random_pipeline(random, depth)
    return found + random.choice(("", "", "", ";", " &", "\n", " # note"))


def _random_pipeline(random: Random, depth: int) -> str:
    stages = [_random_command(random, depth) for _ in range(random.choice((1, 1, 1, 2, 3)))]
    return random.choice(("", "", "", "", "! ", "time ")) + random.choice((" | ", "|", " |& ", " |\n")).join(
        stages
    )


def _random_command(random: Random, depth: int) -> str:
    if depth <= 0 or random.random() < 0.6:
        return _random_simple_command(random, depth)
    inner = _random_list(random, depth - 1).rstrip("&;\n ")
    if " # " in inner:
        inner += "\n"
    other = _random_simple_command(random, 0)
    word = _random_word(random, depth - 1)
    return random.choice(
        (
            f"({inner})",
            f"{{ {inner}; }}",
            f"{{ {inner}\n}}",
            f"if {other}; then {inner}; fi",
            f"if {other}\nthen\n{inner}\nelse\n{other}\nfi",
            f"while {other}; do {inner}; done",
            f"until {other}; do\n{inner}\ndone",
            f"for x in {word} {word}; do {inner}; done",
            f"for ((i=0; i<3; i++)); do {inner}; done",
            f"case {word} in a|b) {inner};; *) {other};; esac",
            f"case {word} in\n(a) {inner}\n;;\nesac",
            f"f() {{ {inner}; }}",
            f"function f {{ {inner}; }}",
            f"[[ {word} == {word} ]] && {other}",
            f"[[ -n {word} || ! -f {word} ]]",
            f"(( x = 1 + 2 )) || {other}",
            f"{{ {inner}; }} > {word} 2>&1",
            f"({inner}) < {word}",
            f"coproc {other}",
            f"time {{ {inner}; }}",
        )
    )


def _random_simple_command(random: Random, depth: int) -> str:
    words = [random.choice(PROGRAMS) if random.random() < 0.8 else _random_word(random, depth)]
    words += [_random_word(random, depth) for _ in range(random.choice((0, 1, 1, 2, 3)))]
    if random.random() < 0.2:
        words.insert(0, f"{random.choice(('A', 'x', 'LANG'))}={_random_word(random, depth)}")
    if random.random() < 0.3:
        words.insert(random.randrange(len(words) + 1), _random_redirection(random, depth))
    return random.choice((" ", " ", "  ", "\t", " \\\n")).join(words)


def _random_heredoc(random: Random) -> str:
    start = random.choice(("E", "'E'", '"E"', "-E", "\\E"))
    body = random.choice(
        ("it's $x\n", "a $(b)\n", "plain\n\n", "", " E\n", "x E\n", '"\n', "rm y\n", "# '\n")
    )
    behind = random.choice(("", "", " | sort", " && ls", " > x.txt", "; ls", " 2>&1"))
    return f"{_random_simple_command(random, 0)} <<{start}{behind}\n{body}E\n"


def _random_redirection(random: Random, depth: int) -> str:
    operator = random.choice((">", ">>", "<", "2>", "&>", ">|", "<<<", ">&", "&>>", "0<"))
    if random.random() < 0.2:
        return random.choice(("2>&1", ">&2", "<&-", "1>&-", ">/dev/null"))
    return operator + random.choice(("", " ")) + _random_word(random, min(depth, 0))


def _random_word(random: Random, depth: int) -> str:
    return "".join(_random_word_piece(random, depth) for _ in range(random.choice((1, 1, 1, 2, 3))))


def _random_word_piece(random: Random, depth: int) -> str:
    plain = random.choice(
        ("a", "b", "x.txt", "-r", "--all", "1", "..", "/etc", "é", "a#b", "%s", "@", "+", ",", ":", "=")
    )
    inside = random.choice(
        (*PLAIN_WORDS, "$x", "a'b", 'a"b', "$(", "`", "\\", "*", "{a,b}", "~", ";", "&", "#", "\n", "!")
    )
    kind = random.randrange(20 if depth > 0 else 16)
    match kind:
        case 0 | 1 | 2 | 3 | 4 | 5:
            return plain
        case 6:
            return "'" + inside.replace("'", "") + "'"
        case 7:
            return (
                '"'
                + inside.replace("\\", "\\\\").replace('"', '\\"').replace("$(", "(").replace("`", "\\`")
                + '"'
            )
        case 8:
            return "\\" + random.choice(" $`\"'\\;&|()<>*?[]{}~#!ab\n")
        case 9:
            return random.choice(
                ("$x", "${x}", "${x:-a}", "${#x}", "${x%%.*}", "$1", "$@", '"$@"', "$?", "$$", "${x[0]}")
            )
        case 10:
            return random.choice(("*", "?", "[ab]", "[!a]", "a*b", "**", "*.txt"))
        case 11:
            return random.choice(("{a,b}", "{1..3}", "{a,b}{c,d}", "{a}", "{}", "{a,", "x{,y}"))
        case 12:
            return random.choice(("~", "~/x", "~user", "a~"))
        case 13:
            return random.choice(("$'a\\nb'", "$'\\x41'", "$'it\\'s'", '$"hi"', "$'\\u00e9'"))
        case 14:
            return random.choice(("$((1+2))", "$((x))", "$(( (1) ))"))
        case 15:
            return '""'
        case 16 | 17:
            return (
                f"$({_random_list(random, depth - 1)}\n)"
                if random.random() < 0.2
                else f"$({_random_simple_command(random, depth - 1)})"
            )
        case 18:
            return f'"$({_random_simple_command(random, 0)}) x"'
        case _:
            return random.choice(("`ls`", "<(ls a)", ">(cat)", '"`ls`"', "${x:-$(ls)}"))
