"""Programs that search, cut, sort and reshape text, and print what comes of it."""

from assent.engine.shell.knowledge.entry import Entry, Operands, Reads

FILES, PATTERN_FILES, SINGLE, TEXT, NONE = (
    Operands.FILES, Operands.PATTERN_FILES, Operands.SINGLE, Operands.TEXT, Operands.NONE,
)

_HELP = " --help --version"

# Never what follows every link on its way (`-R`, `rg -L`): one of them may lead out of the workspace.
_GREP = (
    "-E -F -G -P -e=^ -i -y -v -w -x -c -L -l -m= -o -q -s -b -H -h -n -T -Z -A= -B= -C= -a -D= -d= -I -r -U -u -z -V -NUM"
    " --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp=^ --ignore-case --no-ignore-case"
    " --invert-match --word-regexp --line-regexp --count --color? --colour? --files-without-match"
    " --files-with-matches --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename"
    " --no-filename --line-number --initial-tab --null --after-context= --before-context= --context= --group-separator="
    " --no-group-separator --text --binary-files= --devices= --directories= --exclude= --exclude-dir= --include="
    " --include-dir= --recursive --line-buffered --binary --null-data" + _HELP
)
_GREP_FILES = " -f=<^ --file=<^ --exclude-from=<"
_GREP_ENTRY = Reads(
    _GREP + _GREP_FILES,
    PATTERN_FILES,
    every_flag=True,
    lists_with="-l -L --files-with-matches --files-without-match",
    lists_without="-c --count",
)

_SEARCHING: dict[str, Entry] = {
    "grep": _GREP_ENTRY,
    "egrep": _GREP_ENTRY,
    "fgrep": _GREP_ENTRY,
    "ggrep": _GREP_ENTRY,
    # Scripts that start grep and a decompressor, and look at the words themselves.
    "zgrep": Reads(_GREP, PATTERN_FILES),
    "zegrep": Reads(_GREP, PATTERN_FILES),
    "zfgrep": Reads(_GREP, PATTERN_FILES),
    "rg": Reads(
        "-A= -B= -b -s -C= -c -E= -f=<^ -l -F -g= -. -i -v -n -x -M= -m= -U -I -N -0 -o -P -p -q -e=^ -r= -S -a -j= -t= -T="
        " -u -H -w -d= -h -V"
        " --after-context= --auto-hybrid-regex --no-auto-hybrid-regex --before-context= --binary --no-binary"
        " --block-buffered --no-block-buffered --byte-offset --no-byte-offset --case-sensitive --color= --colors= --column"
        " --no-column --context= --context-separator= --no-context-separator --count --count-matches --crlf --no-crlf"
        " --debug --dfa-size-limit= --encoding= --no-encoding --engine= --field-context-separator="
        " --field-match-separator= --file=<^ --files^ --files-with-matches --files-without-match --fixed-strings"
        " --no-fixed-strings --no-follow --glob= --glob-case-insensitive --no-glob-case-insensitive --heading"
        " --no-heading --hidden --no-hidden --iglob= --ignore-case --ignore-file=< --ignore-file-case-insensitive"
        " --include-zero --no-include-zero --invert-match --no-invert-match --json --no-json --line-buffered"
        " --no-line-buffered --line-number --no-line-number --line-regexp --max-columns= --max-columns-preview"
        " --no-max-columns-preview --max-count= --max-depth= --maxdepth= --max-filesize= --mmap --no-mmap --multiline"
        " --no-multiline --multiline-dotall --no-multiline-dotall --no-config --no-filename --no-ignore --ignore"
        " --no-ignore-dot --ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages"
        " --no-ignore-parent --no-ignore-vcs --ignore-vcs --no-messages --messages --no-pcre2-unicode --no-require-git"
        " --no-unicode --unicode --null --null-data --one-file-system --no-one-file-system --only-matching --passthru"
        " --passthrough --pcre2 --no-pcre2 --pcre2-version --pretty --quiet --regex-size-limit= --regexp=^ --replace="
        " --smart-case --sort= --sortr= --stats --no-stats --stop-on-nonmatch --text --no-text --threads= --trace --trim"
        " --no-trim --type= --type-add= --type-clear= --type-list^ --type-not= --unrestricted --vimgrep --with-filename"
        " --word-regexp" + _HELP,
        PATTERN_FILES,
        lists_with="-l --files --files-with-matches --files-without-match",
        lists_without="-c --count --count-matches --json --color -p --pretty",
    ),
    "ag": Reads(
        "-a -A? -B? -c -C? -D -F -g=^ -G= -H -i -l -L -m= -n -o -p=< -Q -r -R -s -S -t -u -U -v -V -w -0 -h"
        " --ackmate --affinity --noaffinity --all-types --after? --before? --break --nobreak --count --color --nocolor"
        " --color-line-number= --color-match= --color-path= --column --context? --debug --depth= --filename --nofilename"
        " --nofollow --fixed-strings --group --nogroup --file-search-regex= --heading --noheading --hidden"
        " --ignore= --ignore-dir= --ignore-case --files-with-matches --files-without-matches --list-file-types^"
        " --max-count= --mmap --nommap --multiline --nomultiline --norecurse --numbers --nonumbers --only-matching"
        " --one-device --path-to-ignore=< --nopager --parallel --print-long-lines --passthrough --passthru --literal"
        " --recurse --case-sensitive --smart-case --search-binary --silent --stats --stats-only --all-text --unrestricted"
        " --skip-vcs-ignores --invert-match --vimgrep --word-regexp --workers= --null --print0" + _HELP,
        PATTERN_FILES,
        lists_with="-l -L -g --files-with-matches --files-without-matches",
        lists_without="-c --count --color --ackmate",
    ),
    "look": Reads("-a -b -d -f -t= -h -V --alternative --alphanum --ignore-case --terminate=" + _HELP, PATTERN_FILES, every_flag=True),
}

