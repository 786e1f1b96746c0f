"""The paths that common programs write and remove."""

import pytest

from assent.engine.lines.writes import FileChanges, find_changes, find_output_files
from assent.engine.programs.catalog import TOPICS, find_program
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.bash.shell_words import to_words

WRITES = [
    ("tee a", "a", ""),
    ("tee -a a b", "a b", ""),
    ("tee --append a", "a", ""),
    ("sponge a", "a", ""),
    ("touch a b", "a b", ""),
    ("touch -d yesterday a", "a", ""),
    ("touch -r ref a", "a", ""),
    ("touch -t 202001010000 a", "a", ""),
    ("mkdir -p a/b", "a/b", ""),
    ("mkdir -m 700 a", "a", ""),
    ("mkfifo a", "a", ""),
    ("mknod a c 1 3", "a", ""),
    ("mktemp a.XXX", "a.XXX", ""),
    ("mktemp -d -p a", "a", ""),
    ("truncate -s 0 a", "a", ""),
    ("truncate --size=0 a", "a", ""),
    ("fallocate -l 1G a", "a", ""),
    ("rm a", "", "a"),
    ("rm -rf a b", "", "a b"),
    ("rm -r -f -- -a", "", "-a"),
    ("rm -rf / --no-preserve-root", "", "/"),
    ("/bin/rm a", "", "a"),
    ("rmdir a", "", "a"),
    ("rmdir -p a/b", "", "a/b"),
    ("unlink a", "", "a"),
    ("shred a", "a", ""),
    ("shred -u a", "a", "a"),
    ("shred -n 3 --remove a", "a", "a"),
    ("cp a b", "b b/a", ""),
    ("cp -r a b c", "c c/a c/b", ""),
    ("cp -t d a b", "d d/a d/b", ""),
    ("cp --target-directory=d a", "d d/a", ""),
    ("cp evil/.npmrc .", ". ./.npmrc", ""),
    ("cp a /", "/ /a", ""),
    ("cp a/ b/", "b/ b/a", ""),
    ("cp a", "a", ""),
    ("mv a b", "b b/a", "a"),
    ("mv a b c", "c c/a c/b", "a b"),
    ("mv -t d a", "d d/a", "a"),
    ("mv -f a b", "b b/a", "a"),
    ("ln -s a b", "b b/a", ""),
    ("ln -s a/b", ". ./b", ""),
    ("ln -sf a b", "b b/a", ""),
    ("install a b", "b b/a", ""),
    ("install -m 755 a b", "b b/a", ""),
    ("install -d a b", "a b", ""),
    ("install -D -t d a", "d d/a", ""),
    ("rsync -a a/ b/", "b/ b/a", ""),
    ("rsync -a --delete a/ b/", "b/ b/a", "b/"),
    ("rsync -a --del a b", "b b/a", "b"),
    ("rsync -a --remove-source-files a b", "b b/a", "a b"),
    ("rsync -a a host:b", "", ""),
    ("rsync -a --log-file=l a host:b", "l", ""),
    ("rsync -a host:a b", "b b/host:a", ""),
    ("scp host:a b", "b b/host:a", ""),
    ("scp a user@host:b", "", ""),
    ("sed -i s/a/b/ f g", "f g", ""),
    ("sed -i.bak s/a/b/ f", "f", ""),
    ("sed -i -e s/a/b/ f", "f", ""),
    ("sed -ni p f", "f", ""),
    ("sed --in-place=.orig s/a/b/ f", "f", ""),
    ("sed -i -f script f", "f", ""),
    ("perl -i -pe s/a/b/ f", "f", ""),
    ("perl -pi.bak -e s/a/b/ f", "f", ""),
    ("ruby -i -pe 1 f", "f", ""),
    ("awk -i inplace '{print}' f", "f", ""),
    ("yq -i '.a = 1' f", "f", ""),
    ("sort a", "", ""),
    ("sort -o b a", "b", ""),
    ("sort -ob a", "b", ""),
    ("sort --output=b a", "b", ""),
    ("uniq a", "", ""),
    ("uniq a b", "b", ""),
    ("xxd -r a b", "b", ""),
    ("iconv -f a -t b -o c d", "c", ""),
    ("patch a", "a", ""),
    ("patch -p1", ".", ""),
    ("patch -p1 -d sub", "sub", ""),
    ("patch --dry-run -p1", "", ""),
    ("patch -o out a", "out a", ""),
    ("chmod 755 a b", "a b", ""),
    ("chmod -R u+x a", "a", ""),
    ("chmod --reference=r a", "a", ""),
    ("chown -R root:root a", "a", ""),
    ("chgrp g a", "a", ""),
    ("chattr +i a", "+i a", ""),
    ("chattr -R -i a", "a", ""),
    ("setfacl -m u:a:rwx f", "f", ""),
    ("tar -cf a.tar b", "a.tar", ""),
    ("tar czf a.tgz b", "a.tgz", ""),
    ("tar -czvf a.tgz b --remove-files", "a.tgz", "b"),
    ("tar -xf a.tar", ".", ""),
    ("tar xzf a.tgz -C d", "d", ""),
    ("tar -xzf a.tgz --directory=d", "d", ""),
    ("tar xOf a.tar b", "", ""),
    ("tar xf a.tar b c", ". b c", ""),
    ("tar xf a.tar -C d b", "d d/b", ""),
    ("unzip a.zip b -d d", "d d/b", ""),
    ("cpio -id -D d", "d", ""),
    ("tar -tf a.tar", "", ""),
    ("tar tvf a.tar", "", ""),
    ("tar -rf a.tar b", "a.tar", ""),
    ("tar -cf - b", "", ""),
    ("tar -czf - b", "", ""),
    ("tar -cf host:a b", "", ""),
    ("tar fcC a.tar d b", "a.tar", ""),
    ("tar", "", ""),
    ("unzip a.zip", ".", ""),
    ("unzip -q a.zip -d d", "d", ""),
    ("unzip -l a.zip", "", ""),
    ("unzip -p a.zip b", "", ""),
    ("zip -r a.zip b", "a.zip", ""),
    ("zip -rm a.zip b", "a.zip", "a.zip b"),
    ("gzip a", "a", "a"),
    ("gzip -k a", "a", ""),
    ("gzip -c a", "", ""),
    ("gzip -9 a", "a", "a"),
    ("gunzip .npmrc.gz", ".npmrc.gz .npmrc", ".npmrc.gz"),
    ("xz -d a.xz", "a.xz a", "a.xz"),
    ("bzip2 -t a", "", ""),
    ("zstd -d a.zst", "a.zst a", ""),
    ("split -b 1M a", "", ""),
    ("split a p", "p", ""),
    ("csplit -f p a /x/", "p", ""),
    ("dd if=a of=b bs=1M", "b", ""),
    ("dd of=/dev/sda", "/dev/sda", ""),
    ("dd if=a", "", ""),
    ("curl https://h/a", "", ""),
    ("curl -o b https://h/a", "b", ""),
    ("curl -sSLo b https://h/a", "b", ""),
    ("curl -o - https://h/a", "", ""),
    ("curl -o /dev/null https://h/a", "", ""),
    ("curl -O https://h/d/a?x=1", "a", ""),
    ("curl -LO https://h/a", "a", ""),
    ("curl --output-dir d -O https://h/a", "a d/a d", ""),
    ("curl -OJ --url https://h/a", "a", ""),
    ("curl -D h -c j https://h/a", "h j", ""),
    ("wget https://h/a", ". ./a", ""),
    ("wget https://h/", ". ./h", ""),
    ("wget -q -O b https://h/a", "b", ""),
    ("wget -O- https://h/a", "", ""),
    ("wget -P d https://h/a", "d d/a", ""),
    ("wget -o log https://h/a", "log . ./a", ""),
    ("wget --spider https://h/a", "", ""),
    ("git checkout -- a", "a", ""),
    ("git rm -r a", "a", ""),
    ("git mv a .git/hooks/pre-commit", ".git/hooks/pre-commit a", ""),
    ("git apply --directory=.GIT/x a", ".GIT/x a", ""),
    ("git restore sub/.git/config", "sub/.git/config", ""),
    ("git diff --output=a", "a", ""),
    ("find . -name a -delete", "", ". a"),
    ("find . -name .git -exec rm {} +", "", ". .git"),
    ("find . -name a", "", ""),
    ("git config a.b c", ".git/config", ""),
    ("git config --file=x a.b c", "x .git/config", ""),
    ("git config --global a.b c", "~/.gitconfig", ""),
    ("git submodule add u", ".gitmodules", ""),
    ("git init --template=x", ".git/hooks", ""),
    ("git lfs install", ".git/hooks", ""),
    ("git -c color.ui=never config a.b c", ".git/config", ""),
    ("git -C sub config a.b c", ".git/config sub/.git/config", ""),
    ("git -C sub config --global a.b c", "~/.gitconfig", ""),
    ("git --git-dir x -c a.b=c checkout -- d", "d", ""),
    ("git", "", ""),
    ("find a b -delete", "", "a b"),
    ("find -delete", "", "."),
    ("find . -fprint out", "out", ""),
    ("find . -fprintf out %p", "out", ""),
    ("find . -name a", "", ""),
    ("gcc -O2 -o a b.c", "a", ""),
    ("pandoc -o a b", "a", ""),
    ("gpg -o a -d b", "a", ""),
    ("ssh-keygen -t rsa -f a", "a", ""),
    ("prettier --write a b", "a b", ""),
    ("dos2unix a", "a", ""),
    ("7z x a.zip -od", "d a.zip", ""),
    ("crontab a", "", ""),
    ("link a b", "b b/a", ""),
    ("source .venv/bin/activate", "", ""),
    (". ./a.sh b", "", ""),
]


