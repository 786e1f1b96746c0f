"""Commands that are called by more than one name: a rule that forbids one forbids all of them."""

_VERSIONS = "3 3.8 3.9 3.10 3.11 3.12 3.13 3.14 3.15".split()

_GROUPS = """
docker rm = docker container rm = docker container remove
docker rmi = docker image rm = docker image remove
docker images = docker image ls = docker image list
docker ps = docker container ls = docker container list = docker container ps
docker build = docker image build = docker buildx build = docker builder build = docker buildx b
docker history = docker image history
docker import = docker image import
docker load = docker image load
docker save = docker image save
docker push = docker image push
docker pull = docker image pull
docker tag = docker image tag
docker info = docker system info
docker events = docker system events
docker volume rm = docker volume remove
docker volume ls = docker volume list
docker network rm = docker network remove
docker network ls = docker network list
docker compose = docker-compose
podman rm = podman container rm
podman rmi = podman image rm
podman images = podman image ls = podman image list
podman ps = podman container ls = podman container list = podman container ps
podman compose = podman-compose
npm install = npm i = npm in = npm ins = npm inst = npm insta = npm instal = npm isnt = npm isnta = npm isntal = npm isntall = npm add
npm ci = npm clean-install = npm ic = npm install-clean = npm isntall-clean
npm uninstall = npm un = npm unlink = npm remove = npm rm = npm r
npm run = npm run-script = npm rum = npm urn
npm test = npm t = npm tst = npm run test = npm run-script test
npm start = npm run start = npm run-script start
npm stop = npm run stop = npm run-script stop
npm restart = npm run restart = npm run-script restart
npm update = npm up = npm upgrade = npm udpate
npm exec = npm x = npx
npm list = npm ls = npm la = npm ll
npm view = npm info = npm show = npm v
npm search = npm s = npm se = npm find
npm link = npm ln
npm init = npm create = npm innit
npm login = npm adduser = npm add-user
npm config = npm c
npm version = npm verison
npm rebuild = npm rb
npm owner = npm author
npm dist-tag = npm dist-tags
npm install-test = npm it
npm install-ci-test = npm cit = npm clean-install-test = npm sit
npm dedupe = npm ddp
npm docs = npm home
npm bugs = npm issues
npm whoami = npm who
npm publish = npm publis = npm publi = npm publ = npm pub = npm pu
npm unpublish = npm unpublis = npm unpubli = npm unpubl = npm unpub = npm unpu = npm unp
pnpm install = pnpm i
pnpm remove = pnpm rm = pnpm uninstall = pnpm un = pnpm uni
pnpm update = pnpm up = pnpm upgrade
pnpm run = pnpm run-script
pnpm test = pnpm t = pnpm tst = pnpm run test
pnpm list = pnpm ls = pnpm la = pnpm ll
pnpm dlx = pnpx
yarn = yarnpkg
yarn test = yarn run test
yarn upgrade = yarn up
bun add = bun a
bun install = bun i
bun remove = bun rm
bun x = bunx
nodejs = node
git add = git stage
git blame = git annotate
git remote remove = git remote rm
apt install = apt-get install = aptitude install
apt remove = apt-get remove = aptitude remove
apt purge = apt-get purge = aptitude purge
apt update = apt-get update = aptitude update
apt upgrade = apt-get upgrade = aptitude safe-upgrade
apt full-upgrade = apt-get dist-upgrade = aptitude full-upgrade
apt autoremove = apt-get autoremove
apt reinstall = apt-get reinstall
dnf install = yum install = dnf5 install = microdnf install
dnf remove = yum remove = dnf erase = yum erase = dnf5 remove = microdnf remove
dnf update = yum update = dnf upgrade = yum upgrade
brew uninstall = brew remove = brew rm
brew list = brew ls
brew install = brew cask install
cargo build = cargo b
cargo check = cargo c
cargo run = cargo r
cargo test = cargo t
cargo doc = cargo d
cargo remove = cargo rm
helm uninstall = helm delete = helm del = helm un
helm list = helm ls
gh pr create = gh pr new
gh pr list = gh pr ls
gh issue create = gh issue new
gh issue list = gh issue ls
gh repo create = gh repo new
gh repo list = gh repo ls
gh release create = gh release new
gh release list = gh release ls
gh run list = gh run ls
gh workflow list = gh workflow ls
gh secret remove = gh secret delete
gh variable remove = gh variable delete
gh codespace = gh cs
gcloud compute = gcloud beta compute = gcloud alpha compute
composer require = composer req = composer r
composer install = composer i
composer update = composer u = composer upgrade
composer remove = composer rm = composer uninstall
bundle = bundler
bundle install = bundle i = bundler install
bundle exec = bundle e = bundler exec
gem install = gem i
gem uninstall = gem remove
conda = mamba = micromamba
conda env remove = mamba env remove
conda remove = conda uninstall = mamba remove = mamba uninstall
terraform = tofu
terraform destroy = terraform apply -destroy = tofu destroy
pulumi destroy = pulumi down
pulumi up = pulumi update
vim = vi
poetry remove = poetry rm
snap remove = snap uninstall
go fmt = gofmt
dotnet restore = dotnet r
ansible-playbook = ansible playbook
pytest = py.test
mysql = mariadb
gpg = gpg2
awk = gawk = mawk = nawk
sed = gsed
tar = gtar = bsdtar
rm = grm
chmod 777 = chmod 0777 = chmod a+rwx = chmod ugo+rwx = chmod a=rwx
reboot = systemctl reboot
poweroff = systemctl poweroff
halt = systemctl halt
nc = ncat = netcat
"""
_CONTAINERS = """run exec start stop restart kill logs cp create commit diff export attach pause unpause port rename
stats top update wait inspect""".split()
_RESOURCES = """
pod pods po
deployment deployments deploy deployment.apps deployments.apps
service services svc
namespace namespaces ns
node nodes no
secret secrets
configmap configmaps cm
ingress ingresses ing
job jobs job.batch jobs.batch
cronjob cronjobs cj cronjob.batch
daemonset daemonsets ds daemonset.apps daemonsets.apps
statefulset statefulsets sts statefulset.apps statefulsets.apps
replicaset replicasets rs
persistentvolumeclaim persistentvolumeclaims pvc
persistentvolume persistentvolumes pv
serviceaccount serviceaccounts sa
customresourcedefinition customresourcedefinitions crd crds
horizontalpodautoscaler horizontalpodautoscalers hpa
networkpolicy networkpolicies netpol
storageclass storageclasses sc
event events ev
"""
_MODULES = frozenset(
    """pip pytest black ruff mypy flake8 isort pylint coverage tox nox build twine venv virtualenv jupyter uvicorn
    gunicorn flask alembic poetry pdm pipx celery ansible pre_commit pip-audit bandit""".split()
)
"""Programs that Python runs as modules, too."""
_PLACES = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/", "./")
_SCRIPT_RUNNERS = frozenset({"yarn", "pnpm", "bun"})
_KUBECTLS = ("kubectl", "oc", "k3s kubectl", "microk8s kubectl")


