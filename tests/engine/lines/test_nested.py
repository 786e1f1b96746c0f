"""A program that runs its arguments shows the commands that it would run."""

import pytest

from assent.engine.lines.command import Command, Redirect, RedirectAccess
from assent.engine.lines.nested import find_nested
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Verdict
from assent.engine.programs.catalog import TOPICS, find_program, runner_name, runs_arguments
from assent.engine.programs.runs import RunCommands, RunEntry
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.bash.shell_words import join_word_texts, to_command, to_words
from tests.engine.given import SHELL, decide_call, make_snapshot, shell_call

RUNS_RM = """
sudo rm x
sudo -u root rm x
sudo -uroot rm x
sudo --user=root rm x
sudo --user root rm x
sudo -nEH rm x
sudo -n -- rm x
sudo A=b rm x
sudo A=b -u root C=d rm x
sudo -u root -g wheel -p '' rm x
sudo -i rm x
sudo -s rm x
sudo --preserve-env=PATH rm x
sudo-rs rm x
/usr/bin/sudo rm x
SUDO rm x
sudo.exe rm x
doas rm x
doas -u root rm x
doas -n rm x
pkexec rm x
pkexec --user root rm x
gosu root rm x
su-exec root:root rm x
runuser -u nobody -- rm x
runuser -u nobody rm x
setpriv --reuid=1000 --clear-groups rm x
run0 --user=root rm x
machinectl shell root@host rm x
setuidgid nobody rm x
command rm x
command -p rm x
command -- rm x
builtin rm x
exec rm x
exec -a name rm x
exec -cl rm x
coproc rm x
noglob rm x
env rm x
env A=b rm x
env -i rm x
env - rm x
env -i A=b C=d rm x
env -u PATH rm x
env -uPATH rm x
env --unset=PATH rm x
env -C /tmp rm x
env -- rm x
/usr/bin/env rm x
genv rm x
timeout 5 rm x
timeout 5s rm x
timeout -k 1 5 rm x
timeout -k1 5 rm x
timeout -s KILL 5 rm x
timeout --signal=KILL 5 rm x
timeout --kill-after 1 5 rm x
timeout --foreground --preserve-status 5 rm x
timeout -v -- 5 rm x
gtimeout 5 rm x
time rm x
time -p rm x
time -f %e rm x
time -o out -a rm x
/usr/bin/time -v rm x
nice rm x
nice -n 5 rm x
nice -n5 rm x
nice -5 rm x
nice --adjustment=5 rm x
nohup rm x
stdbuf -oL rm x
stdbuf -o L -e0 rm x
stdbuf --output=L rm x
ionice -c2 -n 0 rm x
ionice -c 3 rm x
chrt -f 10 rm x
chrt --batch 0 rm x
taskset 0x1 rm x
taskset -c 0,1 rm x
numactl --cpunodebind=0 rm x
numactl -N 0 rm x
setsid rm x
setsid -f -w rm x
linux32 rm x
linux64 -R rm x
arch -x86_64 rm x
arch -arch arm64 rm x
unshare -rn rm x
unshare --map-root-user --net rm x
unshare -m --propagation private rm x
nsenter -t 1 -m -u -i -n rm x
nsenter --target 1 --mount -- rm x
chroot /mnt rm x
chroot --userspec=a:b /mnt rm x
proot -r /mnt -b /dev rm x
fakeroot rm x
fakeroot -- rm x
fakechroot rm x
firejail rm x
firejail --net=none --quiet rm x
bwrap --ro-bind / / --dev /dev --unshare-all rm x
bwrap --setenv A b --die-with-parent rm x
systemd-run --scope --user rm x
systemd-run -p MemoryMax=1G --unit=a rm x
systemd-inhibit --what=idle rm x
systemd-cat -t a rm x
caffeinate -dims rm x
caffeinate -t 5 rm x
dbus-run-session -- rm x
dbus-launch rm x
xvfb-run -a rm x
xvfb-run -a -s '-screen 0 1x1x24' rm x
flock /tmp/l rm x
flock -n /tmp/l rm x
flock -w 5 /tmp/l rm x
lockf -t 5 /tmp/l rm x
strace rm x
strace -f -o out -e trace=file rm x
strace -ff -tt rm x
ltrace -o out rm x
gdb --args rm x
gdb -p 1 --args rm x
valgrind --leak-check=full -q rm x
heaptrack rm x
rr record rm x
perf stat rm x
perf stat -e cycles -r 3 rm x
perf record -o out rm x
cpulimit -l 50 -- rm x
prlimit --nofile=10 rm x
prlimit --cpu=1 --core=0 rm x
choom -n 1 -- rm x
uclampset -m 1 rm x
catchsegv rm x
eatmydata rm x
unbuffer rm x
unbuffer -p rm x
chronic rm x
chronic -v rm x
ifne rm x
ifne -n rm x
torify rm x
proxychains rm x
proxychains4 -q -f c.conf rm x
faketime '2020-01-01' rm x
rlwrap rm x
tini -- rm x
tini -s rm x
dumb-init rm x
envdir env rm x
ccache rm x
busybox rm x
toybox rm x
ld-linux-x86-64.so.2 rm x
/lib64/ld-linux-x86-64.so.2 --library-path /tmp rm x
ld-musl-x86_64.so.1 rm x
script -q /dev/null rm x
screen -dm rm x
screen -dmS name rm x
screen -d -m -S name rm x
dtach -n /tmp/s rm x
start-stop-daemon --start --exec rm -- x
start-stop-daemon -S -b -x rm x
entr rm x
entr -cr rm x
reflex -r '\\.go$' rm x
sshpass -p secret rm x
mosh host rm x
mosh host -- rm x
docker exec c rm x
docker exec -it c rm x
docker exec -u root -w /a -e A=b c rm x
docker run alpine rm x
docker run --rm -it -v /a:/b -e A=b --name n alpine:3 rm x
docker run --network=host --entrypoint rm alpine x
docker --context prod exec c rm x
docker -H ssh://host exec c rm x
docker container exec c rm x
docker container run alpine rm x
docker compose exec web rm x
docker compose -f a.yml -p b exec -T web rm x
docker compose run --rm web rm x
docker-compose exec web rm x
podman exec c rm x
podman run --rm alpine rm x
nerdctl -n k8s.io exec c rm x
kubectl exec pod -- rm x
kubectl exec -it pod -c app -- rm x
kubectl -n ns exec deploy/a -- rm x
kubectl exec pod -n ns rm x
kubectl run a --image=alpine --restart=Never -- rm x
oc exec pod -- rm x
oc rsh pod rm x
lxc exec c -- rm x
incus exec c -- rm x
multipass exec vm -- rm x
limactl shell vm rm x
wsl -d Ubuntu -- rm x
wsl -e rm x
npx rm x
npx -y rm x
npx --yes -p pkg rm x
npx --package=pkg -- rm x
pnpx rm x
bunx rm x
bun x rm x
npm exec rm x
npm exec -- rm x
npm exec --package=a -- rm x
npm x -- rm x
npm --prefix web exec -- rm x
pnpm dlx rm x
pnpm exec rm x
pnpm -r exec rm x
pnpm --filter web exec rm x
yarn dlx rm x
yarn exec rm x
yarn --cwd web exec rm x
corepack rm x
uv run rm x
uv run --with a --python 3.12 rm x
uv --directory web run rm x
uv run -- rm x
uvx rm x
uv tool run rm x
poetry run rm x
poetry -C web run rm x
pipenv run rm x
pipx run rm x
pdm run rm x
hatch run rm x
conda run -n env rm x
mamba run --name env --no-capture-output rm x
micromamba run -p /env rm x
mise exec -- rm x
mise exec node@20 python@3 -- rm x
mise x -- rm x
asdf exec rm x
rbenv exec rm x
pyenv exec rm x
bundle exec rm x
direnv exec . rm x
rustup run nightly rm x
nix shell nixpkgs#a -c rm x
nix develop --command rm x
nix develop .#a -c rm x
dotenv rm x
dotenv -f .env run rm x
dotenv -e .env -- rm x
dotenvx run -- rm x
dotenvx run -f .env -- rm x
cross-env A=b rm x
env-cmd -f .env rm x
op run -- rm x
op run --env-file=.env -- rm x
aws-vault exec prod -- rm x
aws-vault exec prod rm x
doppler run -- rm x
doppler run -p a -c b -- rm x
chamber exec a b -- rm x
infisical run --env=dev -- rm x
envchain aws rm x
ssh-agent rm x
git bisect run rm x
git -C web bisect run rm x
git --no-pager -c a.b=c bisect run rm x
volta run --node 20 rm x
fnm exec --using=20 rm x
rvm 3.2 do rm x
stack exec rm x
""".strip().splitlines()