@pytest.mark.proves("D-5", "T-29")
@pytest.mark.parametrize(("line", "paths", "removed"), WRITES)
def test_the_words_of_a_program_name_the_files_that_it_changes(line: str, paths: str, removed: str) -> None:
    found = find_changes(to_words(line))

    assert found is not None
    assert [word.text for word in found.paths] == paths.split()
    assert [word.text for word in found.removed] == removed.split()
    assert found.known is True


@pytest.mark.proves("D-5")
@pytest.mark.parametrize(
    "line",
    [
        "python a.py",
        "make",
        "sed s/a/b/ f",
        "perl -pe 1 f",
        "awk '{print}' f",
        "prettier a",
        "yq . f",
        "./x a",
        "ls",
    ],
)
def test_nothing_is_known_about_other_programs(line: str) -> None:
    assert find_changes(to_words(line)) is None


@pytest.mark.proves("D-5", "T-21")
@pytest.mark.parametrize(
    "line",
    [
        "rm --new a",
        "cp --new a b",
        "tar --new -cf a b",
        "curl --new a",
        "curl -K a",
        "wget --new a",
        "tee -z a",
    ],
)
def test_an_unknown_option_marks_the_changes_as_incomplete(line: str) -> None:
    found = find_changes(to_words(line))

    assert found is not None
    assert found.known is False


def test_unknown_properties_of_a_word_are_kept() -> None:
    glob = Word("conf/*", glob=True)

    assert find_changes((Word("rm"), Word(UNKNOWN_MARK, splits=True))) == FileChanges(
        (), (Word(UNKNOWN_MARK, splits=True),)
    )
    assert find_changes((Word("cp"), glob, Word("."))) == FileChanges((Word("."), Word("./*", glob=True)))
    assert find_changes((Word("cp"), Word("a"), Word("~", tilde=True))) == FileChanges(
        (Word("~", tilde=True), Word("~/a", tilde=True))
    )


TAILS = ["", "-", "--", "-x", "--new", "a", "a b c", "-o", "-t", "-f", "$X", "-i ${X}", "/", "''"]


@pytest.mark.proves("T-23")
@pytest.mark.parametrize("name", sorted(name for name in TOPICS if find_program(name).writes is not None))
def test_no_spelling_raises(name: str) -> None:
    for tail in TAILS:
        found = find_changes(to_words(f"{name} {tail}"))

        assert found is None or all(isinstance(word, Word) for word in (*found.paths, *found.removed))


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
def test_a_command_writes_logs_and_settings(line: str, files: list[str]) -> None:
    assert [word.text for word in find_output_files(to_words(line))] == files