_LINES: dict[str, Entry] = {
    "sort": Reads(
        "-b -d -f -g -i -M -h -n -R -r -V -c -C -k= -m -s -S= -t= -u -z"
        " --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting"
        " --month-sort --human-numeric-sort --numeric-sort --random-sort --random-source=< --reverse --sort="
        " --version-sort --batch-size= --check? --debug --key= --merge --stable --buffer-size= --field-separator="
        " --parallel= --unique --zero-terminated" + _HELP
    ),
    "uniq": Reads(
        "-c -d -D -f= -i -s= -u -z -w= -NUM --count --repeated --all-repeated? --skip-fields= --group? --ignore-case"
        " --skip-chars= --unique --zero-terminated --check-chars=" + _HELP,
        SINGLE,
    ),
    "cut": Reads(
        "-b= -c= -d= -f= -n -s -w -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited"
        " --output-delimiter= --zero-terminated" + _HELP,
        every_flag=True,
    ),
    "tr": Reads("-c -C -d -s -t -u --complement --delete --squeeze-repeats --truncate-set1" + _HELP, TEXT, every_flag=True),
    "paste": Reads("-d= -s -z --delimiters= --serial --zero-terminated" + _HELP, every_flag=True),
    "join": Reads(
        "-a= -e= -i -j= -o= -t= -v= -1= -2= -z --ignore-case --check-order --nocheck-order --header --zero-terminated" + _HELP,
        every_flag=True,
    ),
    "rev": Reads("-0 -h -V --zero" + _HELP, every_flag=True),
    "nl": Reads(
        "-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= --body-numbering= --section-delimiter= --footer-numbering="
        " --header-numbering= --line-increment= --join-blank-lines= --number-format= --no-renumber --number-separator="
        " --starting-line-number= --number-width=" + _HELP,
        every_flag=True,
    ),
    "fold": Reads("-b -s -w= -NUM --bytes --spaces --width=" + _HELP, every_flag=True),
    "fmt": Reads(
        "-c -m -n -p? -s -t -u -w= -g? -NUM --crown-margin --prefix= --split-only --tagged-paragraph --uniform-spacing"
        " --width= --goal=" + _HELP,
        every_flag=True,
    ),
    "expand": Reads("-i -t= -NUM --initial --tabs=" + _HELP, every_flag=True),
    "unexpand": Reads("-a -t= --all --first-only --tabs=" + _HELP, every_flag=True),
    "column": Reads(
        "-J -c= -d -o= -s= -t -N= -l= -R= -T= -E= -e -W= -H= -O= -n? -L -r= -i= -p= -x -h -V --json --output-width="
        " --table-noheadings --output-separator= --separator= --table --table-columns= --table-columns-limit="
        " --table-right= --table-truncate= --table-noextreme= --table-header-repeat --table-wrap= --table-hide="
        " --table-order= --table-name= --keep-empty-lines --tree= --tree-id= --tree-parent= --fillrows" + _HELP,
        every_flag=True,
    ),
    "pr": Reads(
        "-a -c -d -D= -e? -F -f -h= -i? -J -l= -m -n? -N= -o= -r -s? -S? -t -T -v -w= -W= -NUM --columns= --across"
        " --show-control-chars --double-space --date-format= --expand-tabs? --form-feed --header= --output-tabs?"
        " --join-lines --length= --merge --number-lines? --first-line-number= --indent= --no-file-warnings --separator?"
        " --sep-string? --omit-header --omit-pagination --show-nonprinting --width= --page-width=" + _HELP,
        every_flag=True,
    ),
    "tsort": Reads("-d -l -q" + _HELP, every_flag=True),
    "shuf": Reads(
        "-e -i= -n= -r -z --echo --input-range= --head-count= --random-source=< --repeat --zero-terminated" + _HELP
    ),
    "col": Reads("-b -f -h -l= -p -x -V --no-backspaces --fine --tabs --lines= --pass --spaces" + _HELP, NONE),
    "colrm": Reads("-h -V" + _HELP, TEXT),
    "tee": Reads("-a -i -p --append --ignore-interrupts" + _HELP, TEXT, check="no files"),
    "sed": Reads(check="sed"),
    "gsed": Reads(check="sed"),
    **{name: Reads(check="awk") for name in "awk gawk mawk nawk original-awk".split()},
}

