"""Programs that list, print and compare files, and say what is known of them."""

from assent.engine.shell.knowledge.entry import Commands, Entry, Operands, Reads

FILES, TEXT, NONE, BINARIES = Operands.FILES, Operands.TEXT, Operands.NONE, Operands.BINARIES

_HELP = " --help --version"

_LS = (
    "-a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I? -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T? -u -U -v -w?"
    " -x -X -Z -1 -@ -e -O -W -P -y"
    " --all --almost-all --author --escape --block-size= --ignore-backups --color? --directory --dired --classify?"
    " --file-type --format= --full-time --group-directories-first --no-group --human-readable --si"
    " --dereference-command-line --dereference-command-line-symlink-to-dir --hide= --hyperlink? --indicator-style="
    " --inode --ignore= --kibibytes --dereference --numeric-uid-gid --literal --hide-control-chars"
    " --show-control-chars --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style="
    " --tabsize= --width= --context --zero" + _HELP
)
_LS_FIELDS = (
    "-l -g -n -o -s -i -m -x -C -D -Q -b -Z --author --format --full-time --inode --size --quote-name --quoting-style"
    " --escape --hyperlink --color --numeric-uid-gid --context --dired --indicator-style -L --dereference"
)
_SUM = (
    "-b -c -t -w -z -l= --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn --length="
    + _HELP
)
_DIFF = (
    "-q -s -c -C= -u -U= -e -f -n -y -W= -p -F= -t -T -r -N -x= -X=< -S= -i -E -Z -b -w -B -I= -a -d -H -L= -P"
    " --normal --brief --report-identical-files --context? --unified? --ed --rcs --side-by-side --width= --left-column"
    " --suppress-common-lines --show-c-function --show-function-line= --label= --expand-tabs --initial-tab --tabsize="
    " --suppress-blank-empty --recursive --no-dereference --new-file --unidirectional-new-file"
    " --ignore-file-name-case --no-ignore-file-name-case --exclude= --exclude-from=< --starting-file= --from-file=<"
    " --to-file=< --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space"
    " --ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --minimal --horizon-lines="
    " --speed-large-files --color? --palette= -NUM" + _HELP
)
_CAT_PACKED = "-f -q -v -t -l -h -V --force --quiet --verbose --test --list" + _HELP

_LISTING: dict[str, Entry] = {
    "ls": Reads(_LS, every_flag=True, lists=True, lists_without=_LS_FIELDS),
    "dir": Reads(_LS, every_flag=True),
    "vdir": Reads(_LS, every_flag=True),
    "eza": Reads(
        "-1 -l -G -x -R -T -F -a -A -d -D -f -L= -r -s= -b -B -g -h -H -i -m -n -S -t= -u -U -X -@ -o -Z -w="
        " --oneline --long --grid --across --recurse --tree --classify? --colour= --color= --icons? --no-icons --all"
        " --almost-all --list-dirs --level= --reverse --sort= --group-directories-first --only-dirs --only-files"
        " --ignore-glob= --git-ignore --binary --bytes --group --header --links --inode --modified --numeric --blocks"
        " --time= --accessed --created --extended --octal-permissions --context --time-style= --no-permissions"
        " --no-filesize --no-user --no-time --width= --hyperlink --version --help -v"
    ),
    "tree": Reads(
        "-a -d -l -f -x -L= -P= -I= -q -N -Q -p -u -g -s -h -D -F -v -t -c -U -r -i -A -S -n -C -X -J"
        " --gitignore --ignore-case --matchdirs --metafirst --prune --info --noreport --charset= --filelimit="
        " --timefmt= --si --du --inodes --device --dirsfirst --filesfirst --sort= --nolinks --hyperlink"
        " --opt-toggle --help --version"
    ),
    "find": Reads(check="find", lists=True, lists_without="-printf -ls -L -follow -xtype -lname -ilname"),
    "fd": Reads(
        "-H -I -u -s -i -g -F -a -L -p -0 -1 -q -d= -t= -e= -E= -c= -j= -S= -o= -h -V"
        " --hidden --no-hidden --no-ignore --ignore --unrestricted --no-ignore-vcs --ignore-vcs --no-ignore-parent"
        " --no-global-ignore-file --no-require-git --case-sensitive --ignore-case --glob --regex --fixed-strings --and="
        " --absolute-path --relative-path --follow --no-follow --full-path --print0 --max-results= --quiet"
        " --show-errors --strip-cwd-prefix? --one-file-system --mount --xdev --max-depth= --min-depth= --exact-depth="
        " --prune --type= --extension= --exclude= --ignore-file=< --color= --threads= --size= --changed-within="
        " --changed-after= --newer= --changed-before= --older= --owner= --base-directory=< --search-path=<" + _HELP,
        Operands.PATTERN_FILES,
        lists=True,
        lists_without="--base-directory --color -c -a --absolute-path -L --follow",
    ),
    "du": Reads(
        "-0 -a -A -B= -b -c -D -d= -g -H -h -I= -k -L -l -m -n -P -r -S -s -t= -x -X=<"
        " --null --all --apparent-size --block-size= --bytes --total --dereference-args --max-depth= --human-readable"
        " --inodes --dereference --count-links --no-dereference --separate-dirs --si --summarize --threshold= --time?"
        " --time-style= --exclude-from=< --exclude= --one-file-system" + _HELP,
        every_flag=True,
    ),
    "df": Reads(
        "-a -B= -b -c -g -h -H -I -i -k -l -m -P -t= -T -x= -v -Y"
        " --all --block-size= --human-readable --si --inodes --local --no-sync --output? --portability --total --type="
        " --print-type --exclude-type=" + _HELP,
        TEXT,
        every_flag=True,
    ),
}