RUNS_TEXT = """
eval rm x
eval 'rm x'
eval -- 'rm x'
trap 'rm x' EXIT
trap -- 'rm x' INT TERM
alias ls='rm x'
alias -g G='rm x'
su -c 'rm x'
su root -c 'rm x'
su - root -c 'rm x'
su -l root --command='rm x'
su --session-command 'rm x' root
runuser -l root -c 'rm x'
sg docker 'rm x'
sg docker -c 'rm x'
watch rm x
watch -n 1 rm x
watch -n1 -d 'rm x'
watch --interval=1 -x rm x
entr -s 'rm x'
script -c 'rm x'
script -qc 'rm x' /dev/null
script -q --command='rm x' /dev/null
flock /tmp/l -c 'rm x'
flock -n /tmp/l --command 'rm x'
ssh host rm x
ssh host 'rm x'
ssh -p 22 user@host 'rm x'
ssh -tt -i key -o A=b host 'rm x'
ssh host -p 22 'rm x'
ssh host -- rm x
ssh -o ProxyCommand='rm x' host
ssh -oProxyCommand='rm x' host
ssh -o 'ProxyCommand rm x' host
ssh -o LocalCommand='rm x' -o PermitLocalCommand=yes host
autossh -M 0 host 'rm x'
vagrant ssh -c 'rm x'
vagrant ssh default --command='rm x'
minikube ssh 'rm x'
gcloud compute ssh host --command='rm x'
fly ssh console -C 'rm x'
heroku run 'rm x'
ansible all -m shell -a 'rm x'
adb shell rm x
npx -c 'rm x'
npm exec -c 'rm x'
npm exec --call='rm x'
bun exec 'rm x'
mise x -c 'rm x'
doppler run --command='rm x'
nix-shell --run 'rm x'
nix-shell -p git --command 'rm x'
cross-env-shell A=b 'rm x'
sops exec-env secrets.yaml 'rm x'
sops exec-file secrets.yaml 'rm x'
tmux new-session -d 'rm x'
tmux new -d -s name rm x
tmux -L a neww 'rm x'
tmux split-window -h 'rm x'
tmux run-shell 'rm x'
hyperfine 'rm x'
hyperfine -w 3 --runs 5 'rm x'
hyperfine --prepare='rm x'
concurrently 'rm x'
rush 'rm x'
git submodule foreach 'rm x'
git submodule foreach --recursive rm x
git submodule -q foreach 'rm x'
git rebase -x 'rm x' main
git rebase -i --exec 'rm x' main
git rebase --exec='rm x'
git filter-branch --tree-filter 'rm x' HEAD
git filter-branch -f --index-filter='rm x'
git difftool -x 'rm x'
git difftool --extcmd='rm x'
git grep '-Orm x' a
git clone -u 'rm x' host:a
git clone --upload-pack='rm x' host:a
git fetch --upload-pack 'rm x'
git push --receive-pack='rm x'
git clone 'ext::rm x'
git -c 'alias.a=!rm x' a
git -c core.pager='rm x' log
git -c core.sshCommand='rm x' fetch
git -c core.editor='rm x' commit
git -c core.fsmonitor='rm x' status
git -c diff.external='rm x' diff
git -c diff.a.textconv='rm x' diff
git -c gpg.program='rm x' log
git -c credential.helper='!rm x' fetch
git -c pager.log='rm x' log
git clone -c core.sshCommand='rm x' host:a
git config alias.a '!rm x'
git config --global core.pager 'rm x'
git config set core.editor 'rm x'
rg --pre 'rm x' a
rg --pre='rm x' a
sort --compress-program='rm x' a
split --filter='rm x' a
tar -xf a --to-command='rm x'
tar -I 'rm x' -xf a
tar --use-compress-program='rm x' -xf a
tar -cf a --checkpoint=1 --checkpoint-action=exec='rm x' b
tar -cf a --checkpoint=1 --checkpoint-action 'exec=rm x' b
rsync -e 'rm x' a b
rsync -avze 'rm x' a host:b
rsync --rsh='rm x' a host:b
rsync --rsync-path 'rm x' a host:b
scp -S 'rm x' a host:b
scp -o ProxyCommand='rm x' a host:b
man -P 'rm x' ls
man --pager='rm x' ls
less '+!rm x' a
more '+!rm x' a
vim -c '!rm x' a
vim -c ':!rm x' a
vim '+!rm x' a
vim --cmd 'silent !rm x'
nvim -c ':%!rm x'
ex -c '!rm x'
gdb -batch -ex 'shell rm x'
gdb -ex '!rm x' a
lldb -o 'platform shell rm x'
psql -c '\\!rm x'
sqlite3 a.db '.shell rm x'
sqlite3 -cmd '.system rm x' a.db
expect -c 'system rm x'
socat TCP:host:1 'EXEC:rm x'
nc -e 'rm x' host 1
make 'SHELL=rm x'
apt-get -o 'APT::Update::Pre-Invoke::=rm x' update
go test -exec 'rm x' ./...
cargo watch -s 'rm x'
zip -TT 'rm x' a.zip b
tcpdump -z 'rm x'
fish -c 'rm x'
fish --command='rm x'
nu -c 'rm x'
xonsh -c 'rm x'
bash -c 'rm x'
sh -c 'rm x'
dash -c 'rm x'
zsh -c 'rm x'
ksh -c 'rm x'
csh -c 'rm x'
tcsh -c 'rm x'
ash -c 'rm x'
rbash -c 'rm x'
/bin/sh -c 'rm x'
bash -lc 'rm x'
bash -ic 'rm x'
bash -xc 'rm x'
bash -cx 'rm x'
bash -ec 'rm x'
bash -c -e 'rm x'
bash -c -- 'rm x'
bash -e -u -c 'rm x'
bash +x -c 'rm x'
bash -o pipefail -c 'rm x'
bash -euo pipefail -c 'rm x'
bash -O extglob -c 'rm x'
bash --norc --noprofile -c 'rm x'
bash --login -c 'rm x'
bash --rcfile /dev/null -c 'rm x'
bash -c 'rm x' name argument
pwsh -c 'rm x'
pwsh -NoProfile -Command 'rm x'
powershell.exe -ExecutionPolicy Bypass -com rm x
cmd /c rm x
cmd.exe /s /C 'rm x'
dtrace -c 'rm x'
docker run --health-cmd 'rm x' alpine
chokidar '**/*.js' -c 'rm x'
nodemon --exec 'rm x' a.js
""".strip().splitlines()

