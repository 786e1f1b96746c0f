"""Containers, clusters and clouds: what their clients show of things that run somewhere.

They ask the daemon, cluster or account the person is logged in to; flags that name another one are not listed.
"""

from assent.engine.shell.knowledge import cloud_flags
from assent.engine.shell.knowledge.entry import Commands, Entry, Operands, Reads
from assent.engine.shell.knowledge.help import helped

FILES, TEXT, NONE = Operands.FILES, Operands.TEXT, Operands.NONE

# ---- containers -------------------------------------------------------------------------------------------

_FORMAT = "-f= --format="
_LIST = "-f= --filter= --format= -q --quiet --no-trunc"
_INSPECT = Reads(_FORMAT, TEXT)
_LOGS = Reads("--details -f --follow --since= --until= -n= --tail= -t --timestamps", TEXT)
_PS = Reads(f"{_LIST} -a --all -n= --last= -l --latest -s --size", NONE)
_IMAGES = Reads(f"{_LIST} -a --all --digests --tree", TEXT)
_INSPECT_ANY = Reads(f"{_FORMAT} -s --size --type=", TEXT)
_HISTORY = Reads("--format= -H --human? --no-trunc -q --quiet --platform=", TEXT)
_STATS = Reads("-a --all --format= --no-stream --no-trunc", TEXT)
_EVENTS = Reads("-f= --filter= --format= --since= --until=", NONE)
_DF = Reads("--format= -v --verbose", NONE)
_PLAIN = Reads("", TEXT)
_LISTED = Reads(_LIST, NONE)
_TASKS = Reads(f"{_LIST} --no-resolve", TEXT)
_PRETTY = Reads(f"{_FORMAT} --pretty", TEXT)


def _nouns(*names: str, listing: Reads = _LISTED, inspect: Reads = _INSPECT) -> dict[str, Entry]:
    """`docker volume ls` and `docker volume inspect`, and so on."""
    return {name: Commands({"ls": listing, "list": listing, "inspect": inspect}) for name in names}


_CONTAINERS: dict[str, Entry] = {
    "ps": _PS, "images": _IMAGES, "inspect": _INSPECT_ANY, "logs": _LOGS, "stats": _STATS, "history": _HISTORY,
    "events": _EVENTS, "port": _PLAIN, "diff": _PLAIN, "info": Reads(_FORMAT, NONE), "version": Reads(_FORMAT, NONE),
    "search": Reads("-f= --filter= --limit= --no-trunc --format=", TEXT, check="plain names"),
    "image": Commands({
        "ls": _IMAGES, "list": _IMAGES, "inspect": Reads(f"{_FORMAT} --platform=", TEXT), "history": _HISTORY,
    }),
    "container": Commands({
        "ls": _PS, "list": _PS, "ps": _PS, "inspect": Reads(f"{_FORMAT} -s --size", TEXT), "logs": _LOGS,
        "stats": _STATS, "port": _PLAIN, "diff": _PLAIN,
    }),
    "system": Commands({"df": _DF, "info": Reads(_FORMAT, NONE), "events": _EVENTS}),
    **_nouns("volume"),
    **_nouns("network", inspect=Reads(f"{_FORMAT} -v --verbose", TEXT)),
}

_DOCKER: dict[str, Entry] = {
    **_CONTAINERS,
    "top": _PLAIN,
    "context": Commands({
        "ls": Reads("--format= -q --quiet", NONE), "list": Reads("--format= -q --quiet", NONE),
        "show": Reads("", NONE), "inspect": _INSPECT,
    }),
    "node": Commands({"ls": _LISTED, "ps": _TASKS, "inspect": _PRETTY}),
    "service": Commands({
        "ls": _LISTED, "ps": _TASKS, "inspect": _PRETTY,
        "logs": Reads("--details -f --follow --no-resolve --no-task-ids --no-trunc --raw --since= -n= --tail= -t --timestamps",
                      TEXT),
    }),
    "stack": Commands({"ls": Reads("--format=", NONE), "ps": _TASKS, "services": Reads(_LIST, TEXT)}),
    **_nouns("config", "secret", inspect=_PRETTY),
    **_nouns("plugin"),
    "buildx": Commands({
        "ls": Reads("--format= --no-trunc", NONE), "inspect": Reads("", TEXT), "version": Reads("", NONE),
        "du": Reads("--filter= --verbose --format=", NONE),
    }),
    "compose": Reads(check="compose", trust=True),
}

