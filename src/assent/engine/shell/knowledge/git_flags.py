"""The harmless flags that many sub-commands of git share.

Left out on purpose: what writes (`--output`), what runs a program (`--ext-diff`, `--textconv`,
`--show-signature`, `--remerge-diff`), what reads a file git was not asked about (`-O`), what prints
whatever its input names (`--batch`) and what puts text of its own before a name (`--line-prefix`).
"""

COLOR = "--color? --no-color"
ABBREV = "--abbrev? --no-abbrev"

COMMITS = """
    -NUM -n= --max-count= --skip= --since= --after= --since-as-filter= --until= --before= --max-age= --min-age=
    --author= --committer= --grep= --grep-reflog= --all-match --invert-grep
    -i --regexp-ignore-case --basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp
    --merges --no-merges --min-parents? --max-parents? --no-min-parents --no-max-parents
    --first-parent --exclude-first-parent-only --remove-empty --not --all --branches? --tags? --remotes? --glob=
    --exclude= --exclude-hidden= --reflog --alternate-refs --single-worktree --ignore-missing --bisect
    --cherry --cherry-mark --cherry-pick --left-only --right-only --left-right --boundary --merge
    -g --walk-reflogs --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges
    --ancestry-path? --date-order --author-date-order --topo-order --reverse --no-walk? --do-walk
"""
"""Which commits, and in what order."""

PRETTY = f"""
    --pretty? --format? --oneline --abbrev-commit --no-abbrev-commit {ABBREV} --encoding= --expand-tabs?
    --no-expand-tabs --notes? --no-notes --show-notes? --no-show-signature --date= --relative-date
    --parents --children --graph --no-graph --show-linear-break? --no-commit-id
"""
"""How a commit is printed; what a format may hold is checked."""

DIFF = f"""
    -p -u --patch -s --no-patch -U? --unified? --inter-hunk-context= -W --function-context --no-function-context
    --raw --patch-with-raw --patch-with-stat --numstat --shortstat --stat? --stat-width= --stat-name-width=
    --stat-graph-width= --stat-count= --compact-summary --summary -X? --dirstat? --cumulative --dirstat-by-file?
    --check --name-only --name-status --submodule? --ignore-submodules? -z --full-index --binary {ABBREV}
    {COLOR} --color-moved? --no-color-moved --color-moved-ws= --no-color-moved-ws
    --word-diff? --word-diff-regex= --color-words? --ws-error-highlight=
    --src-prefix= --dst-prefix= --no-prefix --default-prefix
    --output-indicator-new= --output-indicator-old= --output-indicator-context=
    -B? --break-rewrites? -M? --find-renames? -C? --find-copies? --find-copies-harder -D --irreversible-delete
    --no-renames --rename-empty --no-rename-empty -l= --diff-filter= -S= -G= --find-object= --pickaxe-all
    --pickaxe-regex --skip-to= --rotate-to= -R --relative? --no-relative -a --text
    -w --ignore-all-space -b --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines
    -I= --ignore-matching-lines= --indent-heuristic --no-indent-heuristic --minimal --patience --histogram
    --diff-algorithm= --anchored= --exit-code --quiet --no-ext-diff --no-textconv
    --ita-visible-in-index --ita-invisible-in-index
"""
"""How changes are printed."""

MERGES = "-c --cc -m --dd --diff-merges= --no-diff-merges --combined-all-paths -t"
"""How a merge is compared with its parents."""

LOG = f"""
    {COMMITS} {PRETTY} {DIFF} {MERGES} -q --source --mailmap --no-mailmap --use-mailmap --no-use-mailmap
    --decorate? --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations --log-size
    --follow --full-diff -L= --no-source
"""

REV_LIST = f"""
    {COMMITS} {PRETTY} --objects --objects-edge --objects-edge-aggressive --no-object-names --object-names
    --unpacked --timestamp --no-timestamp --header --no-commit-header --commit-header --count --disk-usage?
    --bisect-vars --bisect-all --quiet --use-bitmap-index --filter? --no-filter --stdin
"""

REFS = f"""
    --sort= --format= --contains? --no-contains? --merged? --no-merged? --points-at? -i --ignore-case {COLOR}
    --omit-empty
"""
"""Which branches, tags or other refs, and how each is printed; what a format may hold is checked."""

BRANCH = f"{REFS} -l --list -a --all -r --remotes -v --verbose --show-current --column? --no-column {ABBREV}"
TAG = f"{REFS} -l --list -n? --column? --no-column"
FOR_EACH_REF = f"""
    {REFS} --count= -s --shell -p --perl --python --tcl --exclude= --include-root-refs --start-after=
"""

BLAME = f"""
    --incremental -b --root --show-stats --progress --no-progress --score-debug -f --show-name -n --show-number
    -p --porcelain --line-porcelain -c -t -l -s -e --show-email -w --ignore-rev= --ignore-revs-file=<
    --color-lines --color-by-age --minimal --diff-algorithm= --contents=< -C? -M? -L= {ABBREV} --date= --since=
    --first-parent --reverse --encoding=
"""

GREP = f"""
    --cached --untracked --no-exclude-standard --exclude-standard --recurse-submodules
    -v --invert-match -i --ignore-case -w --word-regexp -a --text -I --no-textconv -r --recursive --no-recursive
    --max-depth= -E --extended-regexp -G --basic-regexp -F --fixed-strings -P --perl-regexp
    -n --line-number --column -h -H --full-name -l --files-with-matches --name-only -L --files-without-match
    -z --null -o --only-matching -c --count {COLOR} --break --heading -NUM -C= --context= -B= --before-context=
    -A= --after-context= -p --show-function -W --function-context --threads= -f=<^ -e=^ --and --or --not
    -q --quiet --all-match -m= --max-count=
"""

CONFIG = """
    --global --system --local --worktree -f=< --file=< --blob= --get --get-all --get-regexp --get-urlmatch
    -l --list -t= --type= --no-type --bool --int --bool-or-int --bool-or-str --path --expiry-date -z --null
    --name-only --show-names --no-show-names --includes --no-includes --show-origin --show-scope --default=
    --all --regexp --value= --fixed-value --url=
"""

SHORTLOG = f"{COMMITS} {PRETTY} -c --committer -n --numbered -s --summary -e --email -w? --group="
COMPARE = f"{DIFF} {MERGES} --no-index --cached --staged --merge-base --base --ours --theirs -0 -1 -2 -3"
DIFF_TREE = f"{DIFF} {MERGES} {PRETTY} -r --root --merge-base --always --stdin -v"
STASH_SHOW = f"{DIFF} --include-untracked --no-include-untracked --only-untracked"
REMOTE_SHOW = "-n"
CAT_FILE = """
    -e -p -t -s --allow-unknown-type --mailmap --use-mailmap --batch-check?
    --batch-all-objects --buffer --no-buffer --follow-symlinks --unordered -z -Z
"""
LS_FILES = f"""
    -z -t -v -f -c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -k --killed
    --directory --eol --empty-directory --no-empty-directory -u --unmerged --resolve-undo -x= --exclude=
    -X=< --exclude-from=< --exclude-standard --full-name --recurse-submodules --error-unmatch --with-tree=
    {ABBREV} --debug --deduplicate --sparse
"""