_PRINTING: dict[str, Entry] = {
    "cat": Reads(
        "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs"
        " --show-nonprinting" + _HELP,
        every_flag=True,
    ),
    "tac": Reads("-b -r -s= --before --regex --separator=" + _HELP, every_flag=True),
    "head": Reads("-NUM -c= -n= -q -v -z --bytes= --lines= --quiet --silent --verbose --zero-terminated" + _HELP, every_flag=True),
    "tail": Reads(
        "-NUM -c= -b= -f -F -n= -q -r -s= -v -z --bytes= --follow? --lines= --max-unchanged-stats= --pid= --quiet --silent"
        " --retry --sleep-interval= --verbose --zero-terminated" + _HELP,
        every_flag=True,
    ),
    "wc": Reads("-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total=" + _HELP, every_flag=True),
    "strings": Reads(
        "-a -d -f -n= -o -t= -e= -w -s= -h -v -V -NUM --all --data --print-file-name --bytes= --radix= --encoding="
        " --include-all-whitespace --output-separator=" + _HELP,
        BINARIES,
    ),
    "hexdump": Reads(
        "-b -c -C -d -e= -f=< -L? -n= -o -s= -v -x -X -h -V --one-byte-octal --one-byte-char --canonical"
        " --two-bytes-decimal --format= --format-file=< --color? --length= --two-bytes-octal --skip= --no-squeezing"
        " --two-bytes-hex" + _HELP,
        every_flag=True,
    ),
    "hd": Reads("-b -c -C -d -e= -f=< -n= -o -s= -v -x", every_flag=True),
    "od": Reads(
        "-A= -j= -N= -S= -t= -v -w? -a -b -B -c -d -D -e -f -F -h -H -i -I -l -L -o -O -s -x -X --address-radix= --endian="
        " --skip-bytes= --read-bytes= --strings? --format= --output-duplicates --width? --traditional" + _HELP,
        every_flag=True,
    ),
    # No bundles: `-ps` is one flag, and a word too many would be the file it writes.
    "xxd": Reads(
        "-a -autoskip -b -bits -c= -cols= -C -capitalize -e -E -EBCDIC -g= -groupsize= -h -help -i -include -l= -len= -n="
        " -name= -o= -p -ps -plain -postscript -s= -seek= -u -v -version",
        Operands.SINGLE,
    ),
    "hexyl": Reads("-n= -s= -c= -v -C -P -h -V --length= --skip= --bytes= --no-squeezing --no-characters --no-position --color= --border= --plain" + _HELP),
}

