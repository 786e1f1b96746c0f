"""Programs that search, cut, sort and reshape text, and pagers."""

from assent.engine.programs.program import (
    HELP_FLAGS,
    NONE,
    PATTERN_FILES,
    SINGLE,
    TEXT,
    Damage,
    EditKind,
    FileEdits,
    OtherOutput,
    PrintedOutput,
    Program,
    Reads,
    ShellEdits,
    TreeReads,
    Writes,
    WriteTarget,
)
from assent.engine.programs.runs import RIPGREP_OPTIONS, InputRule, InputUse, Script

_GREP = (
    "-E -F -G -P -e=^ -i -y -v -w -x -c -L -l -m= -o -q -s -b -H -h -n -T -Z -A= -B= -C= -a -D= -d= -I -r -R -U -u -z -V -NUM"
    " --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp=^ --ignore-case --no-ignore-case"
    " --invert-match --word-regexp --line-regexp --count --color? --colour? --files-without-match"
    " --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename"
    " --no-filename --line-number --initial-tab --null --after-context= --before-context= --context= --group-separator="
    " --no-group-separator --text --binary-files= --devices= --directories= --exclude= --exclude-dir= --include=:"
    " --include-dir= --recursive --dereference-recursive --line-buffered --binary --null-data" + HELP_FLAGS
)
_GREP_FILES = " -f=<^ --file=<^ --exclude-from=<"
_GREP_ENTRY = Reads(
    _GREP + _GREP_FILES,
    PATTERN_FILES,
    every_flag=True,
    lists_with="-l -L --files-with-matches --files-without-match",
    lists_without="-c --count",
    follows="-R --dereference-recursive",
    walks="-r -R --recursive --dereference-recursive",
    walks_hidden="*",
    leaves_out="--exclude=NAME",
)
_PAGED = "-P=! --pager=! -H?! --html?!"
_SED = InputRule(options="-i?; --in-place?; --version; --help;", operands=2)
_PATCH = InputRule(
    options="-i=; --input=; -p= -d= -o= -r= -D= -F= -B= -Y= -z= --version; --help;", operands=2
)

