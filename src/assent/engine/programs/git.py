"""Git and other version control systems, and clients of code hosts.

Even `git status` runs what the repository's configuration names (a file system monitor, a filter, a pager),
so that the entry of each sub-command lists the settings that it uses. What talks to a remote (`ls-remote`, `remote show`, `fetch`) does
not only read.
"""

from assent.engine.programs.code_files import SUBVERSION
from assent.engine.programs.losses import Loss, Losses, LossesBy, LossPattern
from assent.engine.programs.program import (
    FILES,
    NAMES,
    NONE,
    TEXT,
    EditKind,
    Operands,
    Program,
    ReadCommands,
    ReadEntry,
    Reads,
    ShellEdits,
    TreeReads,
    Writes,
    WritesBy,
    add_help_entries,
)
from assent.engine.programs.runs import (
    RUNS_COMMAND,
    RUNS_OPTIONS,
    RUNS_TEXT,
    RUNS_TEXTS,
    CodeInput,
    InputRule,
    InputUse,
    RestOfWords,
    RunCommands,
    Runs,
)

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
COMPARE = (
    f"{DIFF} {MERGES} --no-index --cached --staged --merge-base --base --ours --theirs -0 -1 -2 -3 --oneline"
)
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
GH_API = """
    -X= --method= -H= --header= -f= --raw-field= -q= --jq= -t= --template= --paginate --slurp --cache=
    -i --include --silent -p= --preview=
"""
GLAB_API = "-X= --method= -H= --header= -f= --raw-field= --paginate -i --include --silent --output="
_HISTORY: dict[str, ReadEntry] = {
    "log": Reads(LOG, NAMES, check="git log"),
    "show": Reads(LOG, NAMES, check="git log"),
    "whatchanged": Reads(LOG, NAMES, check="git log"),
    "shortlog": Reads(SHORTLOG, NAMES, check="git shortlog"),
    "reflog": Reads(LOG, NAMES, check="git reflog"),
    "rev-list": Reads(REV_LIST, NAMES, check="git rev-list"),
    "cherry": Reads(f"-v --verbose {ABBREV}", NAMES),
    "range-diff": Reads(
        f"{DIFF} --creation-factor= --no-dual-color --dual-color --notes? --no-notes --left-only --right-only",
        NAMES,
    ),
    "show-branch": Reads(
        f"-a --all -r --remotes {COLOR} --more? --list --no-name --current --sha1-name --merge-base"
        " --independent --topo-order --topics --sparse --date-order -g? --reflog?",
        NAMES,
    ),
    "bisect": ReadCommands(
        {"log": Reads("", NONE), "terms": Reads("--term-good --term-bad --term-old --term-new", NONE)}
    ),
}
_CHANGES: dict[str, ReadEntry] = {
    "status": Reads(
        "-v --verbose -s --short -b --branch --no-branch --show-stash --no-show-stash --ahead-behind"
        " --no-ahead-behind --porcelain? --long -z --null -u? --untracked-files? --ignored? --ignore-submodules?"
        " --column? --no-column --no-renames --renames -M? --find-renames?",
        NAMES,
    ),
    "diff": Reads(COMPARE, NAMES, check="git diff", lists_with="--name-only"),
    "diff-tree": Reads(DIFF_TREE, NAMES, check="git diff-tree"),
    "diff-index": Reads(COMPARE, NAMES, check="git diff", lists_with="--name-only"),
    "diff-files": Reads(COMPARE, NAMES, check="git diff", lists_with="--name-only"),
    "stash": ReadCommands(
        {
            "list": Reads(LOG, NAMES, check="git log"),
            "show": Reads(STASH_SHOW, NAMES, check="git stash show"),
        }
    ),
    "rerere": ReadCommands(
        {"status": Reads("", NONE), "remaining": Reads("", NONE), "diff": Reads("", NONE)}
    ),
    "apply": Reads(
        "--check --stat --numstat --summary -p= -R --reverse -v --verbose -q --quiet -z --recount --index --cached"
        " --ignore-space-change --ignore-whitespace --unidiff-zero --inaccurate-eof --include= --exclude=",
        FILES,
        needs="--check --stat --numstat --summary",
        bare=False,
    ),
    "clean": Reads("-n --dry-run -d -x -X -e= --exclude=", NAMES, needs="-n --dry-run"),
    "patch-id": Reads("--stable --unstable --verbatim", NONE),
}
_CONTENTS: dict[str, ReadEntry] = {
    "blame": Reads(BLAME, NAMES, check="git blame"),
    "annotate": Reads(BLAME, NAMES, check="git blame"),
    "grep": Reads(
        GREP,
        Operands.PATTERN_FILES,
        check="git grep",
        walks="--untracked",
        walks_hidden="*",
        lists_with="-l --files-with-matches --name-only -L --files-without-match",
    ),
    "cat-file": Reads(CAT_FILE, NAMES, check="git cat-file"),
    "ls-files": Reads(
        LS_FILES,
        NAMES,
        check="git ls-files",
        lists=True,
        lists_without="-t -v -f -s --stage -u --unmerged --resolve-undo --eol --debug",
    ),
    "ls-tree": Reads(
        f"-d -r -t -z -l --long --name-only --name-status --object-only --full-name --full-tree {ABBREV}",
        NAMES,
        every_flag=True,
        lists_with="--name-only --name-status",
    ),
    "hash-object": Reads("-t= --stdin --no-filters", FILES),
    "stripspace": Reads("-s --strip-comments -c --comment-lines", NONE),
    "bundle": ReadCommands(
        {"list-heads": Reads("", FILES, bare=False), "verify": Reads("-q --quiet", FILES, bare=False)}
    ),
    "verify-pack": Reads("-v --verbose -s --stat-only --object-format=", FILES, bare=False),
    "count-objects": Reads("-v --verbose -H --human-readable", NONE),
    "fsck": Reads(
        "-v --verbose --unreachable --dangling --no-dangling --tags --root --cache --reflogs --no-reflogs --full"
        " --no-full --connectivity-only --strict --progress --no-progress --name-objects --no-name-objects",
        NAMES,
    ),
    "lfs": ReadCommands(
        {
            "ls-files": Reads(
                "-l --long -s --size -d --debug -a --all --deleted -n --name-only -I= --include= -X= --exclude= --json",
                NAMES,
            ),
            "status": Reads("-p --porcelain -j --json", NONE),
            "env": Reads("", NONE),
            "version": Reads("", NONE),
        }
    ),
}
_REFS: dict[str, ReadEntry] = {
    "branch": Reads(BRANCH, TEXT, check="git branch"),
    "tag": Reads(TAG, TEXT, check="git tag"),
    "for-each-ref": Reads(FOR_EACH_REF, TEXT, check="git for-each-ref"),
    "show-ref": Reads(
        "--tags --heads --branches --verify --exists --head -d --dereference -s? --hash? -q --quiet"
        f" --exclude-existing? {ABBREV}",
        TEXT,
        every_flag=True,
    ),
    "symbolic-ref": Reads("-q --quiet --short --recurse --no-recurse", Operands.SINGLE, bare=False),
    "name-rev": Reads(
        "--name-only --tags --refs= --exclude= --all --stdin --annotate-stdin --undefined --no-undefined --always",
        NAMES,
        every_flag=True,
    ),
    "describe": Reads(
        "--contains --debug --all --tags --long --first-parent --abbrev? --exact-match --candidates= --match="
        " --exclude= --always --dirty? --broken?",
        NAMES,
        every_flag=True,
    ),
    "merge-base": Reads(
        "-a --all --octopus --independent --is-ancestor --fork-point", NAMES, every_flag=True
    ),
    "rev-parse": Reads(
        "--show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --git-dir --absolute-git-dir"
        " --git-common-dir --git-path= --path-format= --is-inside-git-dir --is-inside-work-tree"
        " --is-bare-repository --is-shallow-repository --resolve-git-dir=< --shared-index-path --show-object-format?"
        " --show-ref-format --local-env-vars --verify -q --quiet --short? --abbrev-ref? --symbolic"
        " --symbolic-full-name --all --branches? --tags? --remotes? --glob= --exclude= --exclude-hidden="
        " --disambiguate= --revs-only --no-revs --flags --no-flags --default= --prefix= --sq --not --since= --after="
        " --until= --before= --sq-quote --output-object-format=",
        NAMES,
        every_flag=True,
    ),
    "check-ref-format": Reads(
        "--normalize --allow-onelevel --no-allow-onelevel --refspec-pattern --branch", TEXT
    ),
    "notes": ReadCommands(
        {"list": Reads("", NAMES), "show": Reads("", NAMES), "get-ref": Reads("", NONE)},
        flags="--ref=",
        bare=True,
        empty=True,
    ),
}
_SETTINGS: dict[str, ReadEntry] = {
    "config": Reads(CONFIG, TEXT, check="git config"),
    "remote": ReadCommands(
        {
            "get-url": Reads("--push --all", TEXT, bare=False),
            "show": Reads(REMOTE_SHOW, TEXT, check="git remote show"),
        },
        flags="-v --verbose",
        bare=True,
        empty=True,
    ),
    "worktree": ReadCommands({"list": Reads("-v --verbose --porcelain -z --expire=", NONE)}),
    "submodule": ReadCommands(
        {"status": Reads("--cached --recursive --quiet", NAMES)},
        flags="--quiet --cached",
        bare=True,
        empty=True,
    ),
    "sparse-checkout": ReadCommands({"list": Reads("", NONE)}),
    "check-ignore": Reads(
        "-q --quiet -v --verbose --stdin -z -n --non-matching --no-index", NAMES, every_flag=True
    ),
    "check-attr": Reads("-a --all --cached --stdin -z --source=", NAMES, every_flag=True),
    "check-mailmap": Reads("--stdin", TEXT),
    "archive": Reads("-l --list", only=True),
    "help": Reads("-a --all -g --guides -c --config", only=True),
    "var": Reads("-l", TEXT),
}
_INDEX = "fsmonitor filters hooks objects"
"""Settings that Git uses when it compares the index with the working tree."""
_LOG_SETTINGS = "objects textconv merge gpg alternates"
_USED_SETTINGS: dict[str, str] = {
    **dict.fromkeys(("log", "show", "whatchanged", "reflog"), _LOG_SETTINGS),
    **dict.fromkeys(("shortlog", "rev-list", "cherry", "show-branch", "bisect"), "objects gpg alternates"),
    "range-diff": f"{_LOG_SETTINGS} diff",
    "status": f"{_INDEX} submodules",
    **dict.fromkeys(("diff", "diff-index", "diff-files"), f"{_INDEX} submodules diff textconv merge"),
    "diff-tree": f"{_LOG_SETTINGS} diff",
    "stash": f"{_INDEX} {_LOG_SETTINGS} diff",
    "rerere": f"{_INDEX} diff textconv merge",
    "apply": _INDEX,
    "clean": _INDEX,
    **dict.fromkeys(("blame", "annotate"), f"{_INDEX} textconv"),
    "grep": f"{_INDEX} textconv",
    **dict.fromkeys(("ls-files", "check-attr", "check-ignore"), _INDEX),
    "hash-object": "filters",
    "submodule": f"{_INDEX} submodules",
    "describe": "objects",
    "lfs": f"{_INDEX} submodules diff textconv gpg network lfs",
    **dict.fromkeys(("branch", "tag", "for-each-ref", "fsck"), "objects gpg"),
    **dict.fromkeys(
        "cat-file ls-tree bundle show-ref name-rev merge-base rev-parse notes config check-mailmap".split(),
        "objects",
    ),
    **dict.fromkeys(
        """patch-id stripspace verify-pack count-objects symbolic-ref check-ref-format remote worktree
        sparse-checkout archive help var""".split(),
        "",
    ),
}
"""The groups of settings that each sub-command uses and that can name programs; `config/git_code.py` lists them."""
_SETTINGS_WITH = (
    ("--submodule", "submodules diff textconv fsmonitor filters hooks"),
    ("--recurse-submodules", "submodules diff textconv fsmonitor filters hooks"),
    ("--dirty", f"{_INDEX} submodules"),
    ("--broken", f"{_INDEX} submodules"),
)
"""The groups that a flag adds."""