_DATA: dict[str, Entry] = {
    "jq": Reads(check="jq"),
    "gojq": Reads(check="jq"),
    "yq": Reads(check="yq"),
    "tomlq": Reads(check="yq"),
    "gron": Reads("-s -c -m -u -j -v --stream --colorize --monochrome --ungron --json --values --no-sort" + _HELP),
    "xmllint": Reads(
        "--debug --encode= --format --html --noblanks --nocatalogs --nocdata --nonet --noout --nowarning --nowrap"
        " --nsclean --pattern= --pretty= --recover --timing --xmlout --xpath= --huge --version"
    ),
    "csvcut": Reads("-n -c= -C= -d= -t -x -H -e= --names --columns= --not-columns= --delimiter= --tabs --no-header-row" + _HELP),
    "csvlook": Reads("-d= -t -H -e= --max-rows= --max-columns= --max-column-width= --delimiter= --tabs --no-header-row -I" + _HELP),
    "csvstat": Reads("-n -c= -d= -t -H -e= --csv --json --names --columns= --type --nulls --unique --min --max --sum --mean --median --count" + _HELP),
    "base64": Reads("-d -D -i -w= -b= --decode --ignore-garbage --wrap= --break=" + _HELP, SINGLE),
    "base32": Reads("-d -D -i -w= --decode --ignore-garbage --wrap=" + _HELP, SINGLE),
    "basenc": Reads(
        "-d -i -w= --base64 --base64url --base58 --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 --decode"
        " --ignore-garbage --wrap=" + _HELP,
        SINGLE,
    ),
    "iconv": Reads("-f= -t= -l -c -s --from-code= --to-code= --list --silent --verbose" + _HELP),
    "numfmt": Reads(
        "-d= -z --debug --delimiter= --field= --format= --from= --from-unit= --grouping --header? --invalid= --padding="
        " --round= --suffix= --to= --to-unit= --zero-terminated" + _HELP,
        TEXT,
        every_flag=True,
    ),
    "envsubst": Reads("-v -h -V --variables" + _HELP, TEXT, check="envsubst"),
    "bc": Reads("-i -l -w -s -q -h -v --interactive --mathlib --warn --standard --quiet" + _HELP),
    "factor": Reads("-h --exponents" + _HELP, TEXT),
    "expr": Reads(check="text"),
    "seq": Reads("-f= -s= -t= -w -NUM --format= --separator= --equal-width" + _HELP, TEXT, every_flag=True),
    "yes": Reads("--help --version", TEXT),
}