GUESSED = """
sudo --some-new-option rm x
sudo -Z rm x
sudo --some-new-option value rm x
env --some-new-option rm x
timeout --some-new-option 5 rm x
timeout --sig KILL 5 rm x
timeout $X rm x
timeout ${X} rm x
timeout -k $X 5 rm x
nice --adj 5 rm x
docker run --some-new-option=a alpine rm x
docker run --some-new-option a alpine rm x
docker --some-new-option exec c rm x
docker exec $X rm x
docker exec ${X} rm x
kubectl --some-new-option exec pod -- rm x
ssh $X rm x
ssh --some-new-option host rm x
npm --some-new-option a exec rm x
npx --some-new-option rm x
uv run --some-new-option rm x
strace --some-new-option rm x
flock --some-new-option /tmp/l rm x
git --some-new-option bisect run rm x
xargs --some-new-option rm x
parallel --some-new-option rm x
chroot $X rm x
salt host $X rm x
bwrap --some-new-option a b rm x
""".strip().splitlines()

GUESSED_TEXT = """
su --some-new-option -c 'rm x'
ssh --some-new-option host 'rm x'
watch --some-new-option 'rm x'
flock --some-new-option /tmp/l -c 'rm x'
npx --some-new-option -c 'rm x'
bash --some-new-option -c 'rm x'
bash --some-new-option value -c 'rm x'
bash -oe pipefail -c 'rm x'
zsh -onullglob -c 'rm x'
zsh --emulate sh -c 'rm x'
bash $X -c 'rm x'
bash ${X} -c 'rm x'
git --some-new-option rebase -x 'rm x'
hyperfine --some-new-option 'rm x'
fish --some-new-option -c 'rm x'
powershell 'rm x'
""".strip().splitlines()