def _with_settings(name: str, entry: ReadEntry) -> ReadEntry:
    """The entry of a sub-command with its settings, a pager, and an alias of its name for versions without it."""
    settings = f"{_USED_SETTINGS[name]} pager.{name} alias.{name}".strip()
    if isinstance(entry, ReadCommands):
        commands = {inner: _with_flags(found) for inner, found in entry.commands.items()}
        return entry._replace(trust=True, settings=settings, commands=commands)
    return _with_flags(entry)._replace(trust=True, settings=settings)


def _with_flags(entry: ReadEntry) -> ReadEntry:
    """The entry with the settings that some flags add."""
    return entry._replace(settings_with=_SETTINGS_WITH) if isinstance(entry, Reads) else entry


_TRUSTING: dict[str, ReadEntry] = {
    name: _with_settings(name, entry)
    for name, entry in {**_HISTORY, **_CHANGES, **_CONTENTS, **_REFS, **_SETTINGS}.items()
}
_JSON = "-q= --jq= --json= -t= --template="
_REPO = "-R= --repo="
_SEARCH = f"{_JSON} -L= --limit= --order= --sort= --owner="
_SEARCH_ISSUES = f"""
    {_SEARCH} --app= --archived? --assignee= --author= --closed= --commenter= --comments= --created= --interactions=
    --involves= --label= --language= --locked? --match= --mentions= --milestone= --no-assignee --no-label
    --no-milestone --no-project --project= --reactions= -R= --repo= --state= --team-mentions= --updated= --visibility=
"""


