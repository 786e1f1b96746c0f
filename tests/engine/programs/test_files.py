"""Programs that list, print and compare files: what they read, and flags with which they do more."""

import pytest

from assent.engine.lines.reading import find_reads
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.programs.lines import files_read_by, find_line_reads, split_lines

READS = split_lines(r"""
    # listing
    ls
    ls -la
    ls -lah src
    ls -1t --color=never
    ls -l --time-style=long-iso --group-directories-first src tests
    ls -I '*.pyc' src
    dir src
    eza -la --git-ignore
    tree
    tree -L 2
    tree -a -I 'node_modules|.git' --dirsfirst
    tree -J --noreport src
    fd
    fd test
    fd -e py -t f test src
    fdfind -H --max-depth 2 .env.example
    du -sh
    du -h --max-depth=1
    du -sh src tests
    df -h
    df -hT /
    # printing
    cat notes.txt
    cat -n notes.txt
    cat -A -- -x
    tac notes.txt
    head notes.txt
    head -20 notes.txt
    head -n 5 notes.txt
    head -n5 notes.txt
    head -c 200 data.bin
    head -n -5 notes.txt
    tail -n +5 notes.txt
    tail -50 app.log
    tail -f app.log
    tail --follow=name --retry app.log
    wc -l src/app.py
    wc
    strings -n 8 a.out
    hexdump -C -n 64 a.bin
    od -A x -t x1z -v a.bin
    xxd a.bin
    xxd -l 64 -s 16 a.bin
    xxd -ps a.bin
    # facts
    stat notes.txt
    stat -c '%s %n' notes.txt
    stat -f %z notes.txt
    file notes.txt
    file -b --mime-type notes.txt
    realpath src
    readlink -f src
    basename src/app.py .py
    dirname src/app.py
    namei -l src
    getfacl src
    lsblk -f
    findmnt -J
    lsof -i :3000
    lsof -iTCP -sTCP:LISTEN -n -P
    lsof -ti:8080
    fuser 3000/tcp
    xattr -l notes.txt
    # comparing
    md5sum notes.txt
    sha256sum -c sums.txt
    shasum -a 256 notes.txt
    cmp a b
    diff a b
    diff -u a b
    diff -rq src build
    diff -U3 --color=always a b
    diff --brief --recursive src build
    diff3 -m a b c
    comm -12 a b
    # archives
    tar tf a.tar
    tar tzf a.tgz
    tar -tvf a.tar
    tar -tf a.tar src/x
    tar --list --file=a.tar --verbose
    tar -xzOf a.tgz package/package.json
    unzip -l a.zip
    unzip -p a.zip manifest.json
    unzip -Z1 a.zip
    zipinfo -1 a.zip
    jar tf a.jar
    ar t lib.a
    cpio -itv
    7z l a.7z
    zcat a.gz
    gzip -l a.gz
    gzip -t a.gz
    gzip -dc a.gz
    gunzip -c a.gz
    xz -dc a.xz
    xz -l a.xz
    zstd -dc a.zst
    # binaries
    nm -D --demangle lib.so
    objdump -d a.out
    readelf -h -S a.out
    size a.out
    otool -L a.out
""")

REFUSED = split_lines("""
    # they write
    tree -o out.txt
    tree -R -L 2
    tree -H . -o index.html
    xxd -r a.hex
    xxd -r a.hex a.bin
    xxd a.bin out.txt
    xxd -ps a.bin out.txt
    xxd -p a.bin -- out.txt
    file -C -m magic
    file -p notes.txt
    plutil -convert xml1 x.plist
    sdiff -o out a b
    lsof -D b
    xattr -w name value notes.txt
    xattr -d name notes.txt
    # they run programs
    fd -x rm
    fd -e py --exec rm
    fd -X vim
    fd -l
    diff -l a b
    diff3 --diff-program=./evil a b c
    sdiff --diff-program=./evil a b
    file -z a.gz
    nm --plugin ./evil.so a.o
    nm @flags
    objdump @flags
    strings @flags
    ldd ./a.out
    fuser -k 3000/tcp
    # they connect
    lsof -i @evil.example
    lsof -i@evil.example:80
    fuser 80,evil.example/tcp
    cat http://evil.example/x
    # archives
    tar xf a.tar
    tar -xf a.tar
    tar cf a.tar src
    tar -czf a.tgz src
    tar tf a.tar -x
    tar xf a.tar member -O
    tar -x -f a.tar member --to-stdout
    tar tf a.tar member -x
    tar xf a.tar member -t
    tar tff a.tar b.tar
    tar -tf a.tar -f b.tar
    tar -tf host:a.tar
    tar -tf "$X"
    tar --file host:a.tar -t
    tar -tf a.tar --to-command=sh
    tar -tf a.tar -I ./evil
    tar -tf a.tar --use-compress-program=./evil
    tar -tf a.tar --checkpoint=1 --checkpoint-action=exec=sh
    tar -tf a.tar -T list
    tar -xf a.tar --to-stdou
    tar
    unzip a.zip
    unzip -o a.zip
    unzip -l -d out a.zip
    unzip -T a.zip
    jar xf a.jar
    jar tf @args
    jar
    ar x lib.a
    ar r lib.a x.o
    ar t --plugin ./evil.so lib.a
    cpio -id
    7z x a.7z
    gzip a.txt
    gzip a.txt -c
    gunzip a.gz --stdout
    xxd in -p
    xxd -p in -u
    gzip -d a.gz
    gzip -t -d a.gz
    gunzip a.gz
    xz -t -d a.xz
    bzip2 -k a.txt
    zstd --rm -c a
    zstd -c a -o b
""")

