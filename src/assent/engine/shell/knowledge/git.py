"""Git: what its sub-commands only read, in a repository whose configuration is trusted.

Even `git status` runs what the repository's configuration names (a file system monitor, a filter, a pager),
so that all but its version needs trust; and what talks to a remote (`ls-remote`, `remote show`, `fetch`) is not here.
"""

from assent.engine.shell.knowledge import git_flags as flags
from assent.engine.shell.knowledge.entry import Commands, Entry, Operands, Reads

FILES, NAMES, TEXT, NONE = Operands.FILES, Operands.NAMES, Operands.TEXT, Operands.NONE

_HISTORY: dict[str, Entry] = {
    "log": Reads(flags.LOG, NAMES, check="git log"),
    "show": Reads(flags.LOG, NAMES, check="git log"),
    "whatchanged": Reads(flags.LOG, NAMES, check="git log"),
    "shortlog": Reads(flags.SHORTLOG, NAMES, check="git shortlog"),
    "reflog": Reads(flags.LOG, NAMES, check="git reflog"),
    "rev-list": Reads(flags.REV_LIST, NAMES, check="git rev-list"),
    "cherry": Reads(f"-v --verbose {flags.ABBREV}", NAMES),
    "range-diff": Reads(
        f"{flags.DIFF} --creation-factor= --no-dual-color --dual-color --notes? --no-notes --left-only --right-only",
        NAMES,
    ),
    "show-branch": Reads(
        f"-a --all -r --remotes {flags.COLOR} --more? --list --no-name --current --sha1-name --merge-base"
        " --independent --topo-order --topics --sparse --date-order -g? --reflog?",
        NAMES,
    ),
    "bisect": Commands({"log": Reads("", NONE), "terms": Reads("--term-good --term-bad --term-old --term-new", NONE)}),
}

_CHANGES: dict[str, Entry] = {
    "status": Reads(
        "-v --verbose -s --short -b --branch --no-branch --show-stash --no-show-stash --ahead-behind"
        " --no-ahead-behind --porcelain? --long -z --null -u? --untracked-files? --ignored? --ignore-submodules?"
        " --column? --no-column --no-renames --renames -M? --find-renames?",
        NAMES,
    ),
    "diff": Reads(flags.COMPARE, NAMES, check="git diff", lists_with="--name-only"),
    "diff-tree": Reads(flags.DIFF_TREE, NAMES, check="git diff-tree"),
    "diff-index": Reads(flags.COMPARE, NAMES, check="git diff", lists_with="--name-only"),
    "diff-files": Reads(flags.COMPARE, NAMES, check="git diff", lists_with="--name-only"),
    "stash": Commands({
        "list": Reads(flags.LOG, NAMES, check="git log"),
        "show": Reads(flags.STASH_SHOW, NAMES, check="git stash show"),
    }),
    "rerere": Commands({"status": Reads("", NONE), "remaining": Reads("", NONE), "diff": Reads("", NONE)}),
    "apply": Reads(
        "--check --stat --numstat --summary -p= -R --reverse -v --verbose -q --quiet -z --recount --index --cached"
        " --ignore-space-change --ignore-whitespace --unidiff-zero --inaccurate-eof --include= --exclude=",
        FILES, needs="--check --stat --numstat --summary", bare=False,
    ),
    "clean": Reads("-n --dry-run -d -x -X -e= --exclude=", NAMES, needs="-n --dry-run"),
    "patch-id": Reads("--stable --unstable --verbatim", NONE),
}

_CONTENTS: dict[str, Entry] = {
    "blame": Reads(flags.BLAME, NAMES, check="git blame"),
    "annotate": Reads(flags.BLAME, NAMES, check="git blame"),
    "grep": Reads(
        flags.GREP, Operands.PATTERN_FILES, check="git grep",
        lists_with="-l --files-with-matches --name-only -L --files-without-match",
    ),
    "cat-file": Reads(flags.CAT_FILE, NAMES, check="git cat-file"),
    "ls-files": Reads(
        flags.LS_FILES, NAMES, check="git ls-files", lists=True,
        lists_without="-t -v -f -s --stage -u --unmerged --resolve-undo --eol --debug",
    ),
    "ls-tree": Reads(
        f"-d -r -t -z -l --long --name-only --name-status --object-only --full-name --full-tree {flags.ABBREV}",
        NAMES, every_flag=True, lists_with="--name-only --name-status",
    ),
    "hash-object": Reads("-t= --stdin --no-filters", FILES),
    "stripspace": Reads("-s --strip-comments -c --comment-lines", NONE),
    "bundle": Commands({"list-heads": Reads("", FILES, bare=False), "verify": Reads("-q --quiet", FILES, bare=False)}),
    "verify-pack": Reads("-v --verbose -s --stat-only --object-format=", FILES, bare=False),
    "count-objects": Reads("-v --verbose -H --human-readable", NONE),
    "fsck": Reads(
        "-v --verbose --unreachable --dangling --no-dangling --tags --root --cache --reflogs --no-reflogs --full"
        " --no-full --connectivity-only --strict --progress --no-progress --name-objects --no-name-objects",
        NAMES,
    ),
    "lfs": Commands({
        "ls-files": Reads(
            "-l --long -s --size -d --debug -a --all --deleted -n --name-only -I= --include= -X= --exclude= --json",
            NAMES,
        ),
        "status": Reads("-p --porcelain -j --json", NONE),
        "env": Reads("", NONE),
        "version": Reads("", NONE),
    }),
}