_CHANGES = """
    run exec build pull push rm rmi stop start restart kill cp commit create export save load import tag login logout
    attach rename update wait pause unpause swarm manifest trust builder
"""

_PODMAN: dict[str, Entry] = {
    **_CONTAINERS,
    "logs": Reads("-f --follow --since= --until= --tail= -t --timestamps --color --names -l --latest", TEXT),
    "pod": Commands({
        "ps": Reads(_LIST, NONE), "ls": Reads(_LIST, NONE), "list": Reads(_LIST, NONE), "inspect": _INSPECT,
    }),
    "machine": Commands({
        "ls": Reads("--format= -q --quiet --noheading", NONE), "list": Reads("--format= -q --quiet --noheading", NONE),
        "inspect": Reads("--format=", TEXT), "info": Reads(_FORMAT, NONE),
    }),
    **_nouns("secret"),
}

# ---- Kubernetes -------------------------------------------------------------------------------------------

_ANY = cloud_flags.KUBECTL_ANY
_PRINTS = Reads(cloud_flags.KUBECTL_PRINTS, TEXT, check="kubectl")
_TOP = Reads(
    f"{_ANY} -A --all-namespaces? --containers? --no-headers? -l= --selector= --field-selector= --sort-by= --sum?"
    " --show-capacity?",
    TEXT,
)

_KUBECTL: dict[str, Entry] = {
    "get": Reads(cloud_flags.KUBECTL_GET, TEXT, check="kubectl get"),
    "describe": Reads(f"{_ANY} -A --all-namespaces? -l= --selector= --show-events? --chunk-size=", TEXT),
    "logs": Reads(
        f"{_ANY} --all-containers? --all-pods? -c= --container= -f --follow? --ignore-errors? --limit-bytes="
        " --max-log-requests= --pod-running-timeout= --prefix? -p --previous? -l= --selector= --since= --since-time="
        " --tail= --timestamps?",
        TEXT,
    ),
    "top": Commands(dict.fromkeys(("pod", "pods", "po", "node", "nodes", "no"), _TOP)),
    "explain": _PRINTS, "api-resources": _PRINTS, "version": _PRINTS, "events": _PRINTS, "wait": _PRINTS,
    "api-versions": Reads(_ANY, NONE),
    "cluster-info": Reads(_ANY, NONE),
    "rollout": Commands({"status": _PRINTS, "history": _PRINTS}),
    "auth": Commands({
        "can-i": Reads(f"{_ANY} -A --all-namespaces? --list? --no-headers? -q --quiet? --subresource= --as= --as-group=", TEXT),
        "whoami": _PRINTS,
    }),
    "config": Commands({
        "view": _PRINTS, "get-contexts": _PRINTS, "current-context": Reads("", NONE),
        "get-clusters": Reads("", NONE), "get-users": Reads("", NONE),
    }),
    "plugin": Commands({"list": Reads("--name-only", NONE)}),
    "options": Reads("", NONE),
}

