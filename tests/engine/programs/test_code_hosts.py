"""Clients of code hosts and other version control: commands that only read, and commands that ask."""

import pytest

from assent.engine.lines.reading import find_reads
from assent.engine.programs.word import Word
from tests.engine.programs.lines import files_read_by, find_line_reads, split_lines

READS = split_lines(r"""
    # GitHub
    gh --version
    gh version
    gh status
    gh status -o acme
    gh auth status
    gh auth status --active
    gh config list
    gh config get editor
    gh alias list
    gh extension list
    gh pr list
    gh pr ls
    gh pr list --state all --limit 50
    gh pr list -s merged -L 5 --json number,title
    gh pr list --author "@me" --label bug --search 'review:required'
    gh pr list --json number,title --jq '.[].title'
    gh pr list -R acme/widgets
    gh pr list --json title -q .[].title
    gh pr list --json title -q'.[] | .env'
    gh pr list --repo acme/widgets --draft
    gh pr list -R github.com/acme/widgets
    gh pr list --draft=false
    gh pr list -B main -H feature/x
    gh pr view
    gh pr view 12
    gh pr view 12 --comments
    gh pr view 12 -c
    gh pr view feature/a/b
    gh pr view https://github.com/acme/widgets/pull/12
    gh pr view 12 --json body,state -q .state
    gh pr view 12 --json title --template '{{.title}}'
    gh pr status
    gh pr status -c
    gh pr checks
    gh pr checks 12 --required
    gh pr checks 12 --watch --interval 5
    gh pr checks --json name,state
    gh pr diff
    gh pr diff 12
    gh pr diff 12 --name-only
    gh pr diff 12 --color=never --patch
    gh issue list
    gh issue list -l bug -a @me
    gh issue list --milestone v1 --state closed
    gh issue list --search "is:open label:bug sort:updated-desc"
    gh issue view 7
    gh issue view 7 --comments
    gh issue view 7 --json title,body
    gh issue status
    gh run list
    gh run list --limit 5 --branch main
    gh run list -w ci.yml -L 3 --json conclusion
    gh run list --status failure --event push
    gh run view
    gh run view 123456
    gh run view 123456 --log
    gh run view 123456 --log-failed
    gh run view --job 42 --log
    gh run view 123 --attempt 2 -v
    gh run view 123 --exit-status
    gh run watch 123
    gh run watch 123 --exit-status
    gh workflow list
    gh workflow list --all
    gh workflow view ci.yml
    gh workflow view ci.yml --yaml --ref main
    gh release list
    gh release list --limit 3 --exclude-drafts
    gh release view
    gh release view v1.2.3
    gh release view v1.2.3 --json assets
    gh repo view
    gh repo view acme/widgets
    gh repo view acme/widgets --json name,description
    gh repo view https://github.com/acme/widgets
    gh repo view -b dev
    gh repo list
    gh repo list acme --limit 100 --json name
    gh repo list acme --language go --source
    gh gist list
    gh gist list --public -L 3
    gh gist view abc123
    gh gist view abc123 --raw --files
    gh gist view https://gist.github.com/ana/abc123
    gh label list
    gh label list --search bug
    gh cache list
    gh cache list --key npm- --sort size_in_bytes
    gh ruleset list
    gh ruleset view 12
    gh ruleset check main
    gh secret list
    gh secret list --env prod
    gh variable list
    gh variable get NAME
    gh project list --owner acme
    gh project view 1 --owner acme --format json
    gh project item-list 1 --owner acme --limit 100
    gh org list
    gh org ls
    gh cache ls
    gh gist ls
    gh rs ls
    gh ext ls
    gh ssh-key list
    gh search prs 'fix login'
    gh search prs --author=@me --state=open
    gh search issues crash --repo acme/widgets --limit 5
    gh search issues "is:open" --label bug --include-prs
    gh search repos --language=go --stars=">100" cli
    gh search code 'func main' --extension go --owner acme
    gh search commits fix --author ana
    gh api user
    gh api /user
    gh api repos/o/r/pulls/1
    gh api /repos/o/r/issues
    gh api repos/{owner}/{repo}/releases
    gh api 'repos/o/r/issues?state=all&per_page=100'
    gh api repos/o/r/pulls/1/comments --paginate
    gh api repos/o/r --jq .default_branch
    gh api repos/o/r -q '.stargazers_count'
    gh api repos/o/r --template '{{.name}}'
    gh api -X GET search/issues -f q='repo:cli/cli is:open'
    gh api --method GET search/issues --raw-field q=x
    gh api -XGET user
    gh api -X=get user
    gh api -H 'Accept: application/vnd.github.raw' repos/o/r/readme
    gh api --header "accept: application/json" user
    gh api --cache 1h users/ana
    gh api -i user
    gh api --paginate --slurp repos/o/r/commits
    gh api "repos/o/$X/pulls"
    # GitLab
    glab --version
    glab version
    glab mr list
    glab mr list --merged --author=ana -P 50
    glab mr list -R group/sub/project
    glab mr view 5
    glab mr view 5 --comments
    glab mr diff 5
    glab issue list --label bug
    glab issue view 3
    glab ci list
    glab ci status
    glab ci status --branch main
    glab ci trace 123
    glab release list
    glab repo view
    glab label list
    glab api projects/1/merge_requests
    glab api version --paginate
    # Subversion
    svn --version
    svn --version --quiet
    svn status
    svn status -q --no-ignore src
    svn info
    svn info --show-item revision
    svn diff
    svn diff -r PREV:HEAD a.c
    svn di -c 1234 --summarize
    svn diff --git
    svn propget svn:ignore .
    svn proplist -v .
    svnversion
    svnversion -n .
""")