_REFS: dict[str, Entry] = {
    "branch": Reads(flags.BRANCH, TEXT, check="git branch"),
    "tag": Reads(flags.TAG, TEXT, check="git tag"),
    "for-each-ref": Reads(flags.FOR_EACH_REF, TEXT, check="git for-each-ref"),
    "show-ref": Reads(
        "--tags --heads --branches --verify --exists --head -d --dereference -s? --hash? -q --quiet"
        f" --exclude-existing? {flags.ABBREV}",
        TEXT, every_flag=True,
    ),
    "symbolic-ref": Reads("-q --quiet --short --recurse --no-recurse", Operands.SINGLE, bare=False),
    "name-rev": Reads(
        "--name-only --tags --refs= --exclude= --all --stdin --annotate-stdin --undefined --no-undefined --always",
        NAMES, every_flag=True,
    ),
    "describe": Reads(
        "--contains --debug --all --tags --long --first-parent --abbrev? --exact-match --candidates= --match="
        " --exclude= --always --dirty? --broken?",
        NAMES, every_flag=True,
    ),
    "merge-base": Reads("-a --all --octopus --independent --is-ancestor --fork-point", NAMES, every_flag=True),
    "rev-parse": Reads(
        "--show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --git-dir --absolute-git-dir"
        " --git-common-dir --git-path= --path-format= --is-inside-git-dir --is-inside-work-tree"
        " --is-bare-repository --is-shallow-repository --resolve-git-dir=< --shared-index-path --show-object-format?"
        " --show-ref-format --local-env-vars --verify -q --quiet --short? --abbrev-ref? --symbolic"
        " --symbolic-full-name --all --branches? --tags? --remotes? --glob= --exclude= --exclude-hidden="
        " --disambiguate= --revs-only --no-revs --flags --no-flags --default= --prefix= --sq --not --since= --after="
        " --until= --before= --sq-quote --output-object-format=",
        NAMES, every_flag=True,
    ),
    "check-ref-format": Reads("--normalize --allow-onelevel --no-allow-onelevel --refspec-pattern --branch", TEXT),
    "notes": Commands(
        {"list": Reads("", NAMES), "show": Reads("", NAMES), "get-ref": Reads("", NONE)},
        flags="--ref=", bare=True, empty=True,
    ),
}

_SETTINGS: dict[str, Entry] = {
    "config": Reads(flags.CONFIG, TEXT, check="git config"),
    "remote": Commands(
        {
            "get-url": Reads("--push --all", TEXT, bare=False),
            "show": Reads(flags.REMOTE_SHOW, TEXT, check="git remote show"),
        },
        flags="-v --verbose", bare=True, empty=True,
    ),
    "worktree": Commands({"list": Reads("-v --verbose --porcelain -z --expire=", NONE)}),
    "submodule": Commands(
        {"status": Reads("--cached --recursive --quiet", NAMES)}, flags="--quiet --cached", bare=True, empty=True,
    ),
    "sparse-checkout": Commands({"list": Reads("", NONE)}),
    "check-ignore": Reads("-q --quiet -v --verbose --stdin -z -n --non-matching --no-index", NAMES, every_flag=True),
    "check-attr": Reads("-a --all --cached --stdin -z --source=", NAMES, every_flag=True),
    "check-mailmap": Reads("--stdin", TEXT),
    "archive": Reads("-l --list", only=True),
    "help": Reads("-a --all -g --guides -c --config", only=True),
    "var": Reads("-l", TEXT),
}

_TRUSTING: dict[str, Entry] = {
    name: entry._replace(trust=True)
    for name, entry in {**_HISTORY, **_CHANGES, **_CONTENTS, **_REFS, **_SETTINGS}.items()
}

PROGRAMS: dict[str, Entry] = {
    "git": Commands(
        {**_TRUSTING, "version": Reads("--build-options", NONE)},
        # Never --git-dir, --work-tree, --config-env or --exec-path=…: they bring another configuration along.
        flags="-C=< -c= --help --no-pager -P --no-optional-locks --no-replace-objects --no-lazy-fetch --no-advice"
        " --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs"
        " -v --version --exec-path --html-path --man-path --info-path",
        bare=True, check="git settings", alone="--help",
    ),
}