_COUNTING: dict[str, Entry] = {
    "diffstat": Reads("-b -C -c -d -f= -h -k -K -l -m -n= -N= -p= -q -r= -R -s -t -T -u -v -V -w="),
    "cloc": Reads(
        "--json --yaml --xml --csv --md --quiet --by-file --by-file-by-lang --exclude-dir= --include-lang= --exclude-lang="
        " --exclude-ext= --include-ext= --match-f= --not-match-f= --match-d= --not-match-d= --fullpath --progress-rate="
        " --hide-rate --skip-uniqueness --sum-one --timeout= --max-file-size=" + _HELP,
        check="no archives",
    ),
    "tokei": Reads(
        "-f -c= -C -e= -h -l -n= -o= -s= -r= -t= -v -V --files --columns= --compact --exclude= --hidden --languages"
        " --no-ignore --no-ignore-dot --no-ignore-parent --no-ignore-vcs --num-format= --output= --sort= --rsort= --types="
        " --verbose" + _HELP
    ),
    "scc": Reads(
        "-a -c -d -f= -h -i= -l -M= -n= -p -s= -v -w -x= -z --by-file --ci --cocomo-project-type= --avg-wage= --character"
        " --exclude-dir= --exclude-ext= --exclude-file= --format= --gen --include-ext= --languages --min --no-cocomo"
        " --no-complexity --no-duplicates --no-gen --no-gitignore --no-ignore --no-large --no-min --no-size --not-match="
        " --percent --sort= --uloc --dryness --wide" + _HELP
    ),
}

_PAGERS: dict[str, Entry] = {
    **{
        name: Reads(
            "-A -p -P -l= -H= -n -f -u -r= -m= -h -V --show-all --plain --language= --highlight-line= --file-name= --tabs="
            " --wrap= --terminal-width= --number --color= --italic-text= --decorations= --force-colorization"
            " --paging=never --map-syntax= --ignored-suffix= --theme= --style= --line-range= --list-languages"
            " --list-themes --unbuffered --squeeze-blank --no-config" + _HELP,
            check="no cache",
        )
        for name in ("bat", "batcat")
    },
    # A word that begins with a plus is a command for the pager, and `-o` writes what it shows.
    "less": Reads("-N -n -S -R -r -F -X -i -I -E -e -s -M -m -V --version --help", check="no commands"),
    "more": Reads("-d -f -l -p -c -s -u -V --version --help", check="no commands"),
    "man": Reads("-f -k -w --whatis --apropos --where --path --location", TEXT, needs="-f -k -w --whatis --apropos --where --path --location"),
    "whatis": Reads("-r -w -l -s= --regex --wildcard --long --sections= --section=" + _HELP, TEXT),
    "apropos": Reads("-r -w -e -a -l -s= --regex --wildcard --exact --and --long --sections= --section=" + _HELP, TEXT),
}

PROGRAMS: dict[str, Entry] = {
    **_SEARCHING,
    **_LINES,
    **_DATA,
    **_COUNTING,
    **_PAGERS,
    "gsort": _LINES["sort"],
    "guniq": _LINES["uniq"],
    "gcut": _LINES["cut"],
    "gtr": _LINES["tr"],
}