_FACTS: dict[str, Entry] = {
    "stat": Reads(
        "-L -f -c= -t -F -l -n -q -r -s -x -H --dereference --file-system --cached= --format= --printf= --terse" + _HELP,
        every_flag=True,
    ),
    "file": Reads(
        "-b -c -e= -E -F= -h -i -I -k -l -L -N -n -P= -r -s -v -0 --apple --brief --checking-printout --exclude="
        " --exclude-quiet= --extension --separator= --no-dereference --mime --mime-type --mime-encoding --keep-going"
        " --list --dereference --no-pad --no-buffer --parameter= --raw --special-files --print0" + _HELP
    ),
    "realpath": Reads(
        "-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --relative-to="
        " --relative-base= --strip --no-symlinks --zero" + _HELP,
        TEXT,
        every_flag=True,
    ),
    "readlink": Reads(
        "-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet"
        " --silent --verbose --zero" + _HELP,
        TEXT,
        every_flag=True,
    ),
    "basename": Reads("-a -s= -z --multiple --suffix= --zero" + _HELP, TEXT, every_flag=True),
    "dirname": Reads("-z --zero" + _HELP, TEXT, every_flag=True),
    "pathchk": Reads("-p -P --portability" + _HELP, TEXT),
    "namei": Reads("-l -m -n -o -v -x -h -V --long --modes --nosymlinks --owners --vertical --mountpoints" + _HELP),
    "getfacl": Reads(
        "-a -d -c -e -E -s -R -L -P -t -p -n -v -h --access --default --omit-header --all-effective --no-effective"
        " --skip-base --recursive --logical --physical --tabular --absolute-names --numeric" + _HELP
    ),
    "getfattr": Reads(
        "-n= -d -e= -h -m= -R -L -P --name= --dump --encoding= --no-dereference --match= --absolute-names --only-values"
        " --recursive --logical --physical" + _HELP
    ),
    "getcap": Reads("-v -r -n -h"),
    "lsattr": Reads("-R -V -a -d -l -p -v"),
    "xattr": Reads("-l -p -r -s -v -x -h"),
    "mdls": Reads("-name= -raw -nullMarker="),
    "lipo": Reads("-info -archs -detailed_info", needs="-info -archs -detailed_info"),
    "plutil": Reads("-p -lint -s", needs="-p -lint"),
    "mountpoint": Reads("-d -q -x -h -V --fs-devno --quiet --nofollow --devno" + _HELP, TEXT),
    "findmnt": Reads(
        "-A -a -b -C -c -D -d= -e -f -i -J -k -l -M= -m -n -O= -o= -P -R -r -S= -s -T= -t= -U -u -v -h -V"
        " --all --ascii --bytes --nocanonicalize --canonicalize --deleted --df --direction= --evaluate --first-only"
        " --invert --json --kernel --list --mountpoint= --mtab --noheadings --options= --output= --output-all --pairs"
        " --pseudo --shadow --submounts --raw --real --source= --fstab --target= --types= --tree --uniq --notruncate"
        " --nofsroot --verify --verbose" + _HELP,
        TEXT,
    ),
    "lsblk": Reads(
        "-A -a -b -D -d -E= -e= -f -I= -i -J -l -M -m -n -o= -O -P -p -r -S -s -T? -t -w= -x= -y -z -h -V"
        " --noempty --all --bytes --discard --nodeps --dedup= --exclude= --fs --include= --ascii --json --list --merge"
        " --perms --noheadings --output= --output-all --pairs --paths --raw --scsi --inverse --tree? --topology --width="
        " --sort= --shell --zoned" + _HELP,
        TEXT,
    ),
    # Its operands are names to look for among what is open; `-D` alone would write a cache.
    "lsof": Reads(
        "-a -b -c= -C -d= -e= -F? -g? -h -i? -l -L? -n -N -o -p= -P -R -s? -t -T? -u= -U -v -V -w -x? -X -z? -E -K?",
        TEXT,
        check="no hosts after @",
    ),
    "fuser": Reads("-a -m -n= -s -u -v -V -4 -6 -M -c -f --all --mount --namespace= --silent --user --verbose --version --ipv4 --ipv6 --ismountpoint", TEXT, check="no commas"),
}

_COMPARING: dict[str, Entry] = {
    **{
        name: Reads(_SUM, every_flag=True)
        for name in "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum".split()
    },
    "cksum": Reads("-a= -c -l= -o= -w -z --algorithm= --check --length= --tag --untagged --zero --ignore-missing --quiet --status --strict --warn --debug --raw --base64" + _HELP, every_flag=True),
    "sum": Reads("-r -s --sysv" + _HELP, every_flag=True),
    "shasum": Reads(
        "-a= -b -c -t -U -0 -q -s -w -h -v --algorithm= --binary --check --tag --text --UNIVERSAL --01 --ignore-missing"
        " --quiet --status --strict --warn" + _HELP,
        every_flag=True,
    ),
    "md5": Reads("-q -r -s= -c= -n -t -x -p", every_flag=True),
    "cmp": Reads("-b -i= -l -n= -s -v -h -x -z --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent" + _HELP, every_flag=True),
    "diff": Reads(_DIFF, follows="-r --recursive"),
    "colordiff": Reads(_DIFF, follows="-r --recursive"),
    "diff3": Reads(
        "-A -e -E -3 -x -X -i -m -a -T -L= -v --show-all --ed --show-overlap --easy-only --overlap-only --merge --text"
        " --strip-trailing-cr --initial-tab --label=" + _HELP
    ),
    "sdiff": Reads(
        "-i -E -Z -b -W -B -I= -a -w= -l -s -t -d -H -v --ignore-case --ignore-tab-expansion --ignore-trailing-space"
        " --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --strip-trailing-cr"
        " --text --width= --left-column --suppress-common-lines --expand-tabs --tabsize= --minimal --speed-large-files"
        + _HELP
    ),
    "wdiff": Reads("-1 -2 -3 -i -n -s -h -v --no-deleted --no-inserted --no-common --ignore-case --avoid-wraps --statistics" + _HELP),
    "comm": Reads("-1 -2 -3 -i -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated" + _HELP, every_flag=True),
}