def _gh_read_entry(flags: str, operands: Operands = NONE) -> Reads:
    """The read entry of a sub-command of `gh`, with the flags that every sub-command has."""
    return Reads(f"{flags} {_REPO}", operands, check="gh")


_PR_LIST = _gh_read_entry(
    f"{_JSON} --app= -a= --assignee= -A= --author= -B= --base= -d --draft? -H= --head= -l= --label= -L= --limit="
    " -S= --search= -s= --state=",
)
_ISSUE_LIST = _gh_read_entry(
    f"{_JSON} --app= -a= --assignee= -A= --author= -l= --label= -L= --limit= --mention= -m= --milestone="
    " -S= --search= -s= --state=",
)
_RUN_LIST = _gh_read_entry(
    f"{_JSON} -a --all -b= --branch= -c= --commit= --created= -e= --event= -L= --limit= -s= --status= -u= --user="
    " -w= --workflow=",
)
_RELEASE_LIST = _gh_read_entry(f"{_JSON} --exclude-drafts --exclude-pre-releases -L= --limit= -O= --order=")
_REPO_LIST = _gh_read_entry(
    f"{_JSON} --archived? --fork? -l= --language= -L= --limit= --no-archived --source --topic= --visibility=",
    TEXT,
)
_WORKFLOW_LIST = _gh_read_entry(f"{_JSON} -a --all -L= --limit=")
_LABEL_LIST = _gh_read_entry(f"{_JSON} -L= --limit= --order= -S= --search= --sort=")
_SECRET_LIST = _gh_read_entry(f"{_JSON} -a= --app= -e= --env= -o= --org= -u --user")
_VARIABLE_LIST = _gh_read_entry(f"{_JSON} -e= --env= -o= --org=")
_PROJECT = "--owner= --format= -q= --jq= -t= --template="
_PROJECT_LIST = Reads(f"{_PROJECT} --closed -L= --limit=", NONE, check="gh")
_GIST_LIST = _gh_read_entry("-L= --limit= --public --secret --filter= --include-content")
_CACHE_LIST = _gh_read_entry(f"{_JSON} -k= --key= -L= --limit= -O= --order= -r= --ref= -S= --sort=")
_RULESET = ReadCommands(
    {
        "list": _gh_read_entry("-L= --limit= -o= --org= -p --parents?"),
        "ls": _gh_read_entry("-L= --limit= -o= --org= -p --parents?"),
        "view": _gh_read_entry("-o= --org= -p --parents?", TEXT),
        "check": _gh_read_entry("--default", TEXT),
    }
)
_GITHUB: dict[str, ReadEntry] = {
    "pr": ReadCommands(
        add_help_entries(
            {
                "list": _PR_LIST,
                "ls": _PR_LIST,
                "view": _gh_read_entry(f"{_JSON} -c --comments", TEXT),
                "status": _gh_read_entry(f"{_JSON} -c --conflict-status"),
                "checks": _gh_read_entry(f"{_JSON} --required --watch -i= --interval= --fail-fast", TEXT),
                "diff": _gh_read_entry("--color= --name-only --patch", TEXT),
            },
            "create new merge close reopen comment review edit ready checkout lock unlock update-branch revert",
        )
    ),
    "issue": ReadCommands(
        add_help_entries(
            {
                "list": _ISSUE_LIST,
                "ls": _ISSUE_LIST,
                "view": _gh_read_entry(f"{_JSON} -c --comments", TEXT),
                "status": _gh_read_entry(_JSON),
            },
            "create new close reopen comment edit delete develop lock unlock pin unpin transfer",
        )
    ),
    "run": ReadCommands(
        add_help_entries(
            {
                "list": _RUN_LIST,
                "ls": _RUN_LIST,
                "view": _gh_read_entry(
                    f"{_JSON} -a= --attempt= --exit-status -j= --job= --log --log-failed -v --verbose", TEXT
                ),
                "watch": _gh_read_entry("--exit-status -i= --interval= --compact", TEXT),
            },
            "rerun cancel delete download",
        )
    ),
    "workflow": ReadCommands(
        add_help_entries(
            {
                "list": _WORKFLOW_LIST,
                "ls": _WORKFLOW_LIST,
                "view": _gh_read_entry("-r= --ref= -y --yaml", TEXT),
            },
            "run enable disable",
        )
    ),
    "release": ReadCommands(
        add_help_entries(
            {
                "list": _RELEASE_LIST,
                "ls": _RELEASE_LIST,
                "view": _gh_read_entry(_JSON, TEXT),
            },
            "create delete edit upload download",
        )
    ),
    "repo": ReadCommands(
        add_help_entries(
            {
                "list": _REPO_LIST,
                "ls": _REPO_LIST,
                "view": _gh_read_entry(f"{_JSON} -b= --branch=", TEXT),
            },
            "create delete edit fork clone sync archive rename set-default",
        )
    ),
    "gist": ReadCommands(
        {
            "list": _GIST_LIST,
            "ls": _GIST_LIST,
            "view": _gh_read_entry("-f= --filename= --files -r --raw", TEXT),
        }
    ),
    "label": ReadCommands({"list": _LABEL_LIST, "ls": _LABEL_LIST}),
    "cache": ReadCommands({"list": _CACHE_LIST, "ls": _CACHE_LIST}),
    "ruleset": _RULESET,
    "rs": _RULESET,
    "secret": ReadCommands({"list": _SECRET_LIST, "ls": _SECRET_LIST}),
    "variable": ReadCommands(
        {
            "list": _VARIABLE_LIST,
            "ls": _VARIABLE_LIST,
            "get": _gh_read_entry(f"{_JSON} -e= --env= -o= --org=", TEXT),
        }
    ),
    "project": ReadCommands(
        {
            "list": _PROJECT_LIST,
            "ls": _PROJECT_LIST,
            "view": Reads(_PROJECT, TEXT, check="gh"),
            "item-list": Reads(f"{_PROJECT} -L= --limit=", TEXT, check="gh"),
            "field-list": Reads(f"{_PROJECT} -L= --limit=", TEXT, check="gh"),
        }
    ),
    "org": ReadCommands({"list": Reads("-L= --limit=", NONE), "ls": Reads("-L= --limit=", NONE)}),
    "search": ReadCommands(
        {
            "issues": Reads(f"{_SEARCH_ISSUES} --include-prs", TEXT, check="gh"),
            "prs": Reads(
                f"{_SEARCH_ISSUES} -B= --base= --checks= --draft? -H= --head= --merged? --merged-at= --review="
                " --review-requested= --reviewed-by=",
                TEXT,
                check="gh",
            ),
            "repos": Reads(
                f"{_SEARCH} --archived? --created= --followers= --forks= --good-first-issues= --help-wanted-issues="
                " --include-forks= --language= --license= --match= --number-topics= --size= --stars= --topic= --updated="
                " --visibility=",
                TEXT,
                check="gh",
            ),
            "commits": Reads(
                f"{_SEARCH} --author= --author-date= --author-email= --author-name= --committer= --committer-date="
                " --committer-email= --committer-name= --hash= --merge --parent= -R= --repo= --tree= --visibility=",
                TEXT,
                check="gh",
            ),
            "code": Reads(
                f"{_SEARCH} --extension= --filename= --language= --match= -R= --repo= --size=",
                TEXT,
                check="gh",
            ),
        }
    ),
    "api": Reads(GH_API, TEXT, check="gh api"),
    "status": Reads("-e= --exclude= -o= --org=", NONE),
    "auth": ReadCommands({"status": Reads("-a --active", NONE)}),
    "config": ReadCommands({"get": Reads("", TEXT), "list": Reads("", NONE), "ls": Reads("", NONE)}),
    "alias": ReadCommands({"list": Reads("", NONE), "ls": Reads("", NONE)}),
    **dict.fromkeys(
        ("extension", "ext", "ssh-key", "gpg-key"),
        ReadCommands({"list": Reads("", NONE), "ls": Reads("", NONE)}),
    ),
    "version": Reads("", NONE),
}
_PAGES = "-p= --page= -P= --per-page="
_LISTED = f"{_PAGES} {_REPO} --all --closed --assignee= --author= --label= --milestone= --search= --output= --group="