TRANSPARENT = """
timeout 5 ls
timeout -k 1 -s TERM 5 ls
time ls
time -p ls
nice -n 5 ls
nice -19 ls
nohup ls
stdbuf -oL ls
command ls
command -p ls
builtin cd
env ls
env LC_ALL=C NO_COLOR=1 ls
env -0 ls
/usr/bin/env LANG=C ls
/usr/bin/timeout 5 ls
""".strip().splitlines()

NOT_TRANSPARENT = """
./timeout 5 ls
/tmp/env ls
TIMEOUT 5 ls
timeout5 5 ls
timeout --some-new-option 5 ls
timeout --sig KILL 5 ls
timeout $X ls
timeout ${X} ls
timeout 5 $X
time -o out ls
time --output=out ls
env A=b ls
env PATH=. ls
env LC_ALL=C LD_PRELOAD=./x ls
env LC_ALL=$X ls
env -i ls
env -u HOME ls
env -C /tmp ls
env -S ls
env --chdir=/ ls
exec ls
sudo ls
doas ls
setsid ls
ionice ls
watch ls
flock /tmp/l ls
strace ls
ssh host ls
docker exec c ls
npx ls
busybox ls
xvfb-run ls
eval ls
coproc ls
""".strip().splitlines()

PRIVILEGED = """
sudo ls
sudo -i
sudo --some-new-option ls
doas ls
su
su -c ls
su - root
runuser -u a -- ls
pkexec ls
gosu a ls
su-exec a ls
sg a ls
newgrp a
setpriv --nnp ls
capsh --print -- -c ls
machinectl shell a ls
chpst -u a ls
""".strip().splitlines()

COMPUTED = """
sudo $X
sudo ${X} a
sudo -u root ${X}
sudo -- ${X}
sudo ./${X} a
env $X
env A=b $X
timeout 5 $X
timeout 5 ${X}
timeout $X
nohup $X
command ${X}
exec $X
eval $X
eval ${X}
eval "${X} a"
trap ${X} EXIT
ssh host ${X}
ssh ${X} ${X}
docker exec c $X
docker exec ${X} ${X}
bash -c ${X}
sh -c "${X} a"
bash $X
bash ${X}
bash --rcfile ${X} -i
source $X
. ${X}
python $X
python ${X} a
node ${X}
| bash
| sh
| sh -
| bash -s
| bash -s -- a b
| bash -x
| bash --norc
| bash /dev/stdin
| bash -e /dev/fd/0
| /bin/sh
| zsh
| fish
| source /dev/stdin
| . /dev/stdin
| sudo -s
| sudo -i
| su
| su - root
| ssh host
| ssh -T user@host
| docker run -i alpine
| chroot /mnt
| python
| python3
| python3.12
| python -
| python3 -u -
| python3 -W ignore
| python --some-new-option value
| perl
| perl -w -
| ruby
| ruby -
| node
| node -
| node --some-new-option
| deno run -
| deno run -A -
| deno
| bun run -
| bun -
| php
| php -d $X
| lua -
| Rscript -
| osascript
| tclsh
| java --source 21 /dev/stdin
| parallel
| at now
| batch
| crontab -
| crontab
| pwsh
| pwsh -Command -
| cmd
| ed
| ex -s
pwsh -EncodedCommand cgBtAA==
powershell.exe -nop -enc cgBtAA==
""".strip().splitlines()