_ARCHIVES: dict[str, Entry] = {
    "tar": Reads(check="tar"),
    "bsdtar": Reads(check="tar"),
    "gtar": Reads(check="tar"),
    "jar": Reads(check="jar"),
    "ar": Reads(check="ar"),
    "cpio": Reads("-i -t -v -n --extract --list --verbose --quiet --numeric-uid-gid", TEXT, needs="-t --list"),
    "unzip": Reads("-l -v -t -p -c -z -Z -1 -2 -q -C -h", needs="-l -v -t -p -c -z -Z -h"),
    "zipinfo": Reads("-1 -2 -s -m -l -v -h -t -T -C -z"),
    **{
        name: Commands({"l": Reads("-slt", BINARIES), "t": Reads("", BINARIES)})
        for name in ("7z", "7za", "7zz")
    },
    "unrar": Commands({name: Reads("", BINARIES) for name in "l lb lt v vb vt t".split()}),
    **{name: Reads(_CAT_PACKED) for name in "zcat gzcat bzcat xzcat lzcat zstdcat lz4cat".split()},
    **{name: Reads(check="unpack") for name in "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd".split()},
}

_BINARIES: dict[str, Entry] = {
    "nm": Reads(
        "-A -a -B -C -D -f= -g -h -n -v -p -P -r -S -s -t= -u -U -V -j -m -x -W --print-file-name --debug-syms --demangle?"
        " --no-demangle --dynamic --format= --extern-only --numeric-sort --no-sort --portability --reverse-sort"
        " --print-size --print-armap --radix= --undefined-only --defined-only --size-sort --special-syms --synthetic"
        " --no-weak --with-symbol-versions --without-symbol-versions" + _HELP,
        BINARIES,
    ),
    "c++filt": Reads(
        "-_ -n -p -t -i -r -R -s= --strip-underscore --no-strip-underscore --no-params --types --no-verbose"
        " --recurse-limit --no-recurse-limit --format=" + _HELP,
        BINARIES,
    ),
    "addr2line": Reads(
        "-a -C? -e=< -f -i -p -s --addresses --demangle? --exe=< --functions --inlines --pretty-print --basenames"
        + _HELP,
        BINARIES,
    ),
    "objdump": Reads(
        "-a -C -d -D -f -F -h -H -i -j= -M= -p -r -R -s -t -T -x -w -z -V --archive-headers --archive-header --demangle?"
        " --disassemble? --disassemble-all --no-addresses --prefix-addresses --file-headers --file-offsets"
        " --section-headers --headers --info --section= --disassembler-options= --private-headers --reloc"
        " --dynamic-reloc --full-contents --show-raw-insn --no-show-raw-insn --insn-width= --disassembler-color="
        " --start-address= --stop-address= --syms --dynamic-syms --special-syms --all-headers --wide"
        " --disassemble-zeroes --macho" + _HELP,
        BINARIES,
    ),
    "readelf": Reads(
        "-a -h -l -S -g -t -s -C -e -n -r -u -d -V -A -D -x= -R= -p= -z -c -I -v -W -T -H --all --file-header"
        " --program-headers --segments --sections --section-headers --section-groups --section-details --symbols --syms"
        " --dyn-syms --demangle? --no-demangle --headers --notes --relocs --unwind --dynamic --version-info"
        " --arch-specific --use-dynamic --hex-dump= --relocated-dump= --string-dump= --decompress --archive-index"
        " --histogram --wide --silent-truncation" + _HELP,
        BINARIES,
    ),
    "size": Reads("-A -B -G -d -o -x -t -h -H -v -V -m -l --format= --radix= --common --totals" + _HELP, BINARIES),
    "otool": Reads("-L -l -h -f -D -a -t -d -v -V -I", BINARIES),
}

PROGRAMS: dict[str, Entry] = {
    **_LISTING,
    **_PRINTING,
    **_FACTS,
    **_COMPARING,
    **_ARCHIVES,
    **_BINARIES,
    "fdfind": _LISTING["fd"],
    "exa": _LISTING["eza"],
    "gls": _LISTING["ls"],
    "gfind": _LISTING["find"],
    "gcat": _PRINTING["cat"],
    "ghead": _PRINTING["head"],
    "gtail": _PRINTING["tail"],
    "gwc": _PRINTING["wc"],
    "gstat": _FACTS["stat"],
    "greadlink": _FACTS["readlink"],
    "grealpath": _FACTS["realpath"],
}
