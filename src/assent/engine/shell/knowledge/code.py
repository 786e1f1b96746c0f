"""Forges and other version control: pull requests, issues, runs and history, as their clients show them."""

from assent.engine.shell.knowledge import code_flags
from assent.engine.shell.knowledge.entry import Commands, Entry, Operands, Reads
from assent.engine.shell.knowledge.help import helped

FILES, TEXT, NONE = Operands.FILES, Operands.TEXT, Operands.NONE

# ---- GitHub: never --web, which opens a browser, and never another host ------------------------------------

_JSON = "-q= --jq= --json= -t= --template="
_REPO = "-R= --repo="
_SEARCH = f"{_JSON} -L= --limit= --order= --sort= --owner="
_SEARCH_ISSUES = f"""
    {_SEARCH} --app= --archived? --assignee= --author= --closed= --commenter= --comments= --created= --interactions=
    --involves= --label= --language= --locked? --match= --mentions= --milestone= --no-assignee --no-label
    --no-milestone --no-project --project= --reactions= -R= --repo= --state= --team-mentions= --updated= --visibility=
"""


def _gh(flags: str, operands: Operands = NONE) -> Reads:
    return Reads(f"{flags} {_REPO}", operands, check="gh")


_PR_LIST = _gh(
    f"{_JSON} --app= -a= --assignee= -A= --author= -B= --base= -d --draft? -H= --head= -l= --label= -L= --limit="
    " -S= --search= -s= --state=",
)
_ISSUE_LIST = _gh(
    f"{_JSON} --app= -a= --assignee= -A= --author= -l= --label= -L= --limit= --mention= -m= --milestone="
    " -S= --search= -s= --state=",
)
_RUN_LIST = _gh(
    f"{_JSON} -a --all -b= --branch= -c= --commit= --created= -e= --event= -L= --limit= -s= --status= -u= --user="
    " -w= --workflow=",
)
_RELEASE_LIST = _gh(f"{_JSON} --exclude-drafts --exclude-pre-releases -L= --limit= -O= --order=")
_REPO_LIST = _gh(
    f"{_JSON} --archived? --fork? -l= --language= -L= --limit= --no-archived --source --topic= --visibility=", TEXT,
)
_WORKFLOW_LIST = _gh(f"{_JSON} -a --all -L= --limit=")
_LABEL_LIST = _gh(f"{_JSON} -L= --limit= --order= -S= --search= --sort=")
_SECRET_LIST = _gh(f"{_JSON} -a= --app= -e= --env= -o= --org= -u --user")
_VARIABLE_LIST = _gh(f"{_JSON} -e= --env= -o= --org=")
_PROJECT = "--owner= --format= -q= --jq= -t= --template="
_PROJECT_LIST = Reads(f"{_PROJECT} --closed -L= --limit=", NONE, check="gh")
_GIST_LIST = _gh("-L= --limit= --public --secret --filter= --include-content")
_CACHE_LIST = _gh(f"{_JSON} -k= --key= -L= --limit= -O= --order= -r= --ref= -S= --sort=")
_RULESET = Commands({
    "list": _gh("-L= --limit= -o= --org= -p --parents?"), "ls": _gh("-L= --limit= -o= --org= -p --parents?"),
    "view": _gh("-o= --org= -p --parents?", TEXT),
    "check": _gh("--default", TEXT),
})