PROGRAMS = (
    Program(
        "grep",
        reads=_GREP_ENTRY,
        options={"": "r=recursive R=dereference-recursive i=ignore-case v=invert-match"},
        shortens_options=True,
        prints=PrintedOutput.CHANGES,
        filters="-v -i -E -F -w -e -vE -iE",
    ),
    Program(
        "egrep fgrep", reads=_GREP_ENTRY, prints=PrintedOutput.CHANGES, filters="-v -i -E -F -w -e -vE -iE"
    ),
    Program("ggrep", reads=_GREP_ENTRY),
    # Scripts that start grep and a decompressor, and look at the words themselves.
    Program(
        "zgrep zegrep zfgrep",
        reads=Reads(_GREP.replace(" -R ", " ").replace(" --dereference-recursive", ""), PATTERN_FILES),
    ),
    Program(
        "rg",
        reads_trees=TreeReads.UNRESTRICTED,
        reads=Reads(
            "-A= -B= -b -s -C= -c -E= -f=<^ -l -F -g=: -. -i -v -n -x -M= -m= -U -I -N -0 -o -P -p -q -e=^ -r= -S -a -j= -t= -T="
            " -u -H -L -w -d= -h -V --follow"
            " --after-context= --auto-hybrid-regex --no-auto-hybrid-regex --before-context= --binary --no-binary"
            " --block-buffered --no-block-buffered --byte-offset --no-byte-offset --case-sensitive --color= --colors= --column"
            " --no-column --context= --context-separator= --no-context-separator --count --count-matches --crlf --no-crlf"
            " --debug --dfa-size-limit= --encoding= --no-encoding --engine= --field-context-separator="
            " --field-match-separator= --file=<^ --files^ --files-with-matches --files-without-match --fixed-strings"
            " --no-fixed-strings --no-follow --glob=: --glob-case-insensitive --no-glob-case-insensitive --heading"
            " --no-heading --hidden --no-hidden --iglob=: --ignore-case --ignore-file=< --ignore-file-case-insensitive"
            " --include-zero --no-include-zero --invert-match --no-invert-match --json --no-json --line-buffered"
            " --no-line-buffered --line-number --no-line-number --line-regexp --max-columns= --max-columns-preview"
            " --no-max-columns-preview --max-count= --max-depth= --maxdepth= --max-filesize= --mmap --no-mmap --multiline"
            " --no-multiline --multiline-dotall --no-multiline-dotall --no-config --no-filename --no-ignore --ignore"
            " --no-ignore-dot --ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages"
            " --no-ignore-parent --no-ignore-vcs --ignore-vcs --no-messages --messages --no-pcre2-unicode --no-require-git"
            " --no-unicode --unicode --null --null-data --one-file-system --no-one-file-system --only-matching --passthru"
            " --passthrough --pcre2 --no-pcre2 --pcre2-version --pretty --quiet --regex-size-limit= --regexp=^ --replace="
            " --smart-case --sort= --sortr= --stats --no-stats --stop-on-nonmatch --text --no-text --threads= --trace --trim"
            " --no-trim --type= --type-add=: --type-clear= --type-list^ --type-not= --unrestricted --vimgrep --with-filename"
            " --word-regexp" + HELP_FLAGS,
            PATTERN_FILES,
            lists_with="-l --files --files-with-matches --files-without-match",
            lists_without="-c --count --count-matches --json --color -p --pretty",
            follows="-L --follow",
            walks="*",
            walks_hidden="-. --hidden -u --unrestricted",
            walks_without="--files --type-list -V --version -h --help -t --type",
            leaves_out="-g '!NAME'",
        ),
        text_options=RIPGREP_OPTIONS,
        prints=PrintedOutput.CHANGES,
    ),
    Program(
        "look",
        reads=Reads(
            "-a -b -d -f -t= -h -V --alternative --alphanum --ignore-case --terminate=" + HELP_FLAGS,
            PATTERN_FILES,
            every_flag=True,
        ),
    ),
    Program(
        "sort",
        reads=Reads(
            "-b -d -f -g -i -M -h -n -R -r -V -c -C -k= -m -s -S= -t= -u -z"
            " --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting"
            " --month-sort --human-numeric-sort --numeric-sort --random-sort --random-source=< --reverse --sort="
            " --version-sort --batch-size= --check? --debug --key= --merge --stable --buffer-size= --field-separator="
            " --parallel= --unique --zero-terminated" + HELP_FLAGS
        ),
        text_options="--compress-program=!",
        writes=Writes(
            "-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z -k= -t= -S= -o=> -T=> --output=> --key="
            " --field-separator= --parallel= --buffer-size= --temporary-directory=> --unique --reverse"
            " --numeric-sort --stable --human-numeric-sort --version-sort --files0-from= --random-sort --merge"
            " --check? --ignore-case --zero-terminated --compress-program= --batch-size=",
            WriteTarget.NONE,
        ),
        prints=PrintedOutput.PASSES,
        filters="-u -r -f",
    ),
    Program(
        "uniq",
        reads=Reads(
            "-c -d -D -f= -i -s= -u -z -w= -NUM --count --repeated --all-repeated? --skip-fields= --group? --ignore-case"
            " --skip-chars= --unique --zero-terminated --check-chars=" + HELP_FLAGS,
            SINGLE,
        ),
        writes=Writes(
            "-c --count -d --repeated -D --all-repeated? -f= --skip-fields= -i --ignore-case -s= --skip-chars="
            " -u --unique -w= --check-chars= -z --zero-terminated --group?",
            WriteTarget.SECOND,
        ),
        prints=PrintedOutput.PASSES,
        filters="",
    ),
    Program(
        "cut",
        reads=Reads(
            "-b= -c= -d= -f= -n -s -w -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited"
            " --output-delimiter= --zero-terminated" + HELP_FLAGS,
            every_flag=True,
        ),
        prints=PrintedOutput.CHANGES,
    ),
    Program(
        "tr",
        reads=Reads(
            "-c -C -d -s -t -u --complement --delete --squeeze-repeats --truncate-set1" + HELP_FLAGS,
            TEXT,
            every_flag=True,
        ),
        prints=PrintedOutput.CHANGES,
    ),
    Program(
        "paste",
        reads=Reads("-d= -s -z --delimiters= --serial --zero-terminated" + HELP_FLAGS, every_flag=True),
        prints=PrintedOutput.CHANGES,
    ),
    Program(
        "join",
        reads=Reads(
            "-a= -e= -i -j= -o= -t= -v= -1= -2= -z --ignore-case --check-order --nocheck-order --header --zero-terminated"
            + HELP_FLAGS,
            every_flag=True,
        ),
        prints=PrintedOutput.CHANGES,
    ),
    Program(
        "rev", reads=Reads("-0 -h -V --zero" + HELP_FLAGS, every_flag=True), prints=PrintedOutput.CHANGES
    ),
    Program(
        "nl",
        reads=Reads(
            "-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= --body-numbering= --section-delimiter= --footer-numbering="
            " --header-numbering= --line-increment= --join-blank-lines= --number-format= --no-renumber --number-separator="
            " --starting-line-number= --number-width=" + HELP_FLAGS,
            every_flag=True,
        ),
        prints=PrintedOutput.PASSES,
    ),
    Program(
        "fold",
        reads=Reads("-b -s -w= -NUM --bytes --spaces --width=" + HELP_FLAGS, every_flag=True),
        prints=PrintedOutput.PASSES,
    ),
    Program(
        "fmt",
        reads=Reads(
            "-c -m -n -p? -s -t -u -w= -g? -NUM --crown-margin --prefix= --split-only --tagged-paragraph --uniform-spacing"
            " --width= --goal=" + HELP_FLAGS,
            every_flag=True,
        ),
        prints=PrintedOutput.PASSES,
    ),
    Program(
        "expand",
        reads=Reads("-i -t= -NUM --initial --tabs=" + HELP_FLAGS, every_flag=True),
        prints=PrintedOutput.CHANGES,
    ),
    Program("unexpand", reads=Reads("-a -t= --all --first-only --tabs=" + HELP_FLAGS, every_flag=True)),
    Program(
        "column",
        reads=Reads(
            "-J -c= -d -o= -s= -t -N= -l= -R= -T= -E= -e -W= -H= -O= -n? -L -r= -i= -p= -x -h -V --json --output-width="
            " --table-noheadings --output-separator= --separator= --table --table-columns= --table-columns-limit="
            " --table-right= --table-truncate= --table-noextreme= --table-header-repeat --table-wrap= --table-hide="
            " --table-order= --table-name= --keep-empty-lines --tree= --tree-id= --tree-parent= --fillrows"
            + HELP_FLAGS,
            every_flag=True,
        ),
        prints=PrintedOutput.PASSES,
    ),
    Program(
        "pr",
        reads=Reads(
            "-a -c -d -D= -e? -F -f -h= -i? -J -l= -m -n? -N= -o= -r -s? -S? -t -T -v -w= -W= -NUM --columns= --across"
            " --show-control-chars --double-space --date-format= --expand-tabs? --form-feed --header= --output-tabs?"
            " --join-lines --length= --merge --number-lines? --first-line-number= --indent= --no-file-warnings --separator?"
            " --sep-string? --omit-header --omit-pagination --show-nonprinting --width= --page-width="
            + HELP_FLAGS,
            every_flag=True,
        ),
    ),
    Program("tsort", reads=Reads("-d -l -q" + HELP_FLAGS, every_flag=True)),
    Program(
        "shuf",
        reads=Reads(
            "-e -i= -n= -r -z --echo --input-range= --head-count= --random-source=< --repeat --zero-terminated"
            + HELP_FLAGS
        ),
    ),
    Program(
        "col",
        reads=Reads(
            "-b -f -h -l= -p -x -V --no-backspaces --fine --tabs --lines= --pass --spaces" + HELP_FLAGS, NONE
        ),
    ),
    Program("colrm", reads=Reads("-h -V" + HELP_FLAGS, TEXT)),
    Program(
        "tee",
        shell_edits=ShellEdits(EditKind.FILES, "-a --append"),
        reads=Reads("-a -i -p --append --ignore-interrupts" + HELP_FLAGS, TEXT, check="no files"),
        writes=Writes("-a --append -i --ignore-interrupts -p --output-error?"),
        takes_data=True,
        dash_is_data="*",
        prints=PrintedOutput.PASSES,
        damage=Damage.OVERWRITES,
        writes_input_to_operands=True,
    ),
    Program(
        "sed",
        shell_edits=ShellEdits(
            EditKind.IN_PLACE,
            "-i --in-place -e= --expression= -E -r --regexp-extended -n --quiet --silent -s --separate -u -z",
        ),
        reads=Reads(check="sed"),
        text_options="-f=# --file=#",
        writes=Writes(
            "-n --quiet --silent -e= --expression= -f= --file= -E -r --regexp-extended -i? --in-place? -I? -l="
            " --line-length= -s --separate -u --unbuffered -z --null-data --posix --debug --sandbox"
            " --follow-symlinks -a -b --binary",
            WriteTarget.AFTER_FIRST,
            only="-i --in-place -I",
            given="-e --expression -f --file",
        ),
        input=(_SED,),
        options={"": "i=in-place n=quiet E=regexp-extended r=regexp-extended s=separate"},
        shortens_options=True,
        same_as=("sed = gsed",),
        scripts=(Script.SED,),
        prints=PrintedOutput.CHANGES,
        output=OtherOutput.SED,
        edits=FileEdits.IN_PLACE,
    ),
    Program(
        "gsed",
        reads=Reads(check="sed"),
        text_options="-f=# --file=#",
        input=(_SED,),
        shortens_options=True,
        scripts=(Script.SED,),
        prints=PrintedOutput.CHANGES,
        output=OtherOutput.SED,
        edits=FileEdits.IN_PLACE,
    ),
    Program(
        "awk",
        reads=Reads(check="awk"),
        text_options="-f=# --file=# -E=# --exec=# -i=# --include=#",
        writes=Writes(
            "-F= -v= -f= -i= --include= --field-separator= --assign= --file=",
            WriteTarget.AFTER_FIRST,
            only="-i --include",
            given="-f --file",
        ),
        input=(InputRule(options="-F= -v= --version; --help;", operands=2),),
        same_as=("awk = gawk = mawk = nawk",),
        scripts=(Script.AWK,),
        prints=PrintedOutput.CHANGES,
        output=OtherOutput.AWK,
    ),
    Program(
        "gawk",
        reads=Reads(check="awk"),
        text_options="-f=# --file=# -E=# --exec=# -i=# --include=#",
        input=(InputRule(options="-F= -v= --version; --help;", operands=2),),
        scripts=(Script.AWK,),
        prints=PrintedOutput.CHANGES,
        output=OtherOutput.AWK,
    ),
    Program(
        "mawk nawk",
        reads=Reads(check="awk"),
        text_options="-f=# --file=# -E=# --exec=# -i=# --include=#",
        input=(InputRule(options="-F= -v= --version; --help;", operands=2),),
        scripts=(Script.AWK,),
        output=OtherOutput.AWK,
    ),
    Program("original-awk", reads=Reads(check="awk")),
    Program("jq", reads=Reads(check="jq"), prints=PrintedOutput.CHANGES),
    Program("gojq", reads=Reads(check="jq")),
    Program(
        "yq",
        reads=Reads(check="yq"),
        writes=Writes(
            "-i --inplace -P --prettyPrint -y -Y -o= --output-format= -p= --input-format= -r -e -n -s= -I= -C"
            " -M -j",
            WriteTarget.AFTER_FIRST,
            only="-i --inplace",
        ),
    ),
    Program("tomlq", reads=Reads(check="yq")),
    Program(
        "gron",
        reads=Reads(
            "-s -c -m -u -j -v --stream --colorize --monochrome --ungron --json --values --no-sort"
            + HELP_FLAGS
        ),
    ),
    Program(
        "xmllint",
        reads=Reads(
            "--debug --encode= --format --html --noblanks --nocatalogs --nocdata --nonet --noout --nowarning --nowrap"
            " --nsclean --pattern= --pretty= --recover --timing --xmlout --xpath= --huge --version"
        ),
    ),
    Program(
        "csvcut",
        reads=Reads(
            "-n -c= -C= -d= -t -x -H -e= --names --columns= --not-columns= --delimiter= --tabs --no-header-row"
            + HELP_FLAGS
        ),
    ),
    Program(
        "csvlook",
        reads=Reads(
            "-d= -t -H -e= --max-rows= --max-columns= --max-column-width= --delimiter= --tabs --no-header-row -I"
            + HELP_FLAGS
        ),
    ),
    Program(
        "csvstat",
        reads=Reads(
            "-n -c= -d= -t -H -e= --csv --json --names --columns= --type --nulls --unique --min --max --sum --mean --median --count"
            + HELP_FLAGS
        ),
    ),
    Program(
        "base64",
        reads=Reads("-d -D -i -w= -b= --decode --ignore-garbage --wrap= --break=" + HELP_FLAGS, SINGLE),
        takes_data=True,
    ),
    Program("base32", reads=Reads("-d -D -i -w= --decode --ignore-garbage --wrap=" + HELP_FLAGS, SINGLE)),
    Program(
        "basenc",
        reads=Reads(
            "-d -i -w= --base64 --base64url --base58 --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 --decode"
            " --ignore-garbage --wrap=" + HELP_FLAGS,
            SINGLE,
        ),
    ),
    Program(
        "iconv",
        reads=Reads("-f= -t= -l -c -s --from-code= --to-code= --list --silent --verbose" + HELP_FLAGS),
        writes=Writes(
            "-f= --from-code= -t= --to-code= -c -l -s --silent --verbose -o=> --output=>", WriteTarget.NONE
        ),
        prints=PrintedOutput.CHANGES,
    ),
    Program(
        "numfmt",
        reads=Reads(
            "-d= -z --debug --delimiter= --field= --format= --from= --from-unit= --grouping --header? --invalid= --padding="
            " --round= --suffix= --to= --to-unit= --zero-terminated" + HELP_FLAGS,
            TEXT,
            every_flag=True,
        ),
    ),
    Program(
        "envsubst",
        reads=Reads("-v -h -V --variables" + HELP_FLAGS, TEXT, check="envsubst"),
        prints=PrintedOutput.CHANGES,
    ),
    Program("factor", reads=Reads("-h --exponents" + HELP_FLAGS, TEXT)),
    Program("expr", reads=Reads(check="text")),
    Program(
        "seq",
        reads=Reads(
            "-f= -s= -t= -w -NUM --format= --separator= --equal-width" + HELP_FLAGS, TEXT, every_flag=True
        ),
    ),
    Program(
        "yes",
        reads=Reads("--help --version", TEXT),
        input=(InputRule(InputUse.DATA),),
        prints_without_end=True,
    ),
    Program(
        "diffstat", reads=Reads("-b -C -c -d -f= -h -k -K -l -m -n= -N= -p= -q -r= -R -s -t -T -u -v -V -w=")
    ),
    Program(
        "cloc",
        reads=Reads(
            "--json --yaml --xml --csv --md --quiet --by-file --by-file-by-lang --exclude-dir= --include-lang= --exclude-lang="
            " --exclude-ext= --include-ext= --match-f= --not-match-f= --match-d= --not-match-d= --fullpath --progress-rate="
            " --hide-rate --skip-uniqueness --sum-one --timeout= --max-file-size=" + HELP_FLAGS,
            check="no archives",
        ),
    ),
    Program(
        "tokei",
        reads=Reads(
            "-f -c= -C -e= -h -l -n= -o= -s= -r= -t= -v -V --files --columns= --compact --exclude= --hidden --languages"
            " --no-ignore --no-ignore-dot --no-ignore-parent --no-ignore-vcs --num-format= --output= --sort= --rsort= --types="
            " --verbose" + HELP_FLAGS
        ),
    ),
    Program(
        "scc",
        reads=Reads(
            "-a -c -d -f= -h -i= -l -M= -n= -p -s= -v -w -x= -z --by-file --ci --cocomo-project-type= --avg-wage= --character"
            " --exclude-dir= --exclude-ext= --exclude-file= --format= --gen --include-ext= --languages --min --no-cocomo"
            " --no-complexity --no-duplicates --no-gen --no-gitignore --no-ignore --no-large --no-min --no-size --not-match="
            " --percent --sort= --uloc --dryness --wide" + HELP_FLAGS
        ),
    ),
    Program(
        "bat batcat",
        reads=Reads(
            "-A -p -P -l= -H= -n -f -u -r= -m= -h -V --show-all --plain --language= --highlight-line= --file-name= --tabs="
            " --wrap= --terminal-width= --number --color= --italic-text= --decorations= --force-colorization"
            " --paging=never --map-syntax= --ignored-suffix= --theme= --style= --line-range= --list-languages"
            " --list-themes --unbuffered --squeeze-blank --no-config" + HELP_FLAGS,
            check="no cache",
        ),
        text_options="--pager=!",
        prints=PrintedOutput.PASSES,
    ),
    # A word that begins with a plus is a command for the pager, and `-o` writes what it shows.
    Program(
        "less",
        reads=Reads("-N -n -S -R -r -F -X -i -I -E -e -s -M -m -V --version --help", check="no commands"),
        text_options="+?%",
        prints=PrintedOutput.PASSES,
    ),
    Program(
        "more",
        reads=Reads("-d -f -l -p -c -s -u -V --version --help", check="no commands"),
        text_options="+?% -p=%",
        prints=PrintedOutput.PASSES,
    ),
    Program(
        "man",
        reads=Reads(
            "-f -k -w --whatis --apropos --where --path --location",
            TEXT,
            needs="-f -k -w --whatis --apropos --where --path --location",
        ),
        text_options=_PAGED,
    ),
    Program(
        "whatis",
        reads=Reads("-r -w -l -s= --regex --wildcard --long --sections= --section=" + HELP_FLAGS, TEXT),
    ),
    Program(
        "apropos",
        reads=Reads(
            "-r -w -e -a -l -s= --regex --wildcard --exact --and --long --sections= --section=" + HELP_FLAGS,
            TEXT,
        ),
        text_options=_PAGED,
    ),
    Program(
        "gsort",
        reads=Reads(
            "-b -d -f -g -i -M -h -n -R -r -V -c -C -k= -m -s -S= -t= -u -z"
            " --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting"
            " --month-sort --human-numeric-sort --numeric-sort --random-sort --random-source=< --reverse --sort="
            " --version-sort --batch-size= --check? --debug --key= --merge --stable --buffer-size= --field-separator="
            " --parallel= --unique --zero-terminated" + HELP_FLAGS
        ),
        text_options="--compress-program=!",
    ),
    Program(
        "guniq",
        reads=Reads(
            "-c -d -D -f= -i -s= -u -z -w= -NUM --count --repeated --all-repeated? --skip-fields= --group? --ignore-case"
            " --skip-chars= --unique --zero-terminated --check-chars=" + HELP_FLAGS,
            SINGLE,
        ),
    ),
    Program(
        "gcut",
        reads=Reads(
            "-b= -c= -d= -f= -n -s -w -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited"
            " --output-delimiter= --zero-terminated" + HELP_FLAGS,
            every_flag=True,
        ),
    ),
    Program(
        "gtr",
        reads=Reads(
            "-c -C -d -s -t -u --complement --delete --squeeze-repeats --truncate-set1" + HELP_FLAGS,
            TEXT,
            every_flag=True,
        ),
    ),
    Program("most", text_options="+?%"),
    Program(
        "ssed",
        text_options="-f=# --file=#",
        input=(_SED,),
        scripts=(Script.SED,),
        output=OtherOutput.SED,
        edits=FileEdits.IN_PLACE,
    ),
    Program(
        "goawk",
        never_suggest=True,
        input=(InputRule(options="-F= -v= --version; --help;", operands=2),),
        scripts=(Script.AWK,),
        output=OtherOutput.AWK,
    ),
    Program(
        "patch",
        brings_files="*",
        writes=Writes(
            "-b --backup -c -C --dry-run -E -e -f --force -l -n -N --forward -R --reverse -s --silent --quiet"
            " -t --batch -T -u --unified -v -Z --verbose --binary --posix -B= --prefix= -d= --directory= -D="
            " --ifdef= -F= --fuzz= -i= --input= -o=> --output=> -p= --strip= -r=> --reject-file=> -V="
            " --version-control= -Y= -z= --suffix= --merge? --no-backup-if-mismatch --reject-format= -g= --get=",
            WriteTarget.FIRST,
            into="-d --directory",
            quiet="--dry-run -C",
            here=True,
        ),
        input=(_PATCH,),
    ),
    Program("gpatch", input=(_PATCH,)),
    Program("wl-copy", takes_data=True),
)