_HELM_ANY = cloud_flags.HELM_ANY
_HELM_LIST = Reads(
    f"{_HELM_ANY} -A --all-namespaces -a --all --deployed -d --date --failed -f= --filter= -m= --max= --no-headers --offset="
    " -o= --output= --pending -r --reverse -l= --selector= -q --short --superseded --time-format= --uninstalled"
    " --uninstalling",
    NONE,
)
_HELM_GET = Reads(f"{_HELM_ANY} --revision= -a --all -o= --output=", TEXT)
_HELM_HISTORY = Reads(f"{_HELM_ANY} --max= -o= --output=", TEXT)
_HELM_SHOW = Reads(cloud_flags.HELM_SHOW, FILES, check="helm show", bare=False)
_HELM: dict[str, Entry] = {
    "list": _HELM_LIST, "ls": _HELM_LIST,
    "status": Reads(f"{_HELM_ANY} --revision= -o= --output= --show-desc --show-resources", TEXT),
    "get": Commands(dict.fromkeys(("hooks", "notes", "metadata"), _HELM_GET)),
    "history": _HELM_HISTORY, "hist": _HELM_HISTORY,
    "show": Commands(dict.fromkeys(("all", "chart", "crds", "readme", "values"), _HELM_SHOW)),
    "search": Commands({
        "repo": Reads("--devel -o= --output= -r --regexp --version= -l --versions --max-col-width=", TEXT),
        "hub": Reads("--max-col-width= -o= --output= --list-repo-url", TEXT),
    }),
    "repo": Commands({"list": Reads("-o= --output=", NONE), "ls": Reads("-o= --output=", NONE)}),
    "plugin": Commands({"list": Reads("", NONE), "ls": Reads("", NONE)}),
    "dependency": Commands({"list": Reads("--max-col-width=", FILES), "ls": Reads("--max-col-width=", FILES)}),
    "template": Reads(cloud_flags.HELM_TEMPLATE, FILES, check="helm template", bare=False),
    "lint": Reads(f"{_HELM_ANY} -f=< --values=< --set= --set-string= --strict --quiet --with-subcharts", FILES,
                  check="no address"),
    "version": Reads("--short --template= -c --client", NONE),
    "env": Reads("", TEXT, check="printenv"),
}

_CLUSTERS: dict[str, Entry] = {
    "kubectl": Commands(
        helped(_KUBECTL, "apply create delete edit exec cp run scale patch replace set label annotate expose port-forward proxy"
               " attach debug drain cordon uncordon taint autoscale certificate diff kustomize"),
        flags=f"{_ANY} --help", bare=True,
    ),
    "oc": Commands({
        **_KUBECTL, "status": Reads(f"{_ANY} --suggest", NONE), "projects": Reads("-q --short", NONE),
        "project": Reads("-q --short", NONE), "whoami": Reads("--show-server --show-context --show-console -c", NONE),
    }, flags=_ANY),
    "k3s": Commands({"kubectl": Commands(_KUBECTL, flags=_ANY)}, flags="-v --version", bare=True),
    "microk8s": Commands({"kubectl": Commands(_KUBECTL, flags=_ANY), "status": Reads("--format= --short", NONE)}),
    "helm": Commands(
        helped(_HELM, "install upgrade uninstall rollback test pull push package create"), flags=f"{_HELM_ANY} --help", bare=True,
    ),
    "kustomize": Commands({"version": Reads("--short -o= --output=", NONE)}),
    "kubectx": Reads("-c --current", NONE), "kubens": Reads("-c --current", NONE),
    "minikube": Commands({
        "status": Reads("-o= --output= -f= --format= -n= --node= -p= --profile= -l= --layout=", NONE),
        "ip": Reads("-n= --node= -p= --profile=", NONE), "version": Reads("--short -o= --output= --components", NONE),
        "profile": Commands({"list": Reads("-o= --output= -l --light", NONE)}),
        "addons": Commands({"list": Reads("-o= --output= -p= --profile= -d --docs", NONE)}),
        "node": Commands({"list": Reads("-p= --profile=", NONE)}),
    }, flags="-p= --profile="),
    "kind": Commands({
        "get": Commands({"clusters": Reads("-q --quiet", NONE), "nodes": Reads("--name= -A --all-clusters -q --quiet", NONE)}),
        "version": Reads("", NONE),
    }, flags="--version", bare=True),
    "k3d": Commands({
        "cluster": Commands({"list": Reads("--no-headers -o= --output=", TEXT)}),
        "node": Commands({"list": Reads("--no-headers -o= --output=", TEXT)}), "version": Reads("", NONE),
    }, flags="--version", bare=True),
    "argocd": Commands({
        "app": Commands({
            "list": Reads("-o= --output= -p= --project= -l= --selector=", NONE), "get": Reads("-o= --output=", TEXT),
            "history": Reads("-o= --output=", TEXT),
        }),
        "cluster": Commands({"list": Reads("-o= --output=", NONE)}),
        "proj": Commands({"list": Reads("-o= --output=", NONE)}),
    }),
    "flux": Commands({
        "get": Commands(dict.fromkeys(
            ("all", "kustomizations", "ks", "helmreleases", "hr"),
            Reads("-A --all-namespaces -n= --namespace= --context= --no-header -l= --label-selector=", TEXT),
        )),
        "version": Reads("--client -o= --output=", NONE),
    }, flags="-v --version", bare=True),
}

