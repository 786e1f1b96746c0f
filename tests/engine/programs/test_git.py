"""Git commands that run without asking in a trusted repository, and Git commands that always ask."""

import pytest

from assent.engine.lines.reading import find_reads
from assent.engine.programs.word import Word
from tests.engine.programs.lines import files_read_by, find_line_reads, split_lines

READS = split_lines(r"""
    # what would change, if it were not only asked
    git apply --check a.patch
    git apply --stat a.patch
    git apply -p1 --numstat a.patch
    git clean -n
    git clean -ndx
    git clean --dry-run -d
    git verify-pack -v .git/objects/pack/pack-1.idx
    # state of the work tree
    git status
    git status -s
    git status -sb
    git status -uno
    git status -uall
    git status --short --branch
    git status --porcelain
    git status --porcelain=v2 --branch
    git status --untracked-files=all
    git status --ignored
    git status --ignored=matching -- src
    git status -z
    git status -v
    git status --show-stash
    git status --no-renames
    git status src tests
    # changes
    git diff
    git diff HEAD
    git diff HEAD~1
    git diff HEAD~3 HEAD
    git diff HEAD^ HEAD -- src/main.py
    git diff main...feature/login
    git diff main..dev
    git diff origin/main --stat
    git diff --stat
    git diff --stat=120,80
    git diff --cached
    git diff --staged
    git diff --staged --name-only
    git diff --name-only HEAD~1
    git diff --name-status main
    git diff --numstat
    git diff --shortstat
    git diff --dirstat
    git diff --summary
    git diff --compact-summary
    git diff -U0
    git diff -U10
    git diff --unified=5
    git diff -w
    git diff -b --ignore-blank-lines
    git diff -w -M -C
    git diff -M90%
    git diff --ignore-all-space
    git diff --word-diff
    git diff --word-diff=porcelain
    git diff --color-words
    git diff --color=never
    git diff --no-color
    git diff --color-moved=zebra
    git diff --check
    git diff --exit-code
    git diff --quiet
    git diff --diff-filter=AM --name-only
    git diff --diff-filter=d --name-only main
    git diff --patience
    git diff --histogram
    git diff --minimal
    git diff --diff-algorithm=histogram
    git diff --raw
    git diff --binary
    git diff --full-index
    git diff --no-ext-diff
    git diff --no-textconv --no-prefix
    git diff --submodule=log
    git diff --ignore-submodules
    git diff --relative
    git diff --merge-base main
    git diff --function-context -- a.c
    git diff -W -- a.c
    git diff -R
    git diff --text
    git diff -- src/
    git diff a1b2c3d e4f5a6b -- README.md
    git diff HEAD:a.txt a.txt
    git diff --ours
    git diff -1
    git diff -S needle
    git diff -Gneedle --pickaxe-regex
    git diff --stat --summary HEAD~5..HEAD -- src tests
    git diff-tree --no-commit-id --name-only -r HEAD
    git diff-tree -p HEAD
    git diff-tree --root HEAD
    git diff-tree -r --pretty=oneline HEAD
    git diff-index --cached HEAD
    git diff-index --name-only HEAD --
    git diff-files --name-status
    git diff-files -p
    git range-diff main old new
    git range-diff origin/main...topic --stat
    # history
    git log
    git log -5
    git log -n 5
    git log -n5
    git log -n 10 --oneline
    git log --max-count=3
    git log --max-count 3 --skip 2
    git log --oneline
    git log --oneline --decorate --graph -15
    git log --oneline --graph --all
    git log --graph --oneline --all --decorate
    git log --stat
    git log --stat -2
    git log -p
    git log -p -1 -- src/app.py
    git log -p -w -U5 HEAD~2..
    git log --patch --follow README.md
    git log --follow --oneline -- src/app.py
    git log --name-only -3
    git log --name-status --oneline
    git log --since='2 weeks ago' --oneline
    git log --since=2024-01-01 --until=2024-02-01
    git log --since yesterday
    git log --after="2024-01-01" --before="2024-06-01"
    git log --author=ana
    git log --author="Ana B" --no-merges
    git log --committer=ci --merges
    git log --grep=fix -i
    git log --grep 'JIRA-[0-9]+' -E --all-match
    git log --invert-grep --grep=wip
    git log -S 'def main' --oneline
    git log -Sneedle
    git log -G 're.*gex'
    git log -L 10,20:src/app.py
    git log -L:main:src/app.c
    git log --pretty=oneline
    git log --pretty=format:'%h %an %s'
    git log --pretty=format:"%C(yellow)%h%Creset %s %C(green)(%cr)" --abbrev-commit
    git log --pretty=fuller
    git log --format=%H
    git log --format='%h %s%n%b' -1
    git log --format='%gd %gs' -g
    git log -1 --format=%cd --date=short
    git log --date=iso
    git log --date=format:%Y-%m-%d
    git log --date iso --oneline
    git log --reverse
    git log --first-parent
    git log --first-parent main
    git log --all --source
    git log --branches --tags --remotes
    git log --branches='feature/*'
    git log --decorate=full
    git log --no-decorate
    git log --simplify-by-decoration --oneline
    git log --left-right --cherry-pick main...dev
    git log --cherry-mark --oneline main...dev
    git log --topo-order
    git log --date-order
    git log --no-walk HEAD v1.0
    git log --ancestry-path a1b2c3..HEAD
    git log --full-history -- path/to/file
    git log --diff-filter=D --summary
    git log --diff-filter D --name-only
    git log --show-pulls
    git log --cc -1
    git log -m -1 -p
    git log --diff-merges=first-parent -1
    git log --notes
    git log --no-notes
    git log --abbrev=8
    git log --no-abbrev-commit
    git log --walk-reflogs
    git log -g --oneline
    git log --shortstat --oneline
    git log --numstat
    git log --encoding=UTF-8
    git log --mailmap --use-mailmap
    git log --no-show-signature
    git log origin/main..HEAD
    git log main ^dev
    git log @{u}..
    git log HEAD@{1}
    git log --oneline -- '*.py'
    git log -z --name-only
    git log --exclude='refs/tags/*' --all
    git log --merge
    git log --boundary main..dev
    git log --log-size -1
    git show
    git show HEAD
    git show HEAD~2
    git show --stat HEAD
    git show --name-only HEAD
    git show --name-only --format= HEAD
    git show --pretty= --name-status a1b2c3d
    git show -s --format=%ci HEAD
    git show --no-patch v1.2.3
    git show -U10 HEAD -- a.py
    git show HEAD:src/app.py
    git show main:README.md
    git show :0:conflicted.txt
    git show 'stash@{0}'
    git show --color=always HEAD
    git show --word-diff HEAD
    git show -w HEAD
    git show --first-parent HEAD
    git shortlog
    git shortlog -s
    git shortlog -sn
    git shortlog -sn --all
    git shortlog -sne --no-merges
    git shortlog -s -n -e HEAD
    git shortlog --summary --numbered v1.0..v2.0
    git shortlog --group=trailer:co-authored-by -s
    git shortlog --since='1 month ago' -sn
    git whatchanged -3
    git whatchanged --since=yesterday --stat
    git reflog
    git reflog -10
    git reflog show
    git reflog show main
    git reflog show --date=iso HEAD
    git reflog main
    git reflog stash
    git reflog HEAD@{now}
    git reflog origin/main
    git reflog list
    git reflog exists refs/heads/main
    git reflog --format='%h %gd %gs'
    git rev-list HEAD
    git rev-list --count HEAD
    git rev-list --count main..dev
    git rev-list --left-right --count main...dev
    git rev-list -n 1 HEAD -- a.txt
    git rev-list --max-count=1 --all
    git rev-list --all --objects
    git rev-list --max-parents=0 HEAD
    git rev-list --merges --first-parent main
    git rev-list --format=%H%x09%s --no-commit-header HEAD
    git rev-list --since=2024-01-01 --count HEAD
    git rev-list --disk-usage --objects HEAD
    git cherry
    git cherry -v
    git cherry -v main topic
    git show-branch
    git show-branch --all
    git show-branch --list
    git show-branch --merge-base main dev
    git bisect log
    git bisect terms
    # contents
    git blame src/app.py
    git blame -L 10,20 src/app.py
    git blame -L10,+5 -- src/app.py
    git blame -L '/def main/,+10' app.py
    git blame -w -C -M src/app.py
    git blame -CCC src/app.py
    git blame -e --date=short app.py
    git blame --porcelain app.py
    git blame --line-porcelain app.py
    git blame -s -l HEAD~3 -- app.py
    git blame --ignore-revs-file .git-blame-ignore-revs app.py
    git blame --ignore-rev a1b2c3 app.py
    git blame --since=3.weeks app.py
    git blame --first-parent app.py
    git annotate app.py
    git grep TODO
    git grep -n TODO
    git grep -rn TODO
    git grep -in 'to.*do'
    git grep -l TODO
    git grep -L TODO
    git grep -c TODO
    git grep -ho 'v[0-9]+'
    git grep --files-with-matches TODO
    git grep --name-only TODO
    git grep -w main
    git grep -E 'a|b' -- '*.py'
    git grep -F 'a.b'
    git grep -P '\bfoo\b'
    git grep -e one -e two
    git grep -e one --and -e two
    git grep -n -e one --or --not -e two
    git grep -A 3 -B 2 needle
    git grep -C 3 needle
    git grep -A3 needle src
    git grep -3 needle
    git grep -p needle
    git grep -W needle
    git grep --heading --break needle
    git grep -n needle HEAD~5
    git grep needle v1.0 -- src
    git grep --cached needle
    git grep --untracked needle
    git grep --count needle
    git grep -q needle
    git grep -m 5 needle
    git grep --max-depth 2 needle
    git grep --color=never needle
    git grep --column needle
    git grep --recurse-submodules needle
    git grep -I -n needle
    git grep --no-textconv needle
    git cat-file -p HEAD
    git cat-file -p HEAD:src/app.py
    git cat-file -t HEAD
    git cat-file -s HEAD:README.md
    git cat-file -e HEAD:README.md
    git cat-file blob HEAD:README.md
    git cat-file --batch-check
    git cat-file --batch-check='%(objectname) %(objectsize)' --batch-all-objects
    git ls-files
    git ls-files src
    git ls-files '*.py'
    git ls-files -m
    git ls-files -o --exclude-standard
    git ls-files --others --exclude-standard
    git ls-files --others --ignored --exclude-standard
    git ls-files -s
    git ls-files -u
    git ls-files -z
    git ls-files --modified --deleted
    git ls-files -t
    git ls-files -v
    git ls-files --eol
    git ls-files --error-unmatch src/app.py
    git ls-files -x '*.log' -o
    git ls-files --full-name
    git ls-files ':!vendor'
    git ls-tree HEAD
    git ls-tree -r HEAD
    git ls-tree -r --name-only HEAD
    git ls-tree --name-only HEAD src/
    git ls-tree -r -l HEAD
    git ls-tree -d HEAD
    git ls-tree --full-tree -r HEAD
    git hash-object README.md
    git hash-object -t blob --stdin
    git patch-id --stable
    git stripspace -s
    git bundle list-heads a.bundle
    git bundle verify a.bundle
    git count-objects -vH
    git fsck
    git fsck --full --no-dangling
    git lfs ls-files
    git lfs ls-files -s --all
    git lfs status
    git lfs env
    git lfs version
    # refs
    git branch
    git branch -a
    git branch -r
    git branch -v
    git branch -vv
    git branch -avv
    git branch --all --verbose
    git branch --list
    git branch --list 'feature/*'
    git branch -l 'feature/*'
    git branch -a --list '*fix*'
    git branch --show-current
    git branch --contains
    git branch --contains a1b2c3d
    git branch -a --contains HEAD~3
    git branch -r --contains abc123 --sort=-committerdate
    git branch --no-contains main
    git branch --merged
    git branch --merged main
    git branch --no-merged origin/main
    git branch --sort=-committerdate
    git branch --sort=-committerdate --format='%(refname:short) %(committerdate:relative)'
    git branch --format '%(refname)'
    git branch --points-at HEAD
    git branch --column
    git branch --color=never -vv
    git branch -r --merged
    git tag
    git tag -l
    git tag --list
    git tag -l 'v1.*'
    git tag --list 'v*' --sort=-v:refname
    git tag -n
    git tag -n5
    git tag -n9 v1.0
    git tag --sort=-creatordate
    git tag --contains HEAD
    git tag --merged main
    git tag --no-merged
    git tag --points-at HEAD
    git tag --points-at
    git tag --format='%(refname:short) %(taggerdate)'
    git for-each-ref
    git for-each-ref refs/heads
    git for-each-ref --sort=-committerdate --count=10 refs/heads/
    git for-each-ref --format='%(refname:short) %(objectname:short)' refs/tags
    git for-each-ref --format '%(refname)' --merged main
    git for-each-ref --shell --format='ref=%(refname)' refs/remotes
    git show-ref
    git show-ref --heads
    git show-ref --tags -d
    git show-ref --verify refs/heads/main
    git show-ref --verify --quiet refs/heads/main
    git show-ref -s main
    git symbolic-ref HEAD
    git symbolic-ref --short HEAD
    git symbolic-ref -q HEAD
    git symbolic-ref refs/remotes/origin/HEAD
    git name-rev HEAD
    git name-rev --name-only HEAD
    git name-rev --tags --name-only a1b2c3
    git describe
    git describe --tags
    git describe --tags --always --dirty
    git describe --tags --abbrev=0
    git describe --contains HEAD~5
    git describe --match 'v[0-9]*' --exact-match HEAD
    git describe --all --long
    git merge-base main HEAD
    git merge-base --all main dev
    git merge-base --is-ancestor main HEAD
    git merge-base --fork-point origin/main
    git merge-base --octopus a b c
    git rev-parse HEAD
    git rev-parse --short HEAD
    git rev-parse --short=8 HEAD
    git rev-parse --abbrev-ref HEAD
    git rev-parse --abbrev-ref --symbolic-full-name @{u}
    git rev-parse --show-toplevel
    git rev-parse --show-prefix
    git rev-parse --git-dir
    git rev-parse --git-common-dir
    git rev-parse --absolute-git-dir
    git rev-parse --git-path hooks
    git rev-parse --is-inside-work-tree
    git rev-parse --is-bare-repository
    git rev-parse --is-shallow-repository
    git rev-parse --verify HEAD
    git rev-parse --verify --quiet refs/heads/main
    git rev-parse -q --verify main^{commit}
    git rev-parse main dev
    git rev-parse --all
    git rev-parse HEAD:src
    git rev-parse --show-superproject-working-tree
    git check-ref-format --branch feature/x
    git notes
    git notes list
    git notes show HEAD
    git notes --ref=review list
    # settings
    git config user.name
    git config --get user.email
    git config --get-all remote.origin.fetch
    git config --get-regexp '^branch\.'
    git config --get remote.origin.url
    git config --list
    git config -l
    git config -l --show-origin
    git config --list --show-origin --show-scope
    git config --list --name-only
    git config --global --list
    git config --global user.name
    git config --global --get core.editor
    git config --local -l
    git config --system --list
    git config --type=bool --get core.bare
    git config --bool core.bare
    git config --default main --get init.defaultBranch
    git config --get-urlmatch http https://example.com
    git config --file .gitmodules --list
    git config -f .gitmodules --get-regexp path
    git config list
    git config get user.name
    git config get --all remote.origin.fetch
    git remote
    git remote -v
    git remote --verbose
    git remote get-url origin
    git remote get-url --push origin
    git remote get-url --all origin
    git remote show
    git remote show -n origin
    git stash list
    git stash list --stat
    git stash list --format='%gd %s'
    git stash show
    git stash show -p
    git stash show 'stash@{1}'
    git stash show -p 'stash@{0}' --stat
    git stash show --name-only
    git stash show --include-untracked
    git worktree list
    git worktree list --porcelain
    git worktree list -v
    git submodule
    git submodule status
    git submodule status --recursive
    git submodule --quiet status
    git sparse-checkout list
    git rerere status
    git rerere diff
    git check-ignore -v build/out.txt
    git check-ignore build
    git check-ignore --stdin -v -n
    git check-attr -a README.md
    git check-attr text eol -- a.txt
    git check-mailmap 'Ana <ana@example.com>'
    git var GIT_EDITOR
    git var -l
    git version
    git version --build-options
    git --version
    git --exec-path
    git --html-path
    # before the sub-command
    git --no-pager log -3
    git --no-pager diff
    git -P log --oneline
    git --no-optional-locks status
    git -C src status
    git -C sub/dir log -1
    git -C a -C b rev-parse HEAD
    git --literal-pathspecs ls-files
    git --no-replace-objects cat-file -p HEAD
    /usr/bin/git status
""")