def _glab_read_entry(flags: str, operands: Operands = NONE) -> Reads:
    """The read entry of a sub-command of `glab`, with the flags that every sub-command has."""
    return Reads(f"{flags} {_REPO}", operands, check="glab")


_GITLAB: dict[str, ReadEntry] = {
    "mr": ReadCommands(
        {
            "list": _glab_read_entry(
                f"{_LISTED} --merged --draft --not-draft --not-label= --order= --sort= --source-branch= --target-branch="
                " --reviewer=",
            ),
            "view": _glab_read_entry(f"{_PAGES} --comments --system-logs --output=", TEXT),
            "diff": _glab_read_entry("--color= --raw", TEXT),
            "approvers": _glab_read_entry("", TEXT),
            "issues": _glab_read_entry("", TEXT),
        }
    ),
    "issue": ReadCommands(
        {
            "list": _glab_read_entry(
                f"{_LISTED} --opened --confidential --issue-type= --not-label= --not-author= --not-assignee="
            ),
            "view": _glab_read_entry(f"{_PAGES} --comments --system-logs --output=", TEXT),
        }
    ),
    "ci": ReadCommands(
        {
            "list": _glab_read_entry(
                f"{_PAGES} --status= --ref= --scope= --source= --sort= --orderby= --output="
            ),
            "status": _glab_read_entry("--branch= --compact --live --output="),
            "get": _glab_read_entry("--branch= --pipeline-id= --output= --with-job-details --merge-request="),
            "trace": _glab_read_entry("--branch= --pipeline-id=", TEXT),
        }
    ),
    "release": ReadCommands({"list": _glab_read_entry(_PAGES), "view": _glab_read_entry("", TEXT)}),
    "repo": ReadCommands(
        {
            "list": _glab_read_entry(f"{_PAGES} --mine --starred --member --all --output="),
            "view": _glab_read_entry("", TEXT),
        }
    ),
    "label": ReadCommands({"list": _glab_read_entry(f"{_PAGES} --output=")}),
    "milestone": ReadCommands({"list": _glab_read_entry(f"{_PAGES} --state= --search= --title=")}),
    "api": Reads(GLAB_API, TEXT, check="glab api"),
    "version": Reads("", NONE),
}
_REVISION = "-r= --revision="
_DEPTH = "-N --non-recursive -R --recursive --depth="