FILES = {
    "ls -la src ../other": ["src", "../other"],
    "ls -I pattern /etc": ["pattern", "/etc"],
    "diff --from-file=/etc/hosts a": ["/etc/hosts", "a"],
    "diff -X ../ignored a b": ["../ignored", "a", "b"],
    "du -X ../ignored src": ["../ignored", "src"],
    "fd pattern /etc": ["/etc"],
    "fd --search-path /etc pattern": ["/etc"],
    "fd --base-directory=/etc pattern": ["/etc"],
    "hexdump -f ../format a.bin": ["../format", "a.bin"],
    "tar tzf ../a.tgz": ["../a.tgz"],
    "tar --list --file=/a.tar x": ["/a.tar"],
    "jar tf ../a.jar": ["../a.jar"],
    "gzip -dc ../a.gz": ["../a.gz"],
    "cat -- -n": ["-n"],
    "cat --number": [],
    "stat -f %z /etc/passwd": ["%z", "/etc/passwd"],
    "realpath /etc/passwd": [],
}


@pytest.mark.parametrize("line", READS)
def test_a_listed_command_only_reads(line: str) -> None:
    assert find_line_reads(line) is not None


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("line", REFUSED)
def test_another_command_may_do_more_than_read(line: str) -> None:
    assert find_line_reads(line) is None


@pytest.mark.parametrize("line", FILES)
def test_the_files_that_a_command_reads_are_known(line: str) -> None:
    assert files_read_by(line) == FILES[line]


@pytest.mark.parametrize(
    "line", ["ls $*", "cat $X", "wc -l $*", "head -n $* notes.txt", "stat $X", "md5sum -- $*"]
)
def test_unknown_words_are_fine_where_every_flag_is_harmless(line: str) -> None:
    assert find_line_reads(line) is not None


@pytest.mark.proves("T-21")
@pytest.mark.parametrize(
    "line", ["tree $X", "diff $X b", "diff a $*", "file $*", "fd $X", "gzip -c $X", "tar -tf a $X"]
)
def test_unknown_words_may_be_flags_where_some_flag_is_not_harmless(line: str) -> None:
    assert find_line_reads(line) is None


def test_unknown_words_are_operands_after_two_dashes() -> None:
    assert files_read_by("diff -- $X b") == [UNKNOWN_MARK, "b"]


@pytest.mark.proves("T-21")
def test_a_glob_may_become_a_flag_too() -> None:
    glob = Word("*", glob=True)

    assert find_reads((Word("ls"), glob)) is not None
    assert find_reads((Word("tree"), glob)) is None
    assert find_reads((Word("tree"), Word("src/*", glob=True))) is not None


@pytest.mark.parametrize("line", ["ls", "ls src", "find . -name '*.py'", "fd -e py", "find src -print0"])
def test_a_listing_command_prints_one_name_per_line(line: str) -> None:
    found = find_line_reads(line)

    assert found is not None
    assert found.lists


@pytest.mark.parametrize(
    "line", ["ls -l", "ls -la src", "find . -printf '/etc/%f'", "find . -ls", "fd --base-directory /etc x"]
)
def test_another_command_does_not_print_plain_names(line: str) -> None:
    found = find_line_reads(line)

    assert found is not None
    assert not found.lists
