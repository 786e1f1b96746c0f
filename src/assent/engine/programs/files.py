"""Programs that list, print, copy, remove, compare and pack files, and those that run a command for each file."""

from assent.engine.programs.code_files import CodeFile
from assent.engine.programs.losses import REMOVES_FILES, Loss, Losses, LossPattern
from assent.engine.programs.program import (
    BINARIES,
    HELP_FLAGS,
    PATTERN_FILES,
    TEXT,
    Damage,
    EditKind,
    Operands,
    PrintedOutput,
    Program,
    ReadCommands,
    Reads,
    SentFiles,
    ShellEdits,
    TreeReads,
    Writes,
    WritesBy,
    WriteTarget,
)
from assent.engine.programs.runs import (
    INPUT_CONFIRMS,
    INPUT_OPERANDS,
    RIPGREP_OPTIONS,
    InputRule,
    InputUse,
    RestOfWords,
    Runs,
    RunsBy,
    Script,
)

_ARCHIVE_INPUT = InputRule(
    only="-x --extract --get x xv xz xj xJ xvz xvj xvJ xzv xjv xJv xp xpv xC xzC xvC xzvC",
    options="-f=; --file=; -x -v -z -j -J -p -k -m -o -O -P -U -w -C= --directory= --strip-components=",
)
"""Without a file, `tar x` unpacks its input, which names the files that are written."""
_LS = (
    "-a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I? -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T? -u -U -v -w?"
    " -x -X -Z -1 -@ -e -O -W -P -y"
    " --all --almost-all --author --escape --block-size= --ignore-backups --color? --directory --dired --classify?"
    " --file-type --format= --full-time --group-directories-first --no-group --human-readable --si"
    " --dereference-command-line --dereference-command-line-symlink-to-dir --hide= --hyperlink? --indicator-style="
    " --inode --ignore= --kibibytes --dereference --numeric-uid-gid --literal --hide-control-chars"
    " --show-control-chars --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style="
    " --tabsize= --width= --context --zero" + HELP_FLAGS
)
_LS_FIELDS = (
    "-l -g -n -o -s -i -m -x -C -D -Q -b -Z --author --format --full-time --inode --size --quote-name --quoting-style"
    " --escape --hyperlink --color --numeric-uid-gid --context --dired --indicator-style -L --dereference -I"
)
_SUM = (
    "-b -c -t -w -z -l= --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn --length="
    + HELP_FLAGS
)
_DIFF = (
    "-q -s -c -C= -u -U= -e -f -n -y -W= -p -F= -t -T -r -N -x= -X=< -S= -i -E -Z -b -w -B -I= -a -d -H -L= -P"
    " --normal --brief --report-identical-files --context? --unified? --ed --rcs --side-by-side --width= --left-column"
    " --suppress-common-lines --show-c-function --show-function-line= --label= --expand-tabs --initial-tab --tabsize="
    " --suppress-blank-empty --recursive --no-dereference --new-file --unidirectional-new-file"
    " --ignore-file-name-case --no-ignore-file-name-case --exclude= --exclude-from=< --starting-file= --from-file=<"
    " --to-file=< --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space"
    " --ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --minimal --horizon-lines="
    " --speed-large-files --color? --palette= -NUM" + HELP_FLAGS
)
_CAT_PACKED = "-f -q -v -t -l -h -V --force --quiet --verbose --test --list" + HELP_FLAGS
_TAR = (
    "--to-command=! --use-compress-program=! -I=! --rsh-command=! --rmt-command=! -F=! --info-script=!"
    " --new-volume-script=!"
)
_COPY_OPTIONS = (
    "-a --archive -b --backup? -d -f --force -i --interactive -H -l --link -L --dereference -n --no-clobber"
    " -P --no-dereference -p --preserve? --no-preserve= --parents -R -r --recursive --reflink?"
    " --remove-destination --sparse= --strip-trailing-slashes -s --symbolic-link -S= --suffix= -t="
    " --target-directory= -T --no-target-directory -u --update? -v --verbose -x --one-file-system -X -Z"
    " --context? -c -N --debug --attributes-only --copy-contents --keep-directory-symlink --exchange"
    " --no-copy"
)
_COPY = Writes(_COPY_OPTIONS, WriteTarget.LAST, into="-t --target-directory")
_EDITING_COPY = ShellEdits(
    EditKind.COPIES,
    "-f --force -n --no-clobber -v --verbose -t= --target-directory= -T --no-target-directory",
)
_PACK_OPTIONS = (
    "-c --stdout --to-stdout -d --decompress --uncompress -f --force -k --keep -l --list -n --no-name -N"
    " --name -q --quiet -r --recursive -t --test -v --verbose -z --compress -e --extreme -S= --suffix= -T="
    " --threads= -NUM --fast --best --rsyncable --rm -M= --memlimit= -F= --format= -C= --check= --no-sparse"
    " --ultra --long? -o=> -b= --block-size="
)
_PACK = Writes(
    _PACK_OPTIONS,
    WriteTarget.PACKED,
    quiet="-c --stdout --to-stdout -l --list -t --test -o",
    keeps="-k --keep",
)
_ZSTD = _PACK._replace(keeps="-k --keep -z -d --compress --decompress -f -v -q -T --threads")
_RIGHTS = Writes(
    "-c --changes -f --silent --quiet -v --verbose -R --recursive -H -L -P -h --no-dereference"
    " --dereference --from= --preserve-root --no-preserve-root --reference= -n -x -E -N -C -a -i -I",
    WriteTarget.AFTER_FIRST,
    given="--reference",
)
_MODES = _RIGHTS._replace(options=_RIGHTS.options.replace(" -x ", " "))
"""For `chmod`, `-x` is a mode; the words after an unknown option are all taken for paths."""