def _svn_read_entry(flags: str) -> Reads:
    """The read entry of a sub-command of `svn`, with the flags that every sub-command has."""
    # The working copy says which server is asked.
    return Reads(f"{flags} --non-interactive", Operands.NAMES, check="no address", trust=True)


_STATUS = _svn_read_entry(
    f"-v --verbose -q --quiet {_DEPTH} --no-ignore --xml --incremental --ignore-externals --cl="
)
_SVN_DIFF = _svn_read_entry(
    f"{_REVISION} -c= --change= {_DEPTH} --summarize --git --internal-diff --no-diff-added --no-diff-deleted"
    " --notice-ancestry --show-copies-as-adds --ignore-properties --properties-only --xml --old= --new=",
)
_PROPERTIES = _svn_read_entry(
    f"{_REVISION} -v --verbose {_DEPTH} --strict --no-newline --xml --show-inherited-props"
)
_SUBVERSION: dict[str, ReadEntry] = {
    "status": _STATUS,
    "stat": _STATUS,
    "st": _STATUS,
    "diff": _SVN_DIFF,
    "di": _SVN_DIFF,
    "info": _svn_read_entry(
        f"{_REVISION} {_DEPTH} --xml --incremental --show-item= --no-newline --cl= --include-externals"
    ),
    "propget": _PROPERTIES,
    "pget": _PROPERTIES,
    "pg": _PROPERTIES,
    "proplist": _PROPERTIES,
    "plist": _PROPERTIES,
    "pl": _PROPERTIES,
}
_FETCHES = RUNS_OPTIONS._replace(options="-u=! --upload-pack=! --exec=! -c=@ --config=@")
_PUSHES = RUNS_OPTIONS._replace(options="--receive-pack=! --exec=!")
GIT_OPTIONS = (
    "-C= -c=@ --config-env=@ --git-dir= --work-tree= --namespace= --super-prefix= --attr-source="
    " --exec-path? --list-cmds= -p --paginate -P --no-pager --bare --no-replace-objects --literal-pathspecs"
    " --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice"
)
"""What may stand before a sub-command of git."""
_GIT_RUNS = RunCommands(
    {
        "bisect": RunCommands({"run": RUNS_COMMAND}),
        "submodule": RunCommands(
            {"foreach": Runs("--recursive -q --quiet", rest=RestOfWords.TEXT)}, "-q --quiet --cached"
        ),
        "rebase": RUNS_OPTIONS._replace(options="-x=! --exec=!"),
        "difftool": RUNS_OPTIONS._replace(options="-x=! --extcmd=!"),
        "filter-branch": RUNS_OPTIONS._replace(
            options="--setup=! --env-filter=! --tree-filter=! --index-filter=! --parent-filter=!"
            " --msg-filter=! --commit-filter=! --tag-name-filter=!"
        ),
        "grep": RUNS_OPTIONS._replace(options="-O?! --open-files-in-pager?!"),
        "clone": _FETCHES,
        "fetch": RUNS_OPTIONS._replace(options="--upload-pack=!"),
        "fetch-pack": _FETCHES,
        "ls-remote": _FETCHES,
        "pull": RUNS_OPTIONS._replace(options="--upload-pack=!"),
        "push": _PUSHES,
        "send-pack": _PUSHES,
        "archive": RUNS_OPTIONS._replace(options="--exec=!"),
        "for-each-repo": Runs("--config= --keep-going", words_before=("git",)),
        "shell": RUNS_OPTIONS._replace(options="-c=!"),
        "instaweb": RUNS_OPTIONS._replace(options="--httpd=! --browser=! -d=! -b=!"),
        "send-email": RUNS_OPTIONS._replace(
            options="--sendmail-cmd=! --to-cmd=! --cc-cmd=! --header-cmd=! --smtp-server=!"
        ),
        "config": Runs(
            "-* --* -f= --file= --blob= -t= --type= --default= --comment= --value= set add",
            rest=RestOfWords.SETTING,
        ),
    },
    GIT_OPTIONS,
)
_CODESPACE = RunCommands(
    {
        "ssh": Runs(
            "-c= --codespace= --config -d --debug --debug-file= --profile= -R= --repo= --repo-owner="
            " --server-port=",
            rest=RestOfWords.TEXT,
            input=CodeInput.SHELL,
        )
    }
)
_GIT_LOSSES = Losses(
    (
        LossPattern(
            "push", Loss.OVERWRITES_REMOTE, flags="--force -f --force-with-lease --mirror", unless="-n"
        ),
        LossPattern("push", Loss.DELETES, "remote branch", flags="--delete -d --prune", unless="-n"),
        LossPattern("reset", Loss.DISCARDS_CHANGES, flags="--hard --merge"),
        LossPattern("checkout", Loss.DISCARDS_CHANGES, flags="--force -f"),
        LossPattern("switch", Loss.DISCARDS_CHANGES, flags="--force -f --discard-changes"),
        LossPattern("restore", Loss.DISCARDS_CHANGES, unless="--staged -S"),
        LossPattern("restore", Loss.DISCARDS_CHANGES, flags="--worktree -W"),
        LossPattern("clean", Loss.REMOVES_UNTRACKED, flags="--force -f", unless="-n"),
        LossPattern("rm", Loss.DISCARDS_CHANGES, flags="--force -f", unless="-n --cached"),
        LossPattern("branch", Loss.DELETES, "branch", flags="-D"),
        LossPattern("stash drop|clear", Loss.DISCARDS_CHANGES),
        LossPattern("worktree remove", Loss.DISCARDS_CHANGES, flags="--force -f"),
        LossPattern("submodule deinit", Loss.DISCARDS_CHANGES, flags="--force -f"),
        LossPattern("filter-branch|filter-repo", Loss.ERASES_HISTORY),
        LossPattern("reflog expire|delete", Loss.ERASES_HISTORY, unless="-n"),
        LossPattern("gc", Loss.ERASES_HISTORY, flags="--prune"),
        LossPattern("prune", Loss.ERASES_HISTORY, unless="-n"),
        LossPattern("update-ref", Loss.ERASES_HISTORY, flags="-d"),
    ),
    "-C -c --git-dir --work-tree --namespace -o --push-option --repo --receive-pack --exec -s --source -b -B",
)
_CODE_HOSTS = Losses(
    (
        LossPattern("repo|project delete", Loss.DELETES, "repository"),
        LossPattern("release delete|delete-asset", Loss.DELETES, "release"),
        LossPattern("* delete", Loss.DELETES, "<"),
        LossPattern("delete", Loss.DELETES, "repository"),
    ),
    "-R --repo -X --method -H --header -F --field -f --raw-field --jq -q -t --template --hostname",
)

