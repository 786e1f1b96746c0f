"""Files that programs write besides what they are for."""

import pytest

from assent.engine.lines.outputs import outputs
from tests.engine.bash.spelled import words


@pytest.mark.proves("T-29")
@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("sed -n 'w out' a", ["out"]),
        ("sed '1,$w out' a", ["out"]),
        ("sed -e '/x/I!w out' a", ["out"]),
        ("sed 's/a/b/gw out' a", ["out"]),
        ("sed 's/w out/b/' a", []),
        ("""awk '{ print > "out" }' a""", ["out"]),
        ("""awk 'BEGIN { f = "out"; print 1 >> f }'""", ["out"]),
        ("""awk '$1 > 2 { print "out" }' a""", []),
        ("""python3 -c "open('out', 'w')" """, ["out"]),
        ("""python3 -c "open('in')" """, []),
        ("""python3 -c "Path('out').write_text('a')" """, ["out"]),
        ("""node -e 'fs.writeFileSync("out", "a")'""", ["out"]),
        ("""ruby -e 'File.write("out", "a")'""", ["out"]),
        ("""perl -e 'open(F, ">out")'""", ["out"]),
        ("""perl -e 'open(my $f, ">>", "out")'""", ["out"]),
        ("strace -f -o out ls -o b", ["out"]),
        ("strace --output=out ls", ["out"]),
        ("time -ao out ls", ["out"]),
        ("time ls -o b", []),
        ("valgrind --log-file=out ls", ["out"]),
        ("perf record -o out ls", ["out"]),
        ("perf", []),
        ("script -q out", ["out"]),
        ("script -c ls out", ["out"]),
        ("logsave out ls", ["out"]),
        ("flock -n out ls", ["out"]),
        ("socat - OPEN:out,creat", ["out"]),
        ("socat -u file:in CREATE:out", ["in", "out"]),
        ("socat TCP:a:1 EXEC:ls", []),
        ("vim -es -c 'w! out' a", ["out"]),
        ("ex -s '+wq out' a", ["out"]),
        ("vim -c 'set nowrap' a", []),
        ("sqlite3 a.db '.once out' 'select 1'", ["out"]),
        ("psql -c '\\o out'", ["out"]),
        ("psql -c 'select 1'", []),
        ("uv python pin 3.11", [".python-version"]),
        ("uv python list", []),
        ("mise use node", [".tool-versions"]),
        ("crontab jobs", ["/var/spool/cron"]),
        ("crontab -l", []),
        ("npm config set a b --location=project", [".npmrc", "~/.npmrc"]),
        ("npm --location=project set a b", [".npmrc", "~/.npmrc"]),
        ("npm config get a", []),
        ("npm install set", []),
        ("npm test", []),
        ("npm", []),
        ("yarn config set a b", [".yarnrc.yml", ".yarnrc"]),
        ("pip config set a b", ["pip.conf"]),
        ("conda config --add channels a", [".condarc"]),
        ("claude mcp add a", [".mcp.json", "~/.claude.json"]),
        ("pre-commit install", [".git/hooks"]),
        ("docker ps", []),
        ("frob out", []),
    ],
)
def test_what_a_command_writes_besides(line: str, files: list[str]) -> None:
    assert [word.text for word in outputs(words(line))] == files