NEVER = split_lines(r"""
    svn cat -r 10 a.c
    svn cat a.c
    svn ls -v
    svn list
    svn blame -r 1:HEAD -v a.c
    svn blame a.c
    svn log --limit 5 --xml
    svn log -r 100:HEAD -v trunk
    svn log -l 10
    svn log
    svn st -u
    gh
    gh pr
    gh co 12
    gh whatever
    # opens a browser, an editor or a prompt
    gh browse
    gh pr view 12 --web
    gh pr view -w
    gh pr list -w
    gh pr checks --web
    gh pr diff 12 --web
    gh issue view 7 --web
    gh issue list -w
    gh repo view -w
    gh run view 123 --web
    gh run view -w 123
    gh search prs x -w
    gh release view --web
    gh gist view abc -w
    gh ruleset list -w
    gh label list --web
    gh project list --web
    # changes something there
    gh pr create
    gh pr create --fill
    gh pr create --dry-run
    gh pr merge 12
    gh pr close 12
    gh pr reopen 12
    gh pr comment 12 -b x
    gh pr review 12 --approve
    gh pr edit 12 --title x
    gh pr ready 12
    gh pr lock 12
    gh pr update-branch
    gh issue create
    gh issue close 7
    gh issue comment 7 -b x
    gh issue edit 7
    gh issue delete 7
    gh issue develop 7
    gh issue pin 7
    gh issue transfer 7 o/r
    gh run rerun 123
    gh run cancel 123
    gh run delete 123
    gh workflow run ci.yml
    gh workflow enable ci.yml
    gh workflow disable ci.yml
    gh release create v1
    gh release delete v1
    gh release edit v1
    gh release upload v1 a.zip
    gh repo create x
    gh repo delete x
    gh repo fork
    gh repo edit
    gh repo sync
    gh repo archive
    gh repo rename x
    gh gist create a.txt
    gh gist edit abc
    gh gist delete abc
    gh label create x
    gh label edit x
    gh cache delete --all
    gh secret set X
    gh secret delete X
    gh variable set X
    gh variable delete X
    gh project create
    gh project item-add 1
    gh project delete 1
    gh auth login
    gh auth logout
    gh auth refresh
    gh auth setup-git
    gh auth switch
    gh config set editor vim
    gh config clear-cache
    gh alias set x y
    gh alias delete x
    gh alias import -
    gh extension install o/r
    gh extension exec x
    gh extension upgrade --all
    gh ssh-key add key.pub
    gh gpg-key delete 1
    gh codespace ssh
    gh copilot suggest x
    # writes files or runs git
    gh pr checkout 12
    gh repo clone o/r
    gh gist clone abc
    gh repo set-default
    gh release download v1
    gh run download 123
    gh attestation download x
    # shows a secret
    gh auth token
    gh auth status -t
    gh auth status --show-token
    # asks someone else
    gh pr list -R evil.example/o/r
    gh pr list -R $X
    gh pr list -R$X/o/r
    gh pr list --repo=$X
    gh pr list --json title --jq env
    gh pr list --json title --jq '$ENV.GITHUB_TOKEN'
    gh pr list --json title -q'env.X'
    gh pr list --json title --jq=env
    gh pr list --json title -q $X
    gh api repos/o/r --jq '$ENV'
    gh api user -q env
    gh pr list --repo=evil.example/o/r
    gh pr list -Revil.example/o/r
    gh pr list -R=evil.example/o/r
    gh pr -R evil.example/o/r list
    gh pr list -R https://evil.example/o/r
    gh pr list -R git@evil.example:o/r
    gh pr view https://evil.example/o/r/pull/1
    gh pr view http://github.com/o/r/pull/1
    gh pr view https://github.com.evil.example/o/r/pull/1
    gh repo view evil.example/o/r
    gh repo view evil.example:8443/o/r
    gh api --hostname evil.example user
    gh api https://evil.example/x
    gh api http://169.254.169.254/latest
    gh auth status -h evil.example
    # any other method, a body, a header
    gh api
    gh api user orgs
    gh api -X POST repos/o/r/issues
    gh api -XDELETE repos/o/r
    gh api --method=PATCH repos/o/r
    gh api --method DELETE repos/o/r
    gh api -X GET -X POST repos/o/r/issues
    gh api -X "$X" repos/o/r
    gh api repos/o/r/issues -f title=x
    gh api repos/o/r/issues --raw-field title=x
    gh api repos/o/r/issues -F title=x
    gh api repos/o/r/issues -F body=@/etc/passwd
    gh api -X GET search/issues -F q=@/etc/passwd
    gh api repos/o/r/issues --field title=x
    gh api repos/o/r/issues --input body.json
    gh api repos/o/r/issues --input -
    gh api graphql
    gh api /graphql
    gh api graphql -f query='mutation {x}'
    gh api -X GET graphql -f query='mutation {x}'
    gh api -H 'X-HTTP-Method-Override: DELETE' repos/o/r
    gh api -H 'Authorization: token x' user
    gh api -H "$X" user
    gh api "$X"
    gh api repos/o/$*
    gh api --verbose user
    gh api --meth GET user
    gh pr list $*
    gh pr view $X
    # GitLab
    glab
    glab mr create
    glab mr merge 5
    glab mr approve 5
    glab mr checkout 5
    glab mr note 5
    glab mr view 5 --web
    glab mr view 5 -w
    glab mr list -R https://evil.example/o/r
    glab mr list -R evil.example/o/r
    glab mr list -Revil.example/o/r
    glab mr list --repo=evil.example:8443/o/r
    glab mr list -R $X
    glab mr view 1 -R $X/o/r
    glab repo view evil.example/o/r
    glab mr list -R git@evil.example:o/r
    glab issue create
    glab issue close 3
    glab ci run
    glab ci retry 1
    glab ci view
    glab ci delete 1
    glab variable list
    glab variable set X
    glab auth status -t
    glab repo clone x
    glab api projects -X POST
    glab api projects -f name=x
    glab api projects --input x
    glab api --hostname evil.example version
    glab alias set x y
    # Subversion
    svn
    svn commit -m x
    svn ci -m x
    svn update
    svn up
    svn checkout x
    svn co x
    svn add a
    svn delete a
    svn revert a
    svn switch x
    svn merge x
    svn export x
    svn cleanup
    svn propset a b c
    svn propedit svn:ignore .
    svn mkdir x
    svn lock a
    svn resolve a
    svn upgrade
    svn relocate x
    svn diff --diff-cmd ./x
    svn diff --diff-cmd=./x
    svn diff -x -w
    svn log --diff-cmd ./x
    svn log svn+ssh://evil.example/x
    svn info https://evil.example/x
    svn list file:///etc
    svn diff --old https://evil.example/x --new a
    svn cat https://evil.example/x
    svn cat
    svn status --config-dir ./x
    svn status --config-option servers:global:http-proxy-host=x
    svn log --username x --password y
    svn whatever
""")


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("line", READS)
def test_a_listed_command_only_reads(line: str) -> None:
    assert find_line_reads(line) is not None


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("line", NEVER)
def test_another_command_may_do_more_than_read(line: str) -> None:
    assert find_line_reads(line) is None


@pytest.mark.proves("D-6")
@pytest.mark.parametrize("line", ["svn diff /tmp/x"])
def test_the_files_that_a_command_reads_are_known(line: str) -> None:
    assert files_read_by(line) == [line.rsplit(maxsplit=1)[-1]]


@pytest.mark.proves("D-9")
def test_a_pattern_of_the_shell_may_be_two_words_of_a_request() -> None:
    assert find_reads((Word("gh"), Word("api"), Word("repos/*", glob=True))) is None


@pytest.mark.parametrize("line", ["gh --help", "gh pr --help", "gh pr create --help", "gh pr list --help"])
def test_printing_help_only_reads(line: str) -> None:
    assert files_read_by(line) == []


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("line", ["gh pr create --help -f", "gh plugin-of-mine --help", "gh pr co 1 --help"])
def test_other_words_besides_the_help_flag_may_run(line: str) -> None:
    assert find_line_reads(line) is None