_XARGS = (
    "-0 --null -a=< --arg-file=< -d= --delimiter= -E= -e? --eof? -I= -i? --replace? -L= -l? --max-lines?"
    " -n= --max-args= -P= --max-procs= -p~ --interactive~ --process-slot-var=~ -r --no-run-if-empty -R= -s="
    " --max-chars= -S= -t --verbose -x --exit -o~ --open-tty~ --show-limits -J="
)
_PARALLEL = (
    "-j= --jobs= -P= --max-procs= -k --keep-order -u --ungroup --group -n= --max-args= -N="
    " --max-replace-args= -L= -l? -m -X --xargs -q --quote -0 --null -a=< --arg-file=< -d= --delimiter= -C="
    " --colsep= -I= --replace? -i? -r --no-run-if-empty -t --verbose -v --dry-run --bar --progress --eta"
    " --line-buffer --linebuffer --lb --tag --tagstring= --halt= --joblog= --results= --res= --resume"
    " --resume-failed --retries= --timeout= --delay= --load= --memfree= --nice= --shuf --env= -S="
    " --sshlogin= --slf= --sshloginfile= --transfer --trim= --tmpdir= --tempdir= --wd= --workdir= --pipe"
    " --pipepart --block= --block-size= --recstart= --recend= --cat --fifo --round-robin --ctrlc --no-notice"
    " --will-cite --bg --fg --semaphore --id= --wait -s= --max-chars= -x --exit --header= --basenamereplace="
    " --bnr= --plus --rpl= --link --xapply --shellquote --silent --compress --files --gnu"
)
_LINKING = "-l --link -s --symbolic-link"