_GITHUB: dict[str, Entry] = {
    "pr": Commands(helped({
        "list": _PR_LIST, "ls": _PR_LIST,
        "view": _gh(f"{_JSON} -c --comments", TEXT),
        "status": _gh(f"{_JSON} -c --conflict-status"),
        "checks": _gh(f"{_JSON} --required --watch -i= --interval= --fail-fast", TEXT),
        "diff": _gh("--color= --name-only --patch", TEXT),
    }, "create new merge close reopen comment review edit ready checkout lock unlock update-branch revert")),
    "issue": Commands(helped({
        "list": _ISSUE_LIST, "ls": _ISSUE_LIST,
        "view": _gh(f"{_JSON} -c --comments", TEXT),
        "status": _gh(_JSON),
    }, "create new close reopen comment edit delete develop lock unlock pin unpin transfer")),
    "run": Commands(helped({
        "list": _RUN_LIST, "ls": _RUN_LIST,
        "view": _gh(f"{_JSON} -a= --attempt= --exit-status -j= --job= --log --log-failed -v --verbose", TEXT),
        "watch": _gh("--exit-status -i= --interval= --compact", TEXT),
    }, "rerun cancel delete download")),
    "workflow": Commands(helped({
        "list": _WORKFLOW_LIST, "ls": _WORKFLOW_LIST,
        "view": _gh("-r= --ref= -y --yaml", TEXT),
    }, "run enable disable")),
    "release": Commands(helped({
        "list": _RELEASE_LIST, "ls": _RELEASE_LIST, "view": _gh(_JSON, TEXT),
    }, "create delete edit upload download")),
    "repo": Commands(helped({
        "list": _REPO_LIST, "ls": _REPO_LIST, "view": _gh(f"{_JSON} -b= --branch=", TEXT),
    }, "create delete edit fork clone sync archive rename set-default")),
    "gist": Commands({"list": _GIST_LIST, "ls": _GIST_LIST, "view": _gh("-f= --filename= --files -r --raw", TEXT)}),
    "label": Commands({"list": _LABEL_LIST, "ls": _LABEL_LIST}),
    "cache": Commands({"list": _CACHE_LIST, "ls": _CACHE_LIST}),
    "ruleset": _RULESET, "rs": _RULESET,
    "secret": Commands({"list": _SECRET_LIST, "ls": _SECRET_LIST}),
    "variable": Commands({
        "list": _VARIABLE_LIST, "ls": _VARIABLE_LIST, "get": _gh(f"{_JSON} -e= --env= -o= --org=", TEXT),
    }),
    "project": Commands({
        "list": _PROJECT_LIST, "ls": _PROJECT_LIST,
        "view": Reads(_PROJECT, TEXT, check="gh"),
        "item-list": Reads(f"{_PROJECT} -L= --limit=", TEXT, check="gh"),
        "field-list": Reads(f"{_PROJECT} -L= --limit=", TEXT, check="gh"),
    }),
    "org": Commands({"list": Reads("-L= --limit=", NONE), "ls": Reads("-L= --limit=", NONE)}),
    "search": Commands({
        "issues": Reads(f"{_SEARCH_ISSUES} --include-prs", TEXT, check="gh"),
        "prs": Reads(
            f"{_SEARCH_ISSUES} -B= --base= --checks= --draft? -H= --head= --merged? --merged-at= --review="
            " --review-requested= --reviewed-by=",
            TEXT, check="gh",
        ),
        "repos": Reads(
            f"{_SEARCH} --archived? --created= --followers= --forks= --good-first-issues= --help-wanted-issues="
            " --include-forks= --language= --license= --match= --number-topics= --size= --stars= --topic= --updated="
            " --visibility=",
            TEXT, check="gh",
        ),
        "commits": Reads(
            f"{_SEARCH} --author= --author-date= --author-email= --author-name= --committer= --committer-date="
            " --committer-email= --committer-name= --hash= --merge --parent= -R= --repo= --tree= --visibility=",
            TEXT, check="gh",
        ),
        "code": Reads(f"{_SEARCH} --extension= --filename= --language= --match= -R= --repo= --size=", TEXT, check="gh"),
    }),
    "api": Reads(code_flags.GH_API, TEXT, check="gh api"),
    "status": Reads("-e= --exclude= -o= --org=", NONE),
    "auth": Commands({"status": Reads("-a --active", NONE)}),
    "config": Commands({"get": Reads("", TEXT), "list": Reads("", NONE), "ls": Reads("", NONE)}),
    "alias": Commands({"list": Reads("", NONE), "ls": Reads("", NONE)}),
    **dict.fromkeys(
        ("extension", "ext", "ssh-key", "gpg-key"), Commands({"list": Reads("", NONE), "ls": Reads("", NONE)}),
    ),
    "version": Reads("", NONE),
}