def _classes() -> dict[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Each way to call a command, with all the others."""
    found: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {}
    for line in _GROUPS.strip().splitlines():
        alike = tuple(tuple(one.split()) for one in line.split(" = "))
        found.update(dict.fromkeys(alike, alike))
    for verb in _CONTAINERS:
        for program in ("docker", "podman"):
            both = ((program, verb), (program, "container", verb))
            found.update(dict.fromkeys(both, both))
    for program in ("python", "pip", "pypy"):
        alike = ((program,), *((f"{program}{version}",) for version in _VERSIONS))
        found.update(dict.fromkeys(alike, alike))
    return found


_CLASSES = _classes()
_LONGEST = max(map(len, _CLASSES))
_PROGRAMS = frozenset(head[0] for head in _CLASSES) | _MODULES | {"kubectl", "oc"}
_KINDS = {name: tuple(line.split()) for line in _RESOURCES.strip().splitlines() for name in line.split()}


def spellings(words: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Every way to write a pattern by the names that its command goes by; first the one that is given."""
    if words and words[0].startswith(_PLACES):
        # By its path a program is the same that it is by its name.
        return tuple(dict.fromkeys((words, *spellings((words[0].rpartition("/")[2], *words[1:])))))
    if not words or words[0] not in _PROGRAMS:
        return (words,)
    found = dict.fromkeys((words, *_renamed(words), *_scripts(words)))
    if words[0] in ("kubectl", "oc"):
        found.update(dict.fromkeys(_kinds(words)))
    for other in [one for one in found if one[0] in _MODULES]:
        found[("py*", "-m", *other)] = None
        if other[0] == "pip":
            found[("uv", *other)] = None
    return tuple(found)


def _renamed(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for length in range(min(_LONGEST, len(words)), 0, -1):
        others = _CLASSES.get(words[:length], ())
        found.extend((*other, *words[length:]) for other in others)
    stem = words[-1].removesuffix("*")
    if stem != words[-1]:
        # `npm test*` is `npm t` as well, but not `npm team`.
        found.extend((*other, "*") for other in _CLASSES.get((*words[:-1], stem), ()))
    return found


def _scripts(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """A script of a project, which some run with and without `run`."""
    if words[0] not in _SCRIPT_RUNNERS or len(words) < 2 or words[1][0] in "*-":
        return []
    if words[1] != "run":
        return [(words[0], "run", *words[1:])]
    return [(words[0], *words[2:])] if len(words) > 2 and words[2][0] not in "*-" else []


def _kinds(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """A resource of Kubernetes by its short and its long names, and with its own name behind a slash."""
    found: list[tuple[str, ...]] = []
    for program in _KUBECTLS:
        head = (*program.split(), *words[1:])
        found.append(head)
        at = len(program.split()) + 1
        for kind in _KINDS.get(head[at], ()) if len(head) > at else ():
            found.append((*head[:at], kind, *head[at + 1 :]))
            found.append((*head[:at], "/".join((kind, *head[at + 1 : at + 2])), *head[at + 2 :]))
    return found