# ---- infrastructure ---------------------------------------------------------------------------------------

_TERRAFORM: dict[str, Entry] = {
    # What would print values that are marked as sensitive is not here: `show -json`, `state show`, `output`.
    "show": Reads("-no-color", FILES),
    "state": Commands({"list": Reads("-state=< -id=", TEXT)}),
    "providers": Reads("", NONE),
    "validate": Reads("-json -no-color --json", FILES),
    "graph": Reads("-type= -draw-cycles -plan=<", NONE),
    "fmt": Reads("-check -write=false -diff -recursive -no-color -list=false -list=true", FILES, needs="-check -write=false"),
    "workspace": Commands({"list": Reads("", NONE), "show": Reads("", NONE)}),
    "version": Reads("-json --json", NONE),
}
_TERRAFORM_LIKE = Commands(
    helped(_TERRAFORM, "init plan apply destroy import refresh test taint untaint console get login", flag="-help"),
    flags="-chdir=< -version --version -help --help", trust=True, bare=True,
)

_VIRSH: dict[str, Entry] = {
    "list": Reads("--all --inactive --name --uuid --title --state-running --state-shutoff", NONE),
    "net-list": Reads("--all --inactive --name --uuid", NONE), "pool-list": Reads("--all --inactive --name --details", NONE),
    "snapshot-list": Reads("--tree --name", TEXT), "vol-list": Reads("--details", TEXT),
    **dict.fromkeys(("dominfo", "domstate", "domiflist", "domblklist", "net-info", "pool-info"), _PLAIN),
    **dict.fromkeys(("nodeinfo", "version", "uri", "hostname"), Reads("", NONE)),
}

_APP = "-a= --app= -c= --config=< -j --json"
_FLY: dict[str, Entry] = {
    "status": Reads(f"{_APP} --all --deployment", NONE), "releases": Reads(f"{_APP} --image", NONE),
    "logs": Reads(f"{_APP} -n --no-tail -i= --instance= -r= --region=", NONE),
    "apps": Commands({"list": Reads("-j --json -o= --org= -q --quiet", NONE)}),
    "ips": Commands({"list": Reads(_APP, NONE)}), "volumes": Commands({"list": Reads(_APP, NONE)}),
    "secrets": Commands({"list": Reads(_APP, NONE)}), "version": Reads("-j --json", NONE),
}

_INFRASTRUCTURE: dict[str, Entry] = {
    "terraform": _TERRAFORM_LIKE, "tofu": _TERRAFORM_LIKE,
    "pulumi": Commands({
        "stack": Commands({"ls": Reads("-a --all -j --json -p= --project= -o= --organization=", NONE)}),
        "whoami": Reads("-v --verbose -j --json", NONE), "version": Reads("", NONE),
    }, trust=True),
    "virsh": Commands(_VIRSH, flags="--version -v", bare=True),
    "vagrant": Reads("-v --version", NONE, only=True),
    "fly": Commands(_FLY), "flyctl": Commands(_FLY),
    "aws": Reads(check="aws"), "gcloud": Reads(check="gcloud"), "az": Reads(check="az"),
    "gsutil": Commands({
        "ls": Reads("-l -h -r -R -a -b -L -d", Operands.NAMES), "stat": Reads("", Operands.NAMES),
        "version": Reads("-l", NONE),
    }),
}

_CONTAINER_CLIENTS: dict[str, Entry] = {
    "docker": Commands(
        helped(_DOCKER, _CHANGES), flags="-c= --context= -D --debug -l= --log-level= -v --version --help", bare=True,
    ),
    "podman": Commands(helped(_PODMAN, _CHANGES), flags="-v --version --help", bare=True),
    "nerdctl": Commands(_CONTAINERS, flags="-n= --namespace= -v --version", bare=True),
    "docker-compose": Reads(check="compose", trust=True),
}

PROGRAMS: dict[str, Entry] = {**_CONTAINER_CLIENTS, **_CLUSTERS, **_INFRASTRUCTURE}