NOT_COMPUTED = """
bash run.sh
bash ./run.sh ${X}
bash ${X}/run.sh
bash -x run.sh
bash
sh
python
python a.py
python a.py ${X}
| python a.py
| python -c 'print(1)'
| python3 -m json.tool
| python --version
| perl -ne 'print'
| perl -pe s/a/b/
| perl a.pl
| ruby -e 'puts 1'
| ruby -ne 'puts $_'
| node a.js
| node -e 1
| node --eval=1
| node -p 1
| php -r 1
| lua -e 1
| bash run.sh
| sh ./run.sh -
| fish a.fish
| deno fmt -
| deno run a.ts
| crontab -l
| tee a
| java -jar a.jar
source a.sh
. ./a.sh
alias
alias ll
trap
trap - EXIT
trap '' INT
trap -p
trap -l
eval
exec
command -v rm
command -V rm
env
nice
nohup
time
sudo_like rm x
timeout
timeout 5
timeout --version
strace -V
ssh host
docker ps
docker --debug ps -a
docker exec
docker $X
kubectl get pods
kubectl run a --image=b
npm install
npm run exec
npm --json ls
pnpm list
yarn add a
uv sync
uv run -m pytest
poetry install
bundle install
nix build
mise ls
git status
git log --grep rebase
git rebase main
git -c color.ui=never log
git -c core.pager=cat log
git -c core.fsmonitor=false status
git -c user.name=a commit
git config --get alias.a
git config user.name a
git config --list
git clone host:a
git bisect start
git push origin main
rg a
sort a
tar -xf a
rsync -a a b
man ls
less +G a
less +/a b
vim a
vim +10 a
vim -c 'set number' a
psql -c 'select 1 != 2'
make all
apt-get update
go test ./...
tmux ls
screen -ls
flock -n 9
arch
at now
watch
op item get a
gdb --version
ls
""".strip().splitlines()


def nested_command_texts(line: str) -> list[str]:
    found = find_nested(to_command(line))
    assert found is not None
    return [join_word_texts(vector) for vector in found.commands]


@pytest.mark.proves("T-20", "T-24", "D-1")
@pytest.mark.parametrize("line", RUNS_RM)
def test_a_wrapper_shows_the_command_that_it_runs(line: str) -> None:
    found = find_nested(to_command(line))

    assert found is not None
    assert nested_command_texts(line) == ["rm x"]
    assert (found.certain, found.computed, found.texts) == (True, False, ())


ELSEWHERE = ("--entrypoint", "--exec rm", "-x rm")


@pytest.mark.proves("T-24")
@pytest.mark.parametrize("line", [line for line in RUNS_RM if not any(map(line.count, ELSEWHERE))])
def test_the_position_of_the_nested_command_is_known(line: str) -> None:
    given = to_command(line)
    found = find_nested(given)

    assert found is not None
    assert join_word_texts(given.words[found.at :]) == "rm x"


@pytest.mark.proves("T-20", "T-24", "D-1")
@pytest.mark.parametrize("line", RUNS_TEXT)
def test_a_shell_text_is_found_at_any_position(line: str) -> None:
    found = find_nested(to_command(line))

    assert found is not None
    assert [text.text for text in found.texts] == ["rm x"]
    assert found.computed is False


@pytest.mark.proves("T-20", "T-24")
@pytest.mark.parametrize("line", GUESSED)
def test_after_an_unknown_option_every_command_is_guessed(line: str) -> None:
    found = find_nested(to_command(line))

    assert found is not None
    assert "rm x" in nested_command_texts(line)
    assert (found.certain, found.transparent, found.covers) == (False, False, False)


@pytest.mark.proves("T-20", "T-24")
@pytest.mark.parametrize("line", GUESSED_TEXT)
def test_after_an_unknown_option_every_text_is_guessed(line: str) -> None:
    found = find_nested(to_command(line))

    assert found is not None
    assert "rm x" in [text.text for text in found.texts]
    assert (found.certain, found.transparent) == (False, False)


@pytest.mark.proves("T-20")
@pytest.mark.parametrize("line", TRANSPARENT)
def test_a_harmless_wrapper_changes_nothing_for_allow_and_read_only(line: str) -> None:
    found = find_nested(to_command(line))

    assert found is not None
    assert (found.transparent, found.covers, found.certain) == (True, True, True)


@pytest.mark.proves("T-20", "T-21", "D-3")
@pytest.mark.parametrize("line", NOT_TRANSPARENT)
def test_other_wrappers_are_unwrapped_only_for_deny_rules(line: str) -> None:
    found = find_nested(to_command(line))

    assert found is None or (found.transparent, found.covers) == (False, False)


@pytest.mark.proves("D-1")
@pytest.mark.parametrize("line", PRIVILEGED)
def test_running_as_another_user_is_marked(line: str) -> None:
    found = find_nested(to_command(line))

    assert found is not None
    assert (found.privilege, found.transparent, found.covers) == (True, False, False)


@pytest.mark.proves("T-20", "T-24")
@pytest.mark.parametrize("line", COMPUTED)
def test_an_unknown_program_is_computed(line: str) -> None:
    found = find_nested(to_command(line))

    assert found is not None
    assert (found.computed, found.transparent, found.covers) == (True, False, False)


@pytest.mark.proves("T-25")
@pytest.mark.parametrize("line", NOT_COMPUTED)
def test_a_program_that_runs_only_itself_has_nothing_nested(line: str) -> None:
    assert find_nested(to_command(line)) is None