ABOUT_ITSELF = split_lines("""
    git version
    git version --build-options
    git --version
    git --exec-path
    git --html-path
""")

NEVER = split_lines(r"""
    # changes the work tree, the index or history
    git
    git add .
    git add -n .
    git add -p
    git am a.patch
    git apply a.patch
    git apply --stat a.patch --apply
    git apply -R a.patch
    git apply --3way --check a.patch
    git archive HEAD
    git archive -l HEAD
    git archive -o out.tar HEAD
    git archive --remote=ssh://evil.example/x HEAD
    git bisect start
    git bisect run make
    git bisect view
    git bisect visualize
    git bisect reset
    git bundle create a.bundle HEAD
    git bundle unbundle a.bundle
    git bundle verify
    git checkout main
    git checkout -- a.txt
    git checkout-index -a
    git cherry-pick a1b2c3
    git clean
    git clean -d
    git clean -n -f
    git clean -fd
    git commit -m x
    git commit --dry-run
    git commit-tree HEAD^{tree}
    git commit-graph write
    git fast-import
    git filter-branch
    git format-patch -1
    git gc
    git init
    git merge dev
    git merge-tree main dev
    git mergetool
    git mktree
    git mv a b
    git pack-refs
    git prune
    git read-tree HEAD
    git rebase main
    git rebase -i HEAD~3
    git repack
    git replace a b
    git reset
    git reset --hard
    git restore a.txt
    git revert HEAD
    git rm a.txt
    git stage a.txt
    git switch main
    git unpack-objects
    git update-index --refresh
    git update-ref refs/heads/x HEAD
    git update-server-info
    git write-tree
    git maintenance run
    git credential fill
    git daemon
    git difftool
    git citool
    git gui
    git gitk
    git help log
    git instaweb
    git send-email
    git shell
    git for-each-repo --config=x status
    git verify-commit HEAD
    git verify-tag v1
    git whatever
    git st
    git LOG
    # talks to a remote
    git clone https://example.com/x
    git fetch
    git fetch --dry-run
    git pull
    git push
    git push --dry-run
    git ls-remote
    git ls-remote origin
    git ls-remote --upload-pack=./x origin
    git remote show origin
    git remote -v show origin
    git remote show origin other
    git remote update
    git remote -v update
    git remote prune -n origin
    git remote add x https://example.com
    git remote set-url origin x
    git remote set-head origin -a
    git remote rename a b
    git remote remove a
    git remote rm a
    git remote get-url
    git submodule update --init
    git submodule add x
    git submodule init
    git submodule sync
    git submodule foreach ls
    git submodule summary
    git request-pull v1 https://example.com
    # brings another configuration along
    git -c core.hooksPath=./h status
    git -c core.fsmonitor=./x status
    git -c alias.x=!sh x
    git --config-env=core.pager=X log
    git --exec-path=/tmp/x status
    git --exec-path=. --version
    git --git-dir=/tmp/x status
    git --git-dir x status
    git --work-tree=/tmp status
    git --namespace=x log
    git --bare log
    git -p log
    git --paginate log
    git --super-prefix=x log
    git --attr-source=x log
    git --help log
    git -ccore.pager=x log
    git -ccolor.ui=never log
    git -c core.pager=less log
    git -c core.fsmonitor=./evil status
    git -c core.fsmonitor=true status
    git -c pager.log=./evil log
    git -c color.ui log
    git -c $X log
    git -c color.ui=never -c alias.log=!evil log
    git -c diff.external=./evil diff
    git -c log.showSignature=true log
    git config alias.x --get
    git config --global user.name --list
    git config user.name --get
    git log --help
    git --no-pag log
    git -C
    git -- log
    git -C $* status
    # writes a file
    git diff --output=x
    git diff --output x
    git diff --outp=x
    git log --output=x
    git log -p --output=/tmp/x
    git show --output=x HEAD
    git whatchanged --output=x
    git stash show --output=x
    git stash list --output=x
    git reflog --output=x
    git rev-list --output=x HEAD
    git shortlog --output=x
    git diff-tree --output=x HEAD
    git diff-index --output=x HEAD
    git diff-files --output=x
    git range-diff --output=x a b c
    git fsck --lost-found
    git hash-object -w a.txt
    git hash-object -tw -w a.txt
    git format-patch --stdout HEAD~1
    # hides a flag behind a value
    git log --format --output=x
    git log --author --output=x
    git log -n --output=x
    git branch --format --delete x
    git branch --sort -D main
    # runs a program
    git diff --ext-diff
    git diff --textconv
    git log --ext-diff -p
    git log --textconv
    git show --ext-diff HEAD
    git show --show-signature
    git log --show-signature
    git log --show-sig
    git grep --textconv x
    git grep -O x
    git grep -Oless x
    git grep -nO x
    git grep --open-files-in-pager=./x y
    git grep --ext-grep x
    git cat-file --textconv HEAD:a
    git cat-file --filters HEAD:a
    git cat-file --batch --filters
    git cat-file --batch
    git cat-file --batch-command
    git log --remerge-diff
    git tag -v v1
    git tag --verify v1
    git log --format='%G?'
    git log --format='%h %GK'
    git log --format=%+G?
    git log --format=%-GS
    git log '--format=% GF'
    git log --pretty=format:%GG
    git log --pretty='tformat:%h%x09%G?'
    git log --format=$X
    git log --pretty="%h$X"
    git show -s --format=%G? HEAD
    git stash list --format=%G?
    git reflog --format=%GS
    git shortlog --format=%G?
    git rev-list --format=%G? HEAD
    git diff-tree --pretty=%G? HEAD
    git for-each-ref --format='%(signature)'
    git for-each-ref --format='%(*signature:grade)'
    git for-each-ref --format '%(refname) %(signature:key)'
    git for-each-ref --sort=signature:grade
    git branch --format='%(signature)'
    git branch --sort=-signature
    git tag --format='%(if)%(signature)%(then)x%(end)'
    git tag -l --format=$X
    # reads what git was not asked about
    git grep --no-index x
    git diff --no-index $* b
    git diff --output=x --no-index a b
    git diff -O/etc/passwd
    git log -O orderfile
    git blame -S revs.txt a.py
    git ls-files --exclude-per-directory=x
    git ls-files --format='/etc/passwd'
    git ls-files :/
    git ls-files ':(top)src'
    git ls-files ':!/vendor'
    git diff --line-prefix=/etc/ --name-only
    # creates, moves or removes a branch, a tag, a ref
    git branch x
    git branch x main
    git branch -v x
    git branch --sort=refname x
    git branch --format=y x
    git branch --column x
    git branch --color x
    git branch -a x
    git branch -d x
    git branch -D x
    git branch -m x
    git branch -M a b
    git branch -c a b
    git branch -f x HEAD
    git branch -u origin/main
    git branch --set-upstream-to=origin/main
    git branch --unset-upstream
    git branch --edit-description
    git branch --track x origin/x
    git branch -t x
    git branch --list -d x
    git branch -lD x
    git branch --delete x
    git branch --del x
    git branch -- x
    git tag x
    git tag x HEAD
    git tag -a x -m y
    git tag -d x
    git tag -f x
    git tag -s x
    git tag -u key x
    git tag -m y x
    git tag -F file x
    git tag -e x
    git tag --sort=refname x
    git tag --format=y x
    git tag --column x
    git tag -l -d x
    git tag -- x
    git symbolic-ref
    git symbolic-ref HEAD refs/heads/x
    git symbolic-ref -d HEAD
    git symbolic-ref -m why HEAD refs/heads/x
    git symbolic-ref --delete HEAD
    git reflog expire --all
    git reflog delete HEAD@{1}
    git reflog drop refs/heads/x
    git reflog write refs/heads/x a b c
    git reflog expire
    git reflog whatever
    git notes add -m x
    git notes edit
    git notes remove
    git notes append -m x
    git notes prune
    git notes merge x
    git worktree
    git worktree add x
    git worktree remove x
    git worktree prune
    git stash
    git stash push
    git stash save x
    git stash pop
    git stash apply
    git stash drop
    git stash clear
    git stash create
    git stash branch x
    git stash -p
    git sparse-checkout set x
    git sparse-checkout disable
    git rerere
    git rerere clear
    git rerere gc
    git lfs
    git lfs track
    git lfs track '*.bin'
    git lfs pull
    git lfs install
    git lfs prune
    # changes settings
    git config
    git config user.name x
    git config --global user.name x
    git config user.name x y
    git config --add a.b c
    git config --replace-all a.b c
    git config --unset a.b
    git config --unset-all a.b
    git config --rename-section a b
    git config --remove-section a
    git config -e
    git config --edit
    git config edit
    git config --global edit
    git config set a.b c
    git config unset a.b
    git config rename-section a b
    git config remove-section a
    git config --bool core.bare true
    git config --file x a.b c
    git config --type=bool core.bare true
    git config --default x a.b c
    git config --uns a.b
    git config core.pager $*
    # cannot be known
    git log $*
    git log $X
    git diff $X
    git show $*
    git branch $X
    git branch --list $*
    git status $*
    git $X
    git --no-pager $X
    ./git status
    /tmp/git status
    git.exe status
""")


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("line", READS)
def test_a_listed_command_only_reads(line: str) -> None:
    assert find_line_reads(line) is not None


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("line", NEVER)
def test_another_command_may_do_more_than_read(line: str) -> None:
    assert find_line_reads(line) is None