# ---- GitLab -----------------------------------------------------------------------------------------------

_PAGES = "-p= --page= -P= --per-page="
_LISTED = f"{_PAGES} {_REPO} --all --closed --assignee= --author= --label= --milestone= --search= --output= --group="


def _glab(flags: str, operands: Operands = NONE) -> Reads:
    return Reads(f"{flags} {_REPO}", operands, check="glab")


_GITLAB: dict[str, Entry] = {
    "mr": Commands({
        "list": _glab(
            f"{_LISTED} --merged --draft --not-draft --not-label= --order= --sort= --source-branch= --target-branch="
            " --reviewer=",
        ),
        "view": _glab(f"{_PAGES} --comments --system-logs --output=", TEXT),
        "diff": _glab("--color= --raw", TEXT),
        "approvers": _glab("", TEXT),
        "issues": _glab("", TEXT),
    }),
    "issue": Commands({
        "list": _glab(f"{_LISTED} --opened --confidential --issue-type= --not-label= --not-author= --not-assignee="),
        "view": _glab(f"{_PAGES} --comments --system-logs --output=", TEXT),
    }),
    "ci": Commands({
        "list": _glab(f"{_PAGES} --status= --ref= --scope= --source= --sort= --orderby= --output="),
        "status": _glab("--branch= --compact --live --output="),
        "get": _glab("--branch= --pipeline-id= --output= --with-job-details --merge-request="),
        "trace": _glab("--branch= --pipeline-id=", TEXT),
    }),
    "release": Commands({"list": _glab(_PAGES), "view": _glab("", TEXT)}),
    "repo": Commands({"list": _glab(f"{_PAGES} --mine --starred --member --all --output="), "view": _glab("", TEXT)}),
    "label": Commands({"list": _glab(f"{_PAGES} --output=")}),
    "milestone": Commands({"list": _glab(f"{_PAGES} --state= --search= --title=")}),
    "api": Reads(code_flags.GLAB_API, TEXT, check="glab api"),
    "version": Reads("", NONE),
}

# ---- Subversion -------------------------------------------------------------------------------------------

_REVISION = "-r= --revision="
_DEPTH = "-N --non-recursive -R --recursive --depth="


def _svn(flags: str) -> Reads:
    # The working copy says which server is asked.
    return Reads(f"{flags} --non-interactive", Operands.NAMES, check="no address", trust=True)


_STATUS = _svn(f"-v --verbose -q --quiet {_DEPTH} --no-ignore --xml --incremental --ignore-externals --cl=")
_SVN_DIFF = _svn(
    f"{_REVISION} -c= --change= {_DEPTH} --summarize --git --internal-diff --no-diff-added --no-diff-deleted"
    " --notice-ancestry --show-copies-as-adds --ignore-properties --properties-only --xml --old= --new=",
)
_PROPERTIES = _svn(f"{_REVISION} -v --verbose {_DEPTH} --strict --no-newline --xml --show-inherited-props")

_SUBVERSION: dict[str, Entry] = {
    "status": _STATUS, "stat": _STATUS, "st": _STATUS,
    "diff": _SVN_DIFF, "di": _SVN_DIFF,
    "info": _svn(f"{_REVISION} {_DEPTH} --xml --incremental --show-item= --no-newline --cl= --include-externals"),
    "propget": _PROPERTIES, "pget": _PROPERTIES, "pg": _PROPERTIES,
    "proplist": _PROPERTIES, "plist": _PROPERTIES, "pl": _PROPERTIES,
}

PROGRAMS: dict[str, Entry] = {
    "gh": Commands(helped(_GITHUB, "browse codespace"), flags="--version --help", bare=True),
    "glab": Commands(_GITLAB, flags="--version -v", bare=True),
    "svn": Commands(_SUBVERSION, flags="--version --quiet -q", bare=True),
    "svnversion": Reads("-n --no-newline -c --committed --version"),
}