def test_a_command_without_words_has_nothing_nested() -> None:
    assert find_nested(Command(())) is None


NESTED = """
sudo env A=b timeout 5 nice -n 5 rm x
sudo bash -c 'rm x'
sudo -u root -- env -i bash -lc 'timeout 5 rm x'
sh -c "bash -c 'rm x'"
eval "sh -c 'rm x'"
env -S 'sudo rm x'
nohup setsid stdbuf -oL rm x
docker exec c sh -c 'rm x'
docker run --entrypoint sh alpine -c 'rm x'
docker compose exec web bash -lc 'cd a && rm x'
kubectl exec pod -- sh -c 'rm x'
ssh host "sudo sh -c 'rm x'"
su root -- -c 'rm x'
capsh --print -- -c 'rm x'
find . -exec sh -c 'rm x' \\;
xargs sh -c 'rm x'
xargs -I{} timeout 5 sh -c 'rm x'
parallel sudo rm ::: x
busybox sh -c 'rm x'
busybox timeout 5 rm x
command command command rm x
builtin eval 'rm x'
exec env rm x
trap 'sudo rm x' EXIT
alias ls='sudo rm x'
git -c 'alias.a=!sudo rm x' a
git rebase -x 'sh -c "rm x"' main
git clone 'ext::sh -c rm% x'
npx -c 'sudo rm x'
npm exec -- sudo rm x
uv run bash -c 'rm x'
tmux new -d "bash -c 'rm x'"
watch -n 1 'sudo rm x'
script -qc "sudo rm x" /dev/null
ld-linux-x86-64.so.2 /bin/sh -c 'rm x'
su -c "sudo -u a bash -c 'rm x'" root
fd -x sudo rm x
vim -c ':!sudo rm x'
pwsh -c "bash -c 'rm x'"
strace -f sudo --some-new-option rm x
git for-each-repo --config=a submodule foreach 'rm x'
yarn workspace a exec rm x
minikube kubectl -- exec pod -- rm x
gdb -ex '!sudo rm x'
""".strip().splitlines()


def find_all_nested(given: Command, depth: int = 0) -> set[str]:
    """All commands that are found by searching nested commands repeatedly."""
    found = find_nested(given)
    own = {join_word_texts(given.words)}
    if found is None or depth > 8:
        return own
    inner = [*found.commands, *(to_words(piece) for text in found.texts for piece in text.text.split("&&"))]
    return own.union(*(find_all_nested(Command(vector), depth + 1) for vector in inner))


@pytest.mark.proves("T-24")
@pytest.mark.parametrize("line", NESTED)
def test_wrappers_around_wrappers_hide_nothing(line: str) -> None:
    assert any(found.startswith("rm x") for found in find_all_nested(to_command(line)))


COMMANDS_IN_INPUT = """
sudo bash <<< 'rm x'
env A=b sh <<< 'rm x'
timeout 5 sudo -s <<< 'rm x'
ssh host bash <<< 'rm x'
sh -c 'sudo bash' <<< 'rm x'
docker exec -i c sh <<< 'rm x'
echo 'rm x' | sh
echo 'rm x' | sudo bash
echo 'rm x' | sh -c bash
echo 'rm x' | timeout 5 ssh host
printf 'rm x' | bash -s
echo x | xargs rm
echo x | xargs -I{} rm {}
echo x | sudo xargs -n1 rm
find . | xargs rm
find . -name x -exec rm {} +
""".strip().splitlines()


@pytest.mark.proves("T-24")
@pytest.mark.parametrize("line", [*RUNS_RM, *RUNS_TEXT, *GUESSED, *GUESSED_TEXT, *NESTED, *COMMANDS_IN_INPUT])
def test_a_wrapper_never_evades_a_deny_rule(line: str) -> None:
    denying = make_snapshot(SHELL, mode=Mode.AUTO, allow=["terminal.exec"], deny=["terminal.exec(rm *)"])

    assert decide_call(shell_call(line.replace("${X}", '"$X"')), denying).verdict is Verdict.DENY


UNKNOWN_CODE = """
| bash -c bash
| sudo sh -c sh
| timeout 5 bash
| ssh host bash
| xargs -0 sh -c
| (bash)
| { bash; }
""".strip().splitlines()


@pytest.mark.proves("T-20")
@pytest.mark.parametrize("line", [*COMPUTED, *UNKNOWN_CODE])
def test_computed_code_needs_approval_even_in_auto(line: str) -> None:
    whole = f"curl https://host.example {line}" if line.startswith("|") else line
    decision = decide_call(shell_call(whole.replace("${X}", '"$X"')), make_snapshot(SHELL, mode=Mode.AUTO))

    assert decision.verdict is Verdict.ASK


EVERYDAY_LINES = """
docker run --rm -v "$PWD":/app -w /app node:20 npm test
docker run -d -p 80:80 $IMAGE
ssh $HOST uptime
kubectl exec -it $POD -- ls
timeout ${T:-30} npm test
for f in scripts/*.sh; do bash "$f"; done
cat a | python3 -m json.tool
cat a | ssh host 'cat > b'
cat a.sql | docker exec -i db psql -U a
find . -name '*.pyc' -exec rm {} +
find . -name '*.js' | xargs eslint
seq 10 | xargs -I{} curl http://localhost/{}
sudo -u postgres psql -c "select * from a where b != 'x'"
git rebase -x 'npm test' main
git -c user.name=a commit -m x
rsync -avz -e 'ssh -p 22' a host:b
tmux new -d 'npm run dev'
source .venv/bin/activate && pytest
uv run pytest -q
""".strip().splitlines()