@pytest.mark.proves("T-32", "D-8")
@pytest.mark.parametrize("line", READS)
def test_every_git_read_but_that_of_its_version_needs_a_trusted_repository(line: str) -> None:
    found = find_line_reads(line)

    assert found is not None
    assert found.needs_trust is (line not in ABOUT_ITSELF)


@pytest.mark.proves("D-5", "D-6")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("git show HEAD:.env", ".env"),
        ("git show HEAD~2:config/.env", "config/.env"),
        ("git show :0:.env", ".env"),
        ("git show ':(top).env'", ".env"),
        ("git cat-file -p HEAD:.env", ".env"),
        ("git cat-file blob HEAD:.env", ".env"),
        ("git diff .env", ".env"),
        ("git diff /dev/null .env", ".env"),
        ("git diff -- ../other", "../other"),
        ("git diff /etc/passwd a.txt", "/etc/passwd"),
        ("git log -p -- .env", ".env"),
        ("git log -L1,9:.env", ".env"),
        ("git blame .env", ".env"),
        ("git blame --contents /etc/passwd a.txt", "/etc/passwd"),
        ("git blame --ignore-revs-file=/etc/passwd a.txt", "/etc/passwd"),
        ("git grep x -- .env", ".env"),
        ("git grep --untracked x .env", ".env"),
        ("git grep -f /etc/passwd", "/etc/passwd"),
        ("git grep -e x HEAD:.env", ".env"),
        ("git stash show -p -- .env", ".env"),
        ("git hash-object /etc/passwd", "/etc/passwd"),
        ("git ls-files -X /etc/passwd -o", "/etc/passwd"),
        ("git config -f /etc/passwd -l", "/etc/passwd"),
        ("git -C /tmp/other status", "/tmp/other"),
        ("git -C ../other log", "../other"),
        ("git bundle verify /tmp/x", "/tmp/x"),
        ("git rev-parse --resolve-git-dir /tmp/x", "/tmp/x"),
    ],
)  # fmt: skip
def test_a_file_whose_content_git_prints_counts_as_read(line: str, expected: str) -> None:
    found = files_read_by(line)

    assert found is not None
    assert expected in found