PROGRAMS = (
    Program("delta", reads=Reads("--version", only=True), text_options="--pager=!"),
    Program("difft tig", reads=Reads("--version", only=True)),
    Program(
        "git",
        reads_trees=TreeReads.RECORDED,
        shell_edits=ShellEdits(
            EditKind.STAGED,
            "-C=< -v --verbose -u --update -A --all -n --dry-run",
            settings=f"{_INDEX} submodules filters alias.add alias.stage",
        ),
        reads=ReadCommands(
            {**_TRUSTING, "version": Reads("--build-options", NONE)},
            # Never --git-dir, --work-tree, --config-env or --exec-path=…: they bring another configuration along.
            flags="-C=< -c= --help --no-pager -P --no-optional-locks --no-replace-objects --no-lazy-fetch --no-advice"
            " --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs"
            " -v --version --exec-path --html-path --man-path --info-path",
            bare=True,
            check="git settings",
            alone="--help",
            settings_without=(("--no-pager", "pager"), ("-P", "pager")),
        ),
        runs=_GIT_RUNS,
        text_words=("ext::",),
        brings_files="apply am checkout clone pull merge rebase reset restore switch stash worktree submodule",
        writes=Writes(
            "-C= -c= --git-dir= --work-tree= --namespace= --config-env= --attr-source= -* --*",
            by=WritesBy.REPOSITORY,
        ),
        input=(
            InputRule(
                commands="apply am",
                options="--continue; --abort; --skip; --quit; --show-current-patch;",
                operands=1,
            ),
            InputRule(
                commands="fast-import mktree unpack-objects index-pack credential receive-pack shell update-index"
                " remote-http remote-https remote-ftp remote-ftps"
            ),
            InputRule(InputUse.OPERANDS, commands="pack-objects"),
            InputRule(InputUse.ANSWERS, commands="difftool mergetool"),
            InputRule(InputUse.OPERANDS, only="--pathspec-from-file --stdin-paths"),
            InputRule(InputUse.OPERANDS, commands="cherry-pick revert", only="--stdin"),
            InputRule(
                InputUse.ANSWERS,
                commands="add checkout reset stash restore commit clean send-email",
                only="-p --patch -i --interactive",
            ),
        ),
        dash_is_data="commit tag notes hash-object stripspace interpret-trailers checkout switch merge rebase cherry-pick revert stash",
        losses=_GIT_LOSSES,
        options={
            "push": "f=force u=set-upstream d=delete n=dry-run q=quiet v=verbose",
            "reset": "q=quiet p=patch N=intent-to-add hard=hard",
            "clean": "f=force n=dry-run q=quiet e=exclude d=d x=x X=X i=interactive",
            "branch": "d=delete f=force m=move c=copy a=all r=remotes D=delete+force M=move+force C=copy+force",
            "checkout": "f=force q=quiet b=b B=B m=merge p=patch",
            "switch": "f=discard-changes c=create C=force-create d=detach",
            "commit": "a=all m=message n=no-verify s=signoff q=quiet v=verbose p=patch e=edit",
            "merge": "n=no-stat q=quiet s=strategy",
            "add": "A=all u=update f=force p=patch n=dry-run i=interactive",
            "rm": "f=force r=r n=dry-run q=quiet",
            "tag": "d=delete f=force a=annotate m=message l=list s=sign",
            "stash": "u=include-untracked a=all k=keep-index p=patch q=quiet m=message",
            "rebase": "i=interactive f=force-rebase",
            "fetch": "f=force p=prune a=all t=tags",
            "pull": "r=rebase f=force q=quiet",
            "worktree": "f=force d=detach",
        },
        shortens_options=True,
        same_as=(
            "git add = git stage",
            "git blame = git annotate",
            "git remote remove = git remote rm",
        ),
        losses_by=LossesBy.REPOSITORY,
        can_suggest_commands=True,
        does="push send-email: sends; fetch pull clone ls-remote: connects; repository",
    ),
    Program(
        "gh",
        reads=ReadCommands(
            add_help_entries(_GITHUB, "browse codespace"), flags="--version --help", bare=True
        ),
        runs=RunCommands(
            {
                "alias": RunCommands({"set": Runs("-s --shell --clobber", rest=RestOfWords.SETTING)}),
                "codespace": _CODESPACE,
                "cs": _CODESPACE,
            }
        ),
        input=(
            InputRule(
                InputUse.ANSWERS, commands="repo release secret ssh-key gpg-key extension alias auth variable"
            ),
        ),
        dash_is_data="pr issue release gist discussion",
        losses=_CODE_HOSTS,
        options={
            "api": "X=method F=field f=raw-field H=header",
            "pr merge": "s=squash m=merge r=rebase d=delete-branch",
        },
        same_as=(
            "gh pr create = gh pr new",
            "gh pr list = gh pr ls",
            "gh issue create = gh issue new",
            "gh issue list = gh issue ls",
            "gh repo create = gh repo new",
            "gh repo list = gh repo ls",
            "gh release create = gh release new",
            "gh release list = gh release ls",
            "gh run list = gh run ls",
            "gh workflow list = gh workflow ls",
            "gh secret remove = gh secret delete",
            "gh variable remove = gh variable delete",
            "gh codespace = gh cs",
        ),
        losses_by=LossesBy.HTTP,
        can_suggest_commands=True,
        does="services",
    ),
    Program(
        "glab",
        reads=ReadCommands(_GITLAB, flags="--version -v", bare=True),
        dash_is_data="mr issue",
        losses=_CODE_HOSTS,
        losses_by=LossesBy.HTTP,
        does="services",
    ),
    Program(
        "svn",
        reads=ReadCommands(_SUBVERSION, flags="--version --quiet -q", bare=True),
        text_options="--diff-cmd=! --diff3-cmd=! --editor-cmd=! --config-option=@",
        losses=Losses((LossPattern("revert", Loss.DISCARDS_CHANGES),)),
        code_files=SUBVERSION,
        does="commit ci import: sends; checkout co update up: connects; repository",
    ),
    Program("svnversion", reads=Reads("-n --no-newline -c --committed --version")),
    Program("repo", runs=RunCommands({"forall": RUNS_OPTIONS._replace(options="-c* --command*")})),
    Program("mr", runs=RunCommands({"run": RUNS_COMMAND})),
    Program("meta", runs=RunCommands({"exec": RUNS_TEXTS})),
    Program("gita", runs=RunCommands({"shell": RUNS_TEXT})),
    Program(
        "hg",
        text_options="--config=@ -e=! --ssh=!",
        input=(InputRule(commands="import patch", operands=1),),
        losses=Losses(
            (
                LossPattern("strip", Loss.ERASES_HISTORY),
                LossPattern("update|up|checkout", Loss.DISCARDS_CHANGES, flags="-C --clean"),
                LossPattern("revert", Loss.DISCARDS_CHANGES),
                LossPattern("purge", Loss.REMOVES_UNTRACKED),
            )
        ),
    ),
    Program(
        "p4",
        input=(InputRule(only="-x -i"),),
        losses=Losses((LossPattern("obliterate", Loss.ERASES_HISTORY, flags="-y"),)),
    ),
    Program("svnadmin", input=(InputRule(commands="load"),)),
    Program("filterdiff", input=(InputRule(InputUse.DATA),)),
    Program("hub", losses=_CODE_HOSTS, does="services"),
    Program("bfg git-filter-repo", losses=Losses((LossPattern("", Loss.ERASES_HISTORY),))),
)