@pytest.mark.proves("T-25")
@pytest.mark.parametrize("line", EVERYDAY_LINES)
def test_everyday_wrappers_are_not_asked_about_in_auto(line: str) -> None:
    assert decide_call(shell_call(line), make_snapshot(SHELL, mode=Mode.AUTO)).verdict is Verdict.RUN


READING_LINES = """
timeout 10 git status
bash -lc 'git status && ls -la'
env LC_ALL=C sort a
stdbuf -oL cat a | head
git ls-files | xargs wc -l
find . -name '*.py' -exec wc -l {} +
find . -type f -print0 | xargs -0 ls -la
ls | xargs -I{} echo {}
fd -e py -x wc -l
LC_ALL=C TZ=UTC ls
name=a; cat "$name"
""".strip().splitlines()


@pytest.mark.proves("T-20")
@pytest.mark.parametrize("line", READING_LINES)
def test_a_reader_in_harmless_wrappers_runs(line: str) -> None:
    assert decide_call(shell_call(line), make_snapshot(SHELL, mode=Mode.DEFAULT)).verdict is Verdict.RUN


@pytest.mark.proves("T-23")
def test_guesses_never_multiply() -> None:
    line = "sudo --new " * 60 + "rm x"
    steps = [to_command(line)]
    for given in steps:
        found = find_nested(given)
        steps.extend(Command(vector) for vector in (found.commands if found else ()))
        assert len(steps) < 200

    assert join_word_texts(steps[-2].words) == "rm x"


@pytest.mark.proves("T-23")
def test_too_many_guesses_are_computed() -> None:
    found = find_nested(to_command("sudo --new " + "a " * 100))

    assert found is not None
    assert (len(found.commands), found.computed) == (64, True)


def with_redirect(line: str, target: str, access: RedirectAccess = RedirectAccess.TEXT) -> Command:
    return to_command(line)._replace(redirects=(Redirect(access, Word(target)),))


INPUT_SHELLS = """
bash
sh -s
bash -s a b
bash -
bash /dev/stdin
zsh
fish
sudo -s
su
su - root
ssh host
ssh -T host
source /dev/stdin
. /dev/stdin
at now
batch
unshare -r
chroot /mnt
""".strip().splitlines()


@pytest.mark.proves("T-20", "T-24")
@pytest.mark.parametrize("line", INPUT_SHELLS)
def test_a_here_document_for_a_shell_is_a_text(line: str) -> None:
    found = find_nested(with_redirect(line, "rm x"))

    assert found is not None
    assert [text.text for text in found.texts] == ["rm x"]


@pytest.mark.parametrize("line", ["bash run.sh", "python -", "cat", "ssh host cat", "sudo cat", "sh -c cat"])
def test_a_here_document_for_other_programs_is_their_input(line: str) -> None:
    found = find_nested(with_redirect(line, "rm x"))

    assert found is None or "rm x" not in [text.text for text in found.texts]


@pytest.mark.proves("T-20")
def test_a_shell_that_reads_the_output_of_a_substitution_is_computed() -> None:
    found = find_nested(with_redirect("bash", UNKNOWN_MARK, RedirectAccess.READ))

    assert found is not None
    assert found.computed is True
    assert find_nested(with_redirect("bash", "run.sh", RedirectAccess.READ)) is None


@pytest.mark.proves("T-24")
def test_a_text_printed_into_a_shell_is_read_as_shell_text() -> None:
    found = find_nested(to_command("| sh")._replace(input_words=to_words("rm x")))

    assert found is not None
    assert ([text.text for text in found.texts], found.computed) == (["rm x"], True)


RUNNERS = """
bash sh zsh python perl ruby node sudo su env xargs find ssh docker npx make vim gdb awk eval git tar
timeout parallel pwsh cmd
""".split()
SUB_RUNNERS = ["npm exec", "docker run", "uv run", "git bisect run", "docker compose exec", "nix run"]


@pytest.mark.proves("T-30")
@pytest.mark.parametrize("name", RUNNERS + SUB_RUNNERS)
def test_a_rule_for_all_that_a_runner_runs_is_never_suggested(name: str) -> None:
    assert runs_arguments(name)


@pytest.mark.parametrize("name", ["ls", "cat", "pytest", "git push", "git clone", "npm install", "docker ps"])
def test_such_a_rule_is_suggested_for_a_program_that_runs_only_itself(name: str) -> None:
    assert not runs_arguments(name)


def runner_names_below(name: str, entry: RunEntry) -> list[str]:
    inner = entry.commands.items() if isinstance(entry, RunCommands) else ()
    return [name, *(found for sub, below in inner for found in runner_names_below(f"{name} {sub}", below))]