@pytest.mark.parametrize(
    "line", ["git grep /etc/passwd", "git log --grep=/etc/passwd", "git log -S /etc/passwd"]
)
def test_a_pattern_that_git_searches_for_is_no_file(line: str) -> None:
    assert files_read_by(line) == []


def test_a_comparison_with_an_unknown_name_may_read_any_file() -> None:
    assert files_read_by("git diff src/$X") == ["src/\0"]
    assert files_read_by("git log src/$X") == []


@pytest.mark.parametrize(
    "line",
    [
        "git ls-files", "git ls-files '*.py'", "git ls-files -m", "git ls-files -o --exclude-standard",
        "git diff --name-only", "git diff --name-only --cached", "git diff-index --name-only HEAD",
        "git grep -l TODO", "git grep -nl TODO", "git grep -L TODO", "git grep --name-only TODO",
        "git ls-tree -r --name-only HEAD",
    ],
)  # fmt: skip
def test_some_git_commands_print_only_file_names(line: str) -> None:
    found = find_line_reads(line)

    assert found is not None
    assert found.lists


@pytest.mark.parametrize(
    "line",
    [
        "git diff", "git diff --stat", "git diff --name-status", "git log --name-only",
        "git show --name-only", "git grep TODO", "git ls-tree HEAD", "git ls-files -s",
        "git ls-files --eol", "git status -s",
    ],
)  # fmt: skip
def test_other_git_commands_print_more_than_names(line: str) -> None:
    found = find_line_reads(line)

    assert found is not None
    assert not found.lists


@pytest.mark.proves("D-9")
@pytest.mark.parametrize("name", ["config", "branch", "tag", "symbolic-ref"])
def test_a_pattern_of_the_shell_may_be_two_names(name: str) -> None:
    assert find_reads((Word("git"), Word(name), Word("user.*", glob=True))) is None