PROGRAMS = (
    Program("lsd dust duf", reads=Reads("--version", only=True)),
    Program(
        "split",
        reads=Reads("--help --version", only=True),
        text_options="--filter=!",
        writes=Writes(
            "-a= --suffix-length= --additional-suffix= -b= --bytes= -C= --line-bytes= -d --numeric-suffixes? -x"
            " --hex-suffixes? -e --elide-empty-files --filter= -l= --lines= -n= --number= -t= --separator= -u"
            " --unbuffered --verbose -p= -NUM",
            WriteTarget.SECOND,
        ),
    ),
    Program(
        "xargs",
        reads=Reads("--help --version", only=True),
        runs_by=RunsBy.INPUT_NAMES,
        input=(InputRule(InputUse.OPERANDS, options="-a=; --arg-file=; --version; --help;"),),
        prints=PrintedOutput.CHANGES,
        runs_options=_XARGS,
    ),
    Program(
        "gxargs",
        reads=Reads("--help --version", only=True),
        runs_by=RunsBy.INPUT_NAMES,
        input=(InputRule(InputUse.OPERANDS, options="-a=; --arg-file=; --version; --help;"),),
        runs_options=_XARGS,
    ),
    Program(
        "csplit",
        reads=Reads("--help --version", only=True),
        writes=Writes(
            "-b= --suffix-format= -f=> --prefix=> -k --keep-files -n= --digits= -s --quiet --silent -z"
            " --elide-empty-files --suppress-matched",
            WriteTarget.NONE,
        ),
    ),
    Program(
        "ls",
        reads=Reads(_LS, every_flag=True, lists=True, lists_without=_LS_FIELDS, follows="-L --dereference"),
        options={"": "a=all"},
        shortens_options=True,
        prints_names=True,
        lists_whole_directory=True,
    ),
    Program("dir vdir", reads=Reads(_LS, every_flag=True)),
    Program(
        "eza exa",
        reads=Reads(
            "-1 -l -G -x -R -T -F -a -A -d -D -f -L= -r -s= -b -B -g -h -H -i -m -n -S -t= -u -U -X -@ -o -Z -w="
            " --oneline --long --grid --across --recurse --tree --classify? --colour= --color= --icons? --no-icons --all"
            " --almost-all --list-dirs --level= --reverse --sort= --group-directories-first --only-dirs --only-files"
            " --ignore-glob= --git-ignore --binary --bytes --group --header --links --inode --modified --numeric --blocks"
            " --time= --accessed --created --extended --octal-permissions --context --time-style= --no-permissions"
            " --no-filesize --no-user --no-time --width= --hyperlink --version --help -v"
        ),
    ),
    Program(
        "tree",
        reads=Reads(
            "-a -d -l -f -x -L= -P= -I= -q -N -Q -p -u -g -s -h -D -F -v -t -c -U -r -i -A -S -n -C -X -J"
            " --gitignore --ignore-case --matchdirs --metafirst --prune --info --noreport --charset= --filelimit="
            " --timefmt= --si --du --inodes --device --dirsfirst --filesfirst --sort= --nolinks --hyperlink"
            " --opt-toggle --help --version",
            follows="-l",
        ),
    ),
    Program(
        "find",
        reads=Reads(
            check="find",
            lists=True,
            lists_without="-printf -ls -L -follow -xtype -lname -ilname",
            follows="-L -follow",
        ),
        runs_by=RunsBy.FOUND_FILES,
        writes=Writes(by=WritesBy.FOUND_FILES),
        losses=Losses((LossPattern("", Loss.REMOVES_FILES, flags="-delete"),)),
        damage=Damage.FOUND_FILES,
    ),
    Program(
        "fd fdfind",
        reads=Reads(
            "-H -I -u -s -i -g -F -a -L -p -0 -1 -q -d= -t= -e= -E= -c= -j= -S= -o= -h -V"
            " --hidden --no-hidden --no-ignore --ignore --unrestricted --no-ignore-vcs --ignore-vcs --no-ignore-parent"
            " --no-global-ignore-file --no-require-git --case-sensitive --ignore-case --glob --regex --fixed-strings --and="
            " --absolute-path --relative-path --follow --no-follow --full-path --print0 --max-results= --quiet"
            " --show-errors --strip-cwd-prefix? --one-file-system --mount --xdev --max-depth= --min-depth= --exact-depth="
            " --prune --type= --extension= --exclude= --ignore-file=< --color= --threads= --size= --changed-within="
            " --changed-after= --newer= --changed-before= --older= --owner= --base-directory=< --search-path=<"
            + HELP_FLAGS,
            Operands.PATTERN_FILES,
            follows="-L --follow",
            lists=True,
            lists_without="--base-directory --color -c -a --absolute-path -L --follow",
        ),
        runs_by=RunsBy.FOUND_NAMES,
    ),
    Program(
        "du",
        reads=Reads(
            "-0 -a -A -B= -b -c -D -d= -g -H -h -I= -k -L -l -m -n -P -r -S -s -t= -x -X=<"
            " --null --all --apparent-size --block-size= --bytes --total --dereference-args --max-depth= --human-readable"
            " --inodes --dereference --count-links --no-dereference --separate-dirs --si --summarize --threshold= --time?"
            " --time-style= --exclude-from=< --exclude= --one-file-system" + HELP_FLAGS,
            every_flag=True,
            follows="-L --dereference",
        ),
        options={"": "s=summarize h=human-readable a=all"},
        shortens_options=True,
    ),
    Program(
        "df",
        reads=Reads(
            "-a -B= -b -c -g -h -H -I -i -k -l -m -P -t= -T -x= -v -Y"
            " --all --block-size= --human-readable --si --inodes --local --no-sync --output? --portability --total --type="
            " --print-type --exclude-type=" + HELP_FLAGS,
            TEXT,
            every_flag=True,
        ),
    ),
    Program(
        "cat",
        copies_input=True,
        reads=Reads(
            "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs"
            " --show-nonprinting" + HELP_FLAGS,
            every_flag=True,
        ),
        takes_data=True,
        dash_is_data="*",
        prints=PrintedOutput.PASSES,
    ),
    Program(
        "tac",
        reads=Reads("-b -r -s= --before --regex --separator=" + HELP_FLAGS, every_flag=True),
        prints=PrintedOutput.PASSES,
        filters="",
    ),
    Program(
        "head",
        reads=Reads(
            "-NUM -c= -n= -q -v -z --bytes= --lines= --quiet --silent --verbose --zero-terminated"
            + HELP_FLAGS,
            every_flag=True,
        ),
        prints=PrintedOutput.PASSES,
        prints_beginning=True,
        filters="-n",
    ),
    Program(
        "tail",
        reads=Reads(
            "-NUM -c= -b= -f -F -n= -q -r -s= -v -z --bytes= --follow? --lines= --max-unchanged-stats= --pid= --quiet --silent"
            " --retry --sleep-interval= --verbose --zero-terminated" + HELP_FLAGS,
            every_flag=True,
        ),
        prints=PrintedOutput.PASSES,
        filters="-n",
    ),
    Program(
        "wc gwc",
        reads=Reads(
            "-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total=" + HELP_FLAGS,
            every_flag=True,
        ),
    ),
    Program(
        "strings",
        reads=Reads(
            "-a -d -f -n= -o -t= -e= -w -s= -h -v -V -NUM --all --data --print-file-name --bytes= --radix= --encoding="
            " --include-all-whitespace --output-separator=" + HELP_FLAGS,
            BINARIES,
        ),
    ),
    Program(
        "hexdump",
        reads=Reads(
            "-b -c -C -d -e= -f=< -L? -n= -o -s= -v -x -X -h -V --one-byte-octal --one-byte-char --canonical"
            " --two-bytes-decimal --format= --format-file=< --color? --length= --two-bytes-octal --skip= --no-squeezing"
            " --two-bytes-hex" + HELP_FLAGS,
            every_flag=True,
        ),
    ),
    Program("hd", reads=Reads("-b -c -C -d -e= -f=< -n= -o -s= -v -x", every_flag=True)),
    Program(
        "od",
        reads=Reads(
            "-A= -j= -N= -S= -t= -v -w? -a -b -B -c -d -D -e -f -F -h -H -i -I -l -L -o -O -s -x -X --address-radix= --endian="
            " --skip-bytes= --read-bytes= --strings? --format= --output-duplicates --width? --traditional"
            + HELP_FLAGS,
            every_flag=True,
        ),
    ),
    # No bundles: `-ps` is one flag, and a word too many would be the file it writes.
    Program(
        "xxd",
        reads=Reads(
            "-a -autoskip -b -bits -c= -cols= -C -capitalize -e -E -EBCDIC -g= -groupsize= -h -help -i -include -l= -len= -n="
            " -name= -o= -p -ps -plain -postscript -s= -seek= -u -v -version",
            Operands.SINGLE,
        ),
        writes=Writes("-a -b -C -e -E -i -p -ps -r -u -v -c= -g= -l= -n= -o= -s= -R=", WriteTarget.SECOND),
    ),
    Program(
        "hexyl",
        reads=Reads(
            "-n= -s= -c= -v -C -P -h -V --length= --skip= --bytes= --no-squeezing --no-characters --no-position --color= --border= --plain"
            + HELP_FLAGS
        ),
    ),
    Program(
        "stat gstat",
        reads=Reads(
            "-L -f -c= -t -F -l -n -q -r -s -x -H --dereference --file-system --cached= --format= --printf= --terse"
            + HELP_FLAGS,
            every_flag=True,
        ),
    ),
    Program(
        "file",
        reads=Reads(
            "-b -c -e= -E -F= -h -i -I -k -l -L -N -n -P= -r -s -v -0 --apple --brief --checking-printout --exclude="
            " --exclude-quiet= --extension --separator= --no-dereference --mime --mime-type --mime-encoding --keep-going"
            " --list --dereference --no-pad --no-buffer --parameter= --raw --special-files --print0"
            + HELP_FLAGS
        ),
    ),
    Program(
        "realpath",
        reads=Reads(
            "-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --relative-to="
            " --relative-base= --strip --no-symlinks --zero" + HELP_FLAGS,
            TEXT,
            every_flag=True,
        ),
        prints_names=True,
    ),
    Program(
        "readlink",
        reads=Reads(
            "-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet"
            " --silent --verbose --zero" + HELP_FLAGS,
            TEXT,
            every_flag=True,
        ),
        prints_names=True,
    ),
    Program(
        "basename",
        reads=Reads("-a -s= -z --multiple --suffix= --zero" + HELP_FLAGS, TEXT, every_flag=True),
        prints_names=True,
    ),
    Program("dirname", reads=Reads("-z --zero" + HELP_FLAGS, TEXT, every_flag=True), prints_names=True),
    Program("pathchk", reads=Reads("-p -P --portability" + HELP_FLAGS, TEXT)),
    Program(
        "namei",
        reads=Reads(
            "-l -m -n -o -v -x -h -V --long --modes --nosymlinks --owners --vertical --mountpoints"
            + HELP_FLAGS
        ),
    ),
    Program(
        "getfacl",
        reads=Reads(
            "-a -d -c -e -E -s -R -L -P -t -p -n -v -h --access --default --omit-header --all-effective --no-effective"
            " --skip-base --recursive --logical --physical --tabular --absolute-names --numeric" + HELP_FLAGS
        ),
    ),
    Program(
        "getfattr",
        reads=Reads(
            "-n= -d -e= -h -m= -R -L -P --name= --dump --encoding= --no-dereference --match= --absolute-names --only-values"
            " --recursive --logical --physical" + HELP_FLAGS
        ),
    ),
    Program("getcap", reads=Reads("-v -r -n -h")),
    Program("lsattr", reads=Reads("-R -V -a -d -l -p -v")),
    Program(
        "xattr",
        reads=Reads("-l -p -r -s -v -x -h"),
        writes=Writes("-c -d= -w== -r -s -v -x", WriteTarget.EVERY),
    ),
    Program("mdls", reads=Reads("-name= -raw -nullMarker=")),
    Program("lipo", reads=Reads("-info -archs -detailed_info", needs="-info -archs -detailed_info")),
    Program("plutil", reads=Reads("-p -lint -s", needs="-p -lint")),
    Program(
        "mountpoint", reads=Reads("-d -q -x -h -V --fs-devno --quiet --nofollow --devno" + HELP_FLAGS, TEXT)
    ),
    Program(
        "findmnt",
        reads=Reads(
            "-A -a -b -C -c -D -d= -e -f -i -J -k -l -M= -m -n -O= -o= -P -R -r -S= -s -T= -t= -U -u -v -h -V"
            " --all --ascii --bytes --nocanonicalize --canonicalize --deleted --df --direction= --evaluate --first-only"
            " --invert --json --kernel --list --mountpoint= --mtab --noheadings --options= --output= --output-all --pairs"
            " --pseudo --shadow --submounts --raw --real --source= --fstab --target= --types= --tree --uniq --notruncate"
            " --nofsroot --verify --verbose" + HELP_FLAGS,
            TEXT,
        ),
    ),
    Program(
        "lsblk",
        reads=Reads(
            "-A -a -b -D -d -E= -e= -f -I= -i -J -l -M -m -n -o= -O -P -p -r -S -s -T? -t -w= -x= -y -z -h -V"
            " --noempty --all --bytes --discard --nodeps --dedup= --exclude= --fs --include= --ascii --json --list --merge"
            " --perms --noheadings --output= --output-all --pairs --paths --raw --scsi --inverse --tree? --topology --width="
            " --sort= --shell --zoned" + HELP_FLAGS,
            TEXT,
        ),
    ),
    # Its operands are names to look for among what is open; `-D` alone would write a cache.
    Program(
        "lsof",
        reads=Reads(
            "-a -b -c= -C -d= -e= -F? -g? -h -i? -l -L? -n -N -o -p= -P -R -s? -t -T? -u= -U -v -V -w -x? -X -z? -E -K?",
            TEXT,
            check="no hosts after @",
        ),
    ),
    Program(
        "fuser",
        reads=Reads(
            "-a -m -n= -s -u -v -V -4 -6 -M -c -f --all --mount --namespace= --silent --user --verbose --version --ipv4 --ipv6 --ismountpoint",
            TEXT,
            check="no commas",
        ),
    ),
    Program(
        "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum", reads=Reads(_SUM, every_flag=True)
    ),
    Program(
        "cksum",
        reads=Reads(
            "-a= -c -l= -o= -w -z --algorithm= --check --length= --tag --untagged --zero --ignore-missing --quiet --status --strict --warn --debug --raw --base64"
            + HELP_FLAGS,
            every_flag=True,
        ),
    ),
    Program("sum", reads=Reads("-r -s --sysv" + HELP_FLAGS, every_flag=True)),
    Program(
        "shasum",
        reads=Reads(
            "-a= -b -c -t -U -0 -q -s -w -h -v --algorithm= --binary --check --tag --text --UNIVERSAL --01 --ignore-missing"
            " --quiet --status --strict --warn" + HELP_FLAGS,
            every_flag=True,
        ),
    ),
    Program("md5", reads=Reads("-q -r -s= -c= -n -t -x -p", every_flag=True)),
    Program(
        "cmp",
        reads=Reads(
            "-b -i= -l -n= -s -v -h -x -z --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent"
            + HELP_FLAGS,
            every_flag=True,
        ),
    ),
    Program("diff colordiff", reads=Reads(_DIFF, follows="-r --recursive", trusted_links=True)),
    Program(
        "diff3",
        reads=Reads(
            "-A -e -E -3 -x -X -i -m -a -T -L= -v --show-all --ed --show-overlap --easy-only --overlap-only --merge --text"
            " --strip-trailing-cr --initial-tab --label=" + HELP_FLAGS
        ),
    ),
    Program(
        "sdiff",
        reads=Reads(
            "-i -E -Z -b -W -B -I= -a -w= -l -s -t -d -H -v --ignore-case --ignore-tab-expansion --ignore-trailing-space"
            " --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --strip-trailing-cr"
            " --text --width= --left-column --suppress-common-lines --expand-tabs --tabsize= --minimal --speed-large-files"
            + HELP_FLAGS
        ),
    ),
    Program(
        "wdiff",
        reads=Reads(
            "-1 -2 -3 -i -n -s -h -v --no-deleted --no-inserted --no-common --ignore-case --avoid-wraps --statistics"
            + HELP_FLAGS
        ),
    ),
    Program(
        "comm",
        reads=Reads(
            "-1 -2 -3 -i -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated"
            + HELP_FLAGS,
            every_flag=True,
        ),
    ),
    Program(
        "tar",
        input=(_ARCHIVE_INPUT,),
        reads_trees=TreeReads.PACKED,
        reads=Reads(check="tar"),
        text_options=_TAR,
        text_words=("exec=",),
        writes=Writes(
            "-c --create -x --extract --get -t --list -r --append -u --update -A --catenate --concatenate -d --diff"
            " --compare --delete -f= --file= -C= --directory= -v --verbose -z --gzip --gunzip -j --bzip2 -J --xz -a"
            " --auto-compress -Z --compress --zstd --lzma --lzip --lzop -p --preserve-permissions -k"
            " --keep-old-files -m --touch -O --to-stdout -P --absolute-names -h --dereference -S --sparse -U"
            " --unlink-first -w --interactive -W --verify -l -o -s -n -B -i -b= --blocking-factor= -K= -N= --newer="
            " -T= --files-from= -V= --label= -X= --exclude-from= -g=> --listed-incremental=> --exclude="
            " --strip-components= --transform= --xform= --owner= --group= --mode= --mtime= --sort= --format= -H="
            " --remove-files --overwrite --no-same-owner --no-same-permissions --same-owner --numeric-owner"
            " --wildcards --no-recursion --one-file-system --exclude-vcs --warning= --totals? --checkpoint?"
            " --index-file=> --skip-old-files --keep-newer-files --recursive-unlink --backup? --suffix= -q -I="
            " --use-compress-program= --to-command= --checkpoint-action= -F=",
            by=WritesBy.ARCHIVE,
        ),
        takes_data=True,
        options={
            "": "x=extract c=create f=file t=list z=gzip j=bzip2 J=xz v=verbose C=directory r=append u=update"
        },
        shortens_options=True,
        same_as=("tar = gtar = bsdtar",),
        damage=Damage.UNPACKS,
        sends=SentFiles.OPERANDS,
    ),
    Program(
        "bsdtar",
        input=(_ARCHIVE_INPUT,),
        reads_trees=TreeReads.PACKED,
        reads=Reads(check="tar"),
        text_options="--use-compress-program=!",
        writes=Writes(
            "-c --create -x --extract --get -t --list -r --append -u --update -A --catenate --concatenate -d --diff"
            " --compare --delete -f= --file= -C= --directory= -v --verbose -z --gzip --gunzip -j --bzip2 -J --xz -a"
            " --auto-compress -Z --compress --zstd --lzma --lzip --lzop -p --preserve-permissions -k"
            " --keep-old-files -m --touch -O --to-stdout -P --absolute-names -h --dereference -S --sparse -U"
            " --unlink-first -w --interactive -W --verify -l -o -s -n -B -i -b= --blocking-factor= -K= -N= --newer="
            " -T= --files-from= -V= --label= -X= --exclude-from= -g=> --listed-incremental=> --exclude="
            " --strip-components= --transform= --xform= --owner= --group= --mode= --mtime= --sort= --format= -H="
            " --remove-files --overwrite --no-same-owner --no-same-permissions --same-owner --numeric-owner"
            " --wildcards --no-recursion --one-file-system --exclude-vcs --warning= --totals? --checkpoint?"
            " --index-file=> --skip-old-files --keep-newer-files --recursive-unlink --backup? --suffix= -q -I="
            " --use-compress-program= --to-command= --checkpoint-action= -F=",
            by=WritesBy.ARCHIVE,
        ),
        damage=Damage.UNPACKS,
        sends=SentFiles.OPERANDS,
    ),
    Program(
        "gtar",
        reads_trees=TreeReads.PACKED,
        reads=Reads(check="tar"),
        text_options=_TAR,
        text_words=("exec=",),
        writes=Writes(
            "-c --create -x --extract --get -t --list -r --append -u --update -A --catenate --concatenate -d --diff"
            " --compare --delete -f= --file= -C= --directory= -v --verbose -z --gzip --gunzip -j --bzip2 -J --xz -a"
            " --auto-compress -Z --compress --zstd --lzma --lzip --lzop -p --preserve-permissions -k"
            " --keep-old-files -m --touch -O --to-stdout -P --absolute-names -h --dereference -S --sparse -U"
            " --unlink-first -w --interactive -W --verify -l -o -s -n -B -i -b= --blocking-factor= -K= -N= --newer="
            " -T= --files-from= -V= --label= -X= --exclude-from= -g=> --listed-incremental=> --exclude="
            " --strip-components= --transform= --xform= --owner= --group= --mode= --mtime= --sort= --format= -H="
            " --remove-files --overwrite --no-same-owner --no-same-permissions --same-owner --numeric-owner"
            " --wildcards --no-recursion --one-file-system --exclude-vcs --warning= --totals? --checkpoint?"
            " --index-file=> --skip-old-files --keep-newer-files --recursive-unlink --backup? --suffix= -q -I="
            " --use-compress-program= --to-command= --checkpoint-action= -F=",
            by=WritesBy.ARCHIVE,
        ),
        shortens_options=True,
        damage=Damage.UNPACKS,
        sends=SentFiles.OPERANDS,
    ),
    Program(
        "cpio",
        reads=Reads(
            "-i -t -v -n --extract --list --verbose --quiet --numeric-uid-gid", TEXT, needs="-t --list"
        ),
        text_options="--rsh-command=!",
        writes=Writes(
            "-i --extract -o --create -p --pass-through -d --make-directories -m -u -v -t -0 -D=> --directory=> -F= -I= -O=>"
            " -H= --format= -R= -E= -*",
            WriteTarget.EVERY,
        ),
        input=(INPUT_OPERANDS,),
        damage=Damage.UNPACKS,
    ),
    Program(
        "unzip",
        input=(InputRule(InputUse.ANSWERS, options="-o; -n; -l; -t; -p; -Z; -v;"),),
        reads=Reads("-l -v -t -p -c -z -Z -1 -2 -q -C -h", needs="-l -v -t -p -c -z -Z -h"),
        writes=Writes(
            "-a -aa -b -B -C -D -f -i -j -K -L -l -M -n -N -o -p -P= -q -qq -s -t -T -u -U -v -V -W -X -Z -z -:"
            " -^ -d= -x= -c",
            WriteTarget.MEMBERS,
            into="-d",
            quiet="-l -t -p -Z -c -v -z",
        ),
        takes_data=True,
        damage=Damage.UNPACKS,
    ),
    Program("zipinfo", reads=Reads("-1 -2 -s -m -l -v -h -t -T -C -z")),
    Program(
        "7z",
        reads_trees=TreeReads.PACKED,
        reads=ReadCommands({"l": Reads("-slt", BINARIES), "t": Reads("", BINARIES)}),
        writes=Writes("-o?> -p? -y -r -t? -m? -x? -i? -w?>", WriteTarget.AFTER_FIRST),
        damage=Damage.UNPACKS,
        sends=SentFiles.OPERANDS,
    ),
    Program(
        "7za",
        reads_trees=TreeReads.PACKED,
        reads=ReadCommands({"l": Reads("-slt", BINARIES), "t": Reads("", BINARIES)}),
        writes=Writes("-o?> -p? -y -r -t? -m? -x? -i?", WriteTarget.AFTER_FIRST),
        damage=Damage.UNPACKS,
        sends=SentFiles.OPERANDS,
    ),
    Program("7zz", reads=ReadCommands({"l": Reads("-slt", BINARIES), "t": Reads("", BINARIES)})),
    Program("unrar", reads=ReadCommands({name: Reads("", BINARIES) for name in "l lb lt v vb vt t".split()})),
    Program("zcat gzcat bzcat xzcat lzcat zstdcat lz4cat", reads=Reads(_CAT_PACKED)),
    Program("gzip gunzip bzip2 xz", reads=Reads(check="unpack"), writes=_PACK, takes_data=True),
    Program("bunzip2 unxz", reads=Reads(check="unpack"), writes=_PACK),
    Program("zstd", reads=Reads(check="unpack"), writes=_ZSTD, takes_data=True),
    Program("unzstd", reads=Reads(check="unpack"), writes=_ZSTD),
    Program("gls", reads=Reads(_LS, every_flag=True, lists=True, lists_without=_LS_FIELDS)),
    Program(
        "gfind",
        reads=Reads(check="find", lists=True, lists_without="-printf -ls -L -follow -xtype -lname -ilname"),
        runs_by=RunsBy.FOUND_FILES,
        writes=Writes(by=WritesBy.FOUND_FILES),
        losses=Losses((LossPattern("", Loss.REMOVES_FILES, flags="-delete"),)),
    ),
    Program(
        "gcat",
        reads=Reads(
            "-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs"
            " --show-nonprinting" + HELP_FLAGS,
            every_flag=True,
        ),
        prints=PrintedOutput.PASSES,
    ),
    Program(
        "ghead",
        reads=Reads(
            "-NUM -c= -n= -q -v -z --bytes= --lines= --quiet --silent --verbose --zero-terminated"
            + HELP_FLAGS,
            every_flag=True,
        ),
    ),
    Program(
        "gtail",
        reads=Reads(
            "-NUM -c= -b= -f -F -n= -q -r -s= -v -z --bytes= --follow? --lines= --max-unchanged-stats= --pid= --quiet --silent"
            " --retry --sleep-interval= --verbose --zero-terminated" + HELP_FLAGS,
            every_flag=True,
        ),
    ),
    Program(
        "greadlink",
        reads=Reads(
            "-f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet"
            " --silent --verbose --zero" + HELP_FLAGS,
            TEXT,
            every_flag=True,
        ),
    ),
    Program(
        "grealpath",
        reads=Reads(
            "-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --relative-to="
            " --relative-base= --strip --no-symlinks --zero" + HELP_FLAGS,
            TEXT,
            every_flag=True,
        ),
    ),
    Program(
        "ag",
        reads_trees=TreeReads.UNRESTRICTED,
        reads=Reads(
            "-a -A? -B? -c -C? -D -F -g=^ -G=: -H -i -l -L -m= -n -o -p=< -Q -r -R -s -S -t -u -U -v -V -w -0 -h"
            " --ackmate --affinity --noaffinity --all-types --after? --before? --break --nobreak --count --color --nocolor"
            " --color-line-number= --color-match= --color-path= --column --context? --debug --depth= --filename --nofilename"
            " --nofollow --fixed-strings --group --nogroup --file-search-regex=: --heading --noheading --hidden"
            " --ignore= --ignore-dir= --ignore-case --files-with-matches --files-without-matches --list-file-types^"
            " --max-count= --mmap --nommap --multiline --nomultiline --norecurse --numbers --nonumbers --only-matching"
            " --one-device --path-to-ignore=< --nopager --parallel --print-long-lines --passthrough --passthru --literal"
            " --recurse --case-sensitive --smart-case --search-binary --silent --stats --stats-only --all-text --unrestricted"
            " --skip-vcs-ignores --invert-match --vimgrep --word-regexp --workers= --null --print0"
            + HELP_FLAGS,
            PATTERN_FILES,
            lists_with="-l -L -g --files-with-matches --files-without-matches",
            lists_without="-c --count --color --ackmate",
        ),
        text_options="--pager=!",
    ),
    Program(
        "rush",
        runs=Runs(
            "-j= --jobs= -n= --nrecords= -d= --record-delimiter= -D= --field-delimiter= -i= --infile= -I= -r="
            " --retries= -t= --timeout= -v= --assign= -T= --trim= -C= --succ-cmd-file= -k --keep-order -q -e",
            rest=RestOfWords.TEXTS,
        ),
        input=(InputRule(InputUse.OPERANDS, options="-a=; --arg-file=; --version; --help;"),),
    ),
    Program(
        "ack",
        reads_trees=TreeReads.UNRESTRICTED,
        reads=Reads(
            "-A= -B= -C? -c -f -g^ -H -h -i -I -l -L -m= -n -o -Q -R -r -s -S -v -w -1 -p? -P --after-context= --before-context="
            " --context? --bar --break --nobreak --color --nocolor --colour --nocolour --column --nocolumn --count"
            " --files-with-matches --files-without-matches --filter --nofilter --nofollow --group --nogroup --heading"
            " --noheading --help-types --ignore-case --smart-case --nosmart-case --no-smart-case --ignore-dir="
            " --ignore-directory= --noignore-dir= --ignore-file= --known-types --literal --max-count= --no-filename"
            " --with-filename --no-recurse --recurse --passthru --nopager --print0 --sort-files --show-types --type="
            " -t= -T= --invert-match --word-regexp --version --help --noenv --go --js --py --python --ts --rust --java --ruby --php"
            " --css --html --json --yaml --md --markdown --shell --cc --cpp --perl",
            PATTERN_FILES,
            trust=True,
            lists_with="-f -g -l -L --files-with-matches --files-without-matches",
            lists_without="-c --count --color",
        ),
        text_options="--pager=!",
        code_files=(CodeFile(".ackrc"),),
    ),
    Program(
        "pt",
        reads_trees=TreeReads.UNRESTRICTED,
        reads=Reads(
            "-i -S -e -w -l -c -C= -A= -B= -o -G=: -f -0 --color --nocolor --color-line-number= --color-match= --color-path="
            " --group --nogroup --column --numbers --nonumbers -N --after= --before= --context= --files-with-matches"
            " --count --ignore= --vcs-ignore= --global-gitignore --home-ptignore --skip-vcs-ignores -U --hidden"
            " --file-search-regexp=: --depth= --smart-case --ignore-case --word-regexp --output-encode= --version --help",
            PATTERN_FILES,
            lists_with="-l --files-with-matches",
            lists_without="-c --count --color",
        ),
    ),
    Program("rga", reads_trees=TreeReads.UNRESTRICTED, text_options=RIPGREP_OPTIONS),
    Program("gsplit", text_options="--filter=!"),
    Program(
        "zip",
        reads_trees=TreeReads.PACKED,
        text_options="-TT=! --unzip-command=!",
        writes=Writes(
            "-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -A -D -d -e -f -F -FF -g -i= -j -J -k -l -ll -m -o -O=> -P= -q -r -R"
            " -s= -S -T -u -v -x= -X -y -z -Z= -@ -b=> -n= -t= -tt=",
            WriteTarget.FIRST,
            removing="-m",
        ),
        input=(InputRule(InputUse.OPERANDS, only="-@ -"),),
        sends=SentFiles.OPERANDS,
    ),
    Program("bfs", runs_by=RunsBy.FOUND_FILES),
    Program(
        "parallel",
        runs_by=RunsBy.ARGUMENTS,
        input=(InputRule(InputUse.OPERANDS, options="-a=; --arg-file=; --version; --help;"),),
        runs_files=True,
        runs_options=_PARALLEL,
    ),
    Program(
        "sem env_parallel",
        runs_by=RunsBy.ARGUMENTS,
        input=(InputRule(InputUse.OPERANDS, options="-a=; --arg-file=; --version; --help;"),),
        runs_options=_PARALLEL,
    ),
    Program(
        "sponge",
        writes=Writes("-a"),
        takes_data=True,
        dash_is_data="*",
        prints=PrintedOutput.PASSES,
        image="#*",
        writes_input_to_operands=True,
    ),
    Program(
        "touch",
        shell_edits=ShellEdits(EditKind.FILES, "-a -c -m --no-create"),
        writes=Writes(
            "-a -c --no-create -d= --date= -f -h --no-dereference -m -r= --reference= -t= --time= -A="
        ),
        takes_data=True,
        prints=PrintedOutput.NOTHING,
    ),
    Program(
        "mkdir",
        shell_edits=ShellEdits(EditKind.DIRECTORIES, "-p --parents -v --verbose"),
        writes=Writes("-m= --mode= -p --parents -v --verbose -Z --context?"),
        takes_data=True,
        options={"": "p=parents m=mode"},
        shortens_options=True,
        prints=PrintedOutput.NOTHING,
    ),
    Program("mkfifo", writes=Writes("-m= --mode= -Z --context?")),
    Program("mknod", writes=Writes("-m= --mode= -Z --context?", WriteTarget.FIRST)),
    Program("mktemp", writes=Writes("-d --directory -u --dry-run -q --quiet --suffix= -p=> --tmpdir?> -t")),
    Program(
        "truncate",
        writes=Writes("-c --no-create -o --io-blocks -r= --reference= -s= --size="),
        takes_data=True,
        losses=Losses((LossPattern("", Loss.EMPTIES, "file"),), "-s --size -r --reference"),
        damage=Damage.TRUNCATES,
    ),
    Program(
        "fallocate",
        writes=Writes("-c -d -i -n -p -v -x -z -o= --offset= -l= --length= --posix --dig-holes --punch-hole"),
    ),
    Program(
        "rm",
        input=(INPUT_CONFIRMS,),
        writes=Writes(
            "-d --dir -f --force -i -I -P -r -R --recursive -v --verbose -W -x --interactive? --one-file-system"
            " --no-preserve-root --preserve-root?",
            WriteTarget.REMOVED,
        ),
        takes_data=True,
        losses=REMOVES_FILES,
        options={"": "r=recursive R=recursive f=force i=interactive v=verbose d=dir"},
        shortens_options=True,
        same_as=("rm = grm",),
        prints=PrintedOutput.NOTHING,
        damage=Damage.REMOVES,
    ),
    Program(
        "rmdir",
        writes=Writes("-p --parents -v --verbose --ignore-fail-on-non-empty", WriteTarget.REMOVED),
        takes_data=True,
        prints=PrintedOutput.NOTHING,
        damage=Damage.REMOVES_DRIVES,
    ),
    Program("unlink", writes=Writes("", WriteTarget.REMOVED), losses=REMOVES_FILES, damage=Damage.REMOVES),
    Program("trash", writes=Writes("-v -F -f -r -R -i", WriteTarget.REMOVED), damage=Damage.REMOVES_TREES),
    Program(
        "trash-put", writes=Writes("-v -f -r -R -i -d", WriteTarget.REMOVED), damage=Damage.REMOVES_TREES
    ),
    Program(
        "srm",
        writes=Writes("-d -f -i -r -R -s -v -z", WriteTarget.REMOVED),
        losses=REMOVES_FILES,
        damage=Damage.REMOVES,
    ),
    Program(
        "cp",
        input=(INPUT_CONFIRMS,),
        reads_trees=TreeReads.COPIED,
        shell_edits=_EDITING_COPY,
        writes=_COPY._replace(links=_LINKING),
        takes_data=True,
        options={"": "r=recursive R=recursive f=force v=verbose a=archive n=no-clobber p=preserve"},
        shortens_options=True,
        prints=PrintedOutput.NOTHING,
        damage=Damage.COPIES,
        is_copier=True,
        sends=SentFiles.OPERANDS,
    ),
    Program(
        "gcp",
        writes=_COPY._replace(links=_LINKING),
        damage=Damage.COPIES,
        is_copier=True,
        sends=SentFiles.OPERANDS,
    ),
    Program("ditto", writes=Writes("-v -V -X -c -x -k -z -j", WriteTarget.LAST), damage=Damage.UNPACKS),
    Program(
        "mv",
        input=(INPUT_CONFIRMS,),
        shell_edits=_EDITING_COPY,
        writes=_COPY._replace(target=WriteTarget.MOVED),
        takes_data=True,
        options={"": "f=force n=no-clobber v=verbose b=backup"},
        shortens_options=True,
        prints=PrintedOutput.NOTHING,
        damage=Damage.MOVES,
        is_copier=True,
        sends=SentFiles.OPERANDS,
    ),
    Program("gmv", writes=_COPY._replace(target=WriteTarget.MOVED), damage=Damage.MOVES, is_copier=True),
    Program(
        "ln",
        input=(INPUT_CONFIRMS,),
        writes=Writes(
            "-b --backup? -d -F --directory -f --force -i --interactive -L --logical -n --no-dereference -P"
            " --physical -r --relative -s --symbolic -S= --suffix= -t= --target-directory= -T"
            " --no-target-directory -v --verbose -h -w -W",
            WriteTarget.LAST,
            into="-t --target-directory",
            here=True,
            links="*",
        ),
        takes_data=True,
        options={"": "s=symbolic f=force v=verbose"},
        shortens_options=True,
        prints=PrintedOutput.NOTHING,
        damage=Damage.COPIES,
        is_copier=True,
        sends=SentFiles.OPERANDS,
    ),
    Program("link", writes=Writes("", WriteTarget.LAST, links="*"), is_copier=True),
    Program(
        "install",
        writes=Writes(
            "-b --backup? -c -C --compare -D -d --directory -g= --group= -m= --mode= -o= --owner= -p"
            " --preserve-timestamps -s --strip --strip-program= -S= --suffix= -t= --target-directory= -T"
            " --no-target-directory -v --verbose -Z --context?",
            WriteTarget.LAST,
            into="-t --target-directory",
            makes="-d --directory",
        ),
        takes_data=True,
        damage=Damage.COPIES,
        is_copier=True,
        sends=SentFiles.OPERANDS,
    ),
    Program(
        "rename", writes=Writes("-v --verbose -n -f -i -s -e= -E= -x", WriteTarget.AFTER_FIRST, given="-e -E")
    ),
    Program(
        "chmod",
        writes=_MODES,
        takes_data=True,
        options={"": "R=recursive v=verbose"},
        shortens_options=True,
        same_as=("chmod 777 = chmod 0777 = chmod a+rwx = chmod ugo+rwx = chmod a=rwx",),
        prints=PrintedOutput.NOTHING,
        damage=Damage.RIGHTS,
    ),
    Program(
        "chown",
        writes=_RIGHTS,
        takes_data=True,
        options={"": "R=recursive v=verbose h=no-dereference"},
        shortens_options=True,
        damage=Damage.RIGHTS,
    ),
    Program(
        "chgrp",
        writes=_RIGHTS,
        takes_data=True,
        options={"": "R=recursive v=verbose"},
        shortens_options=True,
        damage=Damage.RIGHTS,
    ),
    Program("chflags", writes=_RIGHTS),
    Program("chattr", writes=Writes("-R -V -f -v= -p= -*"), damage=Damage.RIGHTS),
    Program(
        "setfacl",
        writes=Writes(
            "-b --remove-all -k --remove-default -n --no-mask -d --default -R --recursive -L -P -m= --modify="
            " -M= --modify-file= -x= --remove= -X= --remove-file= -s= --set= -S= --set-file= --mask --test"
            " --restore="
        ),
        damage=Damage.RIGHTS,
    ),
    Program("setfattr", writes=Writes("-n= --name= -v= --value= -x= --remove= -h --restore=")),
    Program("lzma unlzma compress uncompress pigz pbzip2", writes=_PACK),
    Program("lz4 brotli", writes=_ZSTD),
    Program(
        "dos2unix unix2dos",
        writes=Writes("-k --keepdate -q --quiet -f --force -c= --convmode= -o --oldfile -n --newfile"),
    ),
    Program("gargs", input=(InputRule(InputUse.OPERANDS, options="-a=; --arg-file=; --version; --help;"),)),
    Program("gcpio pax vidir", input=(INPUT_OPERANDS,)),
    Program("pv", input=(InputRule(InputUse.DATA),), prints=PrintedOutput.PASSES, image="-o --output"),
    Program("sync", takes_data=True),
    Program("grm", losses=REMOVES_FILES, shortens_options=True, damage=Damage.REMOVES),
    Program("chezmoi", scripts=(Script.PIECES,)),
    Program("gtee", prints=PrintedOutput.PASSES, writes_input_to_operands=True),
    Program("rip", damage=Damage.REMOVES_TREES),
    Program("del rd", damage=Damage.REMOVES_DRIVES),
    Program("ginstall gln", is_copier=True),
)