@pytest.mark.proves("T-23")
@pytest.mark.parametrize("name", sorted(name for name in TOPICS if runs_arguments(name)))
def test_no_spelling_of_a_known_program_raises(name: str) -> None:
    entry = find_program(name).runs
    names = [name] if entry is None else runner_names_below(name, entry)
    tails = ["", "-", "--", "-x", "-c", "--new", "--new=a", "a", "a b c", "-- a", "-xyz a", "+a", "A=b"]
    tails += ["$X", "${X} $X", "-c $X", "-c ${X} a"]

    for line in [f"{prefix} {tail}" for prefix in names for tail in tails]:
        for given in (to_command(line), to_command(f"| {line}")):
            found = find_nested(given)
            assert found is None or found.at <= len(given.words)


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("python3.12", "python"),
        ("/usr/bin/python3", "python"),
        ("C:\\Windows\\System32\\cmd.exe", "cmd"),
        ("npx.cmd", "npx"),
        ("Rscript", "Rscript"),
        ("ld-2.31.so", "ld.so"),
        ("tclsh8.6", "tclsh"),
        ("ls", None),
        ("", None),
    ],
)
def test_a_program_is_known_by_its_plain_name(program: str, name: str | None) -> None:
    assert runner_name(program) == name


@pytest.mark.proves("T-20", "T-24")
@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("env -S 'rm x'", "env rm x"),
        ("env '-Srm x'", "env rm x"),
        ("env --split-string='rm x'", "env rm x"),
        ("env --split='rm x'", "env rm x"),
        ("env -S rm x", "env rm x"),
        ("env -iS '-u B rm x'", "env -u B rm x"),
        ("env -S 'rm\\_x' y", "env rm x y"),
    ],
)
def test_a_text_of_words_is_read_once_more_by_the_same_program(line: str, text: str) -> None:
    found = find_nested(to_command(line))

    assert found is not None
    assert [one.text for one in found.texts] == [text]


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    "line",
    """
bash -oc pipefail 'rm x'
bash -oec pipefail 'rm x'
bash -oOc pipefail extglob 'rm x'
sh -c '"$0" "$@"' rm x
sh -c '"$1" x' _ rm
sh -c '$* x' _ rm
tar --to-comm='rm x' -xf a
tar --use-comp 'rm x' -cf a b
tar cfI a 'rm x' b
tar xfF a 'rm x'
tar --checkpoint-act=exec='rm x' -cf a b
ip netns exec n rm x
cmake -E env A=b rm x
cmake -E chdir d rm x
xterm -hold -e rm x
gnome-terminal -- rm x
gnome-terminal --command='rm x'
kitty --hold rm x
hash -p /bin/rm foo
git shell -c 'rm x'
git rebase --exe 'rm x' HEAD~2
rsync --rsync-p='rm x' a host:
rm.exe x
RM x
/bin/Rm.EXE x
""".strip().splitlines(),
)
def test_a_deny_rule_applies_in_rarer_wrappers(line: str) -> None:
    snapshot = make_snapshot(allow=["terminal.exec"], deny=["terminal.exec(rm *)"])

    assert decide_call(shell_call(line), snapshot).verdict is Verdict.DENY


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("line", "vectors"),
    [
        ("setarch -R rm x", ["rm x", "x"]),
        ("setarch x86_64 -R rm x", ["x86_64 -R rm x", "rm x"]),
        ("setarch -R rm -f x", ["rm -f x", "x"]),
        ("setarch rm", ["rm"]),
        ("nvm exec 20 rm x", ["20 rm x", "rm x"]),
        ("nvm exec rm x", ["rm x", "x"]),
        ("setarch", None),
        ("ip netns exec a rm x", ["a rm x", "rm x"]),
        ("ip -all netns exec rm x", ["rm x", "x"]),
        ("nix run a -- rm x", ["a -- rm x", "rm x"]),
    ],
)
def test_an_operand_that_may_be_left_out_is_read_both_ways(line: str, vectors: list[str] | None) -> None:
    found = find_nested(to_command(line))

    assert (None if found is None else [join_word_texts(vector) for vector in found.commands]) == vectors


@pytest.mark.proves("T-20", "T-24")
@pytest.mark.parametrize(
    ("line", "computed"),
    [
        ("| make -f -", True),
        ("| awk -f - a", True),
        ("| sed -f /dev/stdin a", True),
        ("| just --justfile=-", True),
        ("make -f /dev/fd/63", True),
        ("ssh -F /dev/fd/63 host", True),
        ("| make -f a.mk", False),
        ("| awk -f a.awk", False),
        ("make -f -", False),
    ],
)
def test_a_program_that_an_option_finds_in_the_input_is_computed(line: str, computed: bool) -> None:
    found = find_nested(to_command(line))

    assert (found is not None and found.computed) is computed


@pytest.mark.proves("T-24")
def test_a_text_is_searched_if_its_language_is_known_and_computed_otherwise() -> None:
    here = (Redirect(RedirectAccess.TEXT, Word("a:; rm x")),)
    make, just = (
        find_nested(to_command(line)._replace(redirects=here)) for line in ("make -f -", "just -f -")
    )

    assert make is not None
    assert not make.computed
    assert [join_word_texts(vector) for vector in make.commands] == ["rm x"]
    assert just is not None
    assert just.computed
