"""Containers and clusters.

Their clients ask the daemon or cluster that the person is logged in to; flags that name another one are not listed.
"""

from assent.engine.programs.code_files import COMPOSE_FILES
from assent.engine.programs.losses import Loss, Losses, LossPattern
from assent.engine.programs.program import (
    FILES,
    NONE,
    READS_TEXT,
    TEXT,
    Program,
    ReadCommands,
    ReadEntry,
    Reads,
    TreeReads,
    add_help_entries,
)
from assent.engine.programs.runs import (
    RUNS_AFTER_DASHES,
    RUNS_COMMAND,
    CodeInput,
    InputRule,
    InputUse,
    RestOfWords,
    RunCommands,
    RunEntry,
    Runs,
    Script,
)

KUBECTL_ANY = "--help -n= --namespace= --context= --cluster= --request-timeout="
KUBECTL_PRINT = "-o= --output= --template= --allow-missing-template-keys? --show-managed-fields?"
KUBECTL_GET = f"""
    {KUBECTL_ANY} {KUBECTL_PRINT} -A --all-namespaces? -l= --selector= --field-selector= --show-labels? --sort-by=
    --no-headers? -w --watch? --watch-only? --show-kind? --ignore-not-found? --chunk-size= -L= --label-columns=
    --server-print? --output-watch-events? --subresource=
"""
KUBECTL_PRINTS = f"""
    {KUBECTL_ANY} {KUBECTL_PRINT} -A --all-namespaces? -l= --selector= --field-selector= --no-headers? -w --watch?
    --revision= --types= --for= --sort-by= --api-group= --categories= --namespaced? --cached? --verbs= --client?
    --minify? --merge? --api-version= --recursive? --timeout=
"""
COMPOSE_ANY = (
    "-f= --file= -p= --project-name= --profile= --env-file= --project-directory= --ansi= --progress="
)
COMPOSE = {
    "ps": "-a --all? --filter= --format= -q --quiet --services --status= --no-trunc --orphans?",
    "ls": "-a --all --filter= --format= -q --quiet",
    "images": "--format= -q --quiet",
    "top": "",
    "logs": "-f --follow -n= --tail= -t --timestamps --no-color --no-log-prefix --since= --until= --index=",
    "port": "--index= --protocol=",
    "stats": "-a --all --format= --no-stream --no-trunc",
    "events": "--json --since= --until=",
    "version": "-f= --format= --short",
    "config": "--services --volumes --images --profiles --networks -q --quiet --no-interpolate --format=",
}
COMPOSE_CONFIG_NEEDS = "--services --volumes --images --profiles --networks -q --quiet"
"""Without one of these the whole configuration is printed, with what `.env` holds."""
HELM_ANY = "-n= --namespace= --kube-context= --debug"
HELM_SHOW = f"{HELM_ANY} --version= --devel"
# Not --name-template, whose text may print the environment.
HELM_TEMPLATE = f"""
    {HELM_ANY} -f=< --values=< --set= --set-string= --set-json= --version= -s= --show-only= --include-crds --skip-crds
    --skip-tests --no-hooks --kube-version= -a= --api-versions= --is-upgrade -g --generate-name
"""
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
_LISTED = Reads(_LIST, NONE)
_TASKS = Reads(f"{_LIST} --no-resolve", TEXT)
_PRETTY = Reads(f"{_FORMAT} --pretty", TEXT)


def _docker_noun_entries(
    *names: str, listing: Reads = _LISTED, inspect: Reads = _INSPECT
) -> dict[str, ReadEntry]:
    """For each noun, the read entries of its sub-commands, such as `docker volume ls`."""
    return {name: ReadCommands({"ls": listing, "list": listing, "inspect": inspect}) for name in names}


_CONTAINERS_READS: dict[str, ReadEntry] = {
    "ps": _PS,
    "images": _IMAGES,
    "inspect": _INSPECT_ANY,
    "logs": _LOGS,
    "stats": _STATS,
    "history": _HISTORY,
    "events": _EVENTS,
    "port": READS_TEXT,
    "diff": READS_TEXT,
    "info": Reads(_FORMAT, NONE),
    "version": Reads(_FORMAT, NONE),
    "search": Reads("-f= --filter= --limit= --no-trunc --format=", TEXT, check="plain names"),
    "image": ReadCommands(
        {
            "ls": _IMAGES,
            "list": _IMAGES,
            "inspect": Reads(f"{_FORMAT} --platform=", TEXT),
            "history": _HISTORY,
        }
    ),
    "container": ReadCommands(
        {
            "ls": _PS,
            "list": _PS,
            "ps": _PS,
            "inspect": Reads(f"{_FORMAT} -s --size", TEXT),
            "logs": _LOGS,
            "stats": _STATS,
            "port": READS_TEXT,
            "diff": READS_TEXT,
        }
    ),
    "system": ReadCommands({"df": _DF, "info": Reads(_FORMAT, NONE), "events": _EVENTS}),
    **_docker_noun_entries("volume"),
    **_docker_noun_entries("network", inspect=Reads(f"{_FORMAT} -v --verbose", TEXT)),
}
_DOCKER_READS: dict[str, ReadEntry] = {
    **_CONTAINERS_READS,
    "top": READS_TEXT,
    "context": ReadCommands(
        {
            "ls": Reads("--format= -q --quiet", NONE),
            "list": Reads("--format= -q --quiet", NONE),
            "show": Reads("", NONE),
            "inspect": _INSPECT,
        }
    ),
    "node": ReadCommands({"ls": _LISTED, "ps": _TASKS, "inspect": _PRETTY}),
    "service": ReadCommands(
        {
            "ls": _LISTED,
            "ps": _TASKS,
            "inspect": _PRETTY,
            "logs": Reads(
                "--details -f --follow --no-resolve --no-task-ids --no-trunc --raw --since= -n= --tail= -t --timestamps",
                TEXT,
            ),
        }
    ),
    "stack": ReadCommands({"ls": Reads("--format=", NONE), "ps": _TASKS, "services": Reads(_LIST, TEXT)}),
    **_docker_noun_entries("config", "secret", inspect=_PRETTY),
    **_docker_noun_entries("plugin"),
    "buildx": ReadCommands(
        {
            "ls": Reads("--format= --no-trunc", NONE),
            "inspect": Reads("", TEXT),
            "version": Reads("", NONE),
            "du": Reads("--filter= --verbose --format=", NONE),
        }
    ),
    "compose": Reads(check="compose", trust=True),
}
_CHANGES = """
    run exec build pull push rm rmi stop start restart kill cp commit create export save load import tag login logout
    attach rename update wait pause unpause swarm manifest trust builder
"""
_PODMAN: dict[str, ReadEntry] = {
    **_CONTAINERS_READS,
    "logs": Reads("-f --follow --since= --until= --tail= -t --timestamps --color --names -l --latest", TEXT),
    "pod": ReadCommands(
        {
            "ps": Reads(_LIST, NONE),
            "ls": Reads(_LIST, NONE),
            "list": Reads(_LIST, NONE),
            "inspect": _INSPECT,
        }
    ),
    "machine": ReadCommands(
        {
            "ls": Reads("--format= -q --quiet --noheading", NONE),
            "list": Reads("--format= -q --quiet --noheading", NONE),
            "inspect": Reads("--format=", TEXT),
            "info": Reads(_FORMAT, NONE),
        }
    ),
    **_docker_noun_entries("secret"),
}
_ANY = KUBECTL_ANY
_PRINTS = Reads(KUBECTL_PRINTS, TEXT, check="kubectl")
_TOP = Reads(
    f"{_ANY} -A --all-namespaces? --containers? --no-headers? -l= --selector= --field-selector= --sort-by= --sum?"
    " --show-capacity?",
    TEXT,
)
_KUBECTL_READS: dict[str, ReadEntry] = {
    "get": Reads(KUBECTL_GET, TEXT, check="kubectl get"),
    "describe": Reads(f"{_ANY} -A --all-namespaces? -l= --selector= --show-events? --chunk-size=", TEXT),
    "logs": Reads(
        f"{_ANY} --all-containers? --all-pods? -c= --container= -f --follow? --ignore-errors? --limit-bytes="
        " --max-log-requests= --pod-running-timeout= --prefix? -p --previous? -l= --selector= --since= --since-time="
        " --tail= --timestamps?",
        TEXT,
    ),
    "top": ReadCommands(dict.fromkeys(("pod", "pods", "po", "node", "nodes", "no"), _TOP)),
    "explain": _PRINTS,
    "api-resources": _PRINTS,
    "version": _PRINTS,
    "events": _PRINTS,
    "wait": _PRINTS,
    "api-versions": Reads(_ANY, NONE),
    "cluster-info": Reads(_ANY, NONE),
    "rollout": ReadCommands({"status": _PRINTS, "history": _PRINTS}),
    "auth": ReadCommands(
        {
            "can-i": Reads(
                f"{_ANY} -A --all-namespaces? --list? --no-headers? -q --quiet? --subresource= --as= --as-group=",
                TEXT,
            ),
            "whoami": _PRINTS,
        }
    ),
    "config": ReadCommands(
        {
            "view": _PRINTS,
            "get-contexts": _PRINTS,
            "current-context": Reads("", NONE),
            "get-clusters": Reads("", NONE),
            "get-users": Reads("", NONE),
        }
    ),
    "plugin": ReadCommands({"list": Reads("--name-only", NONE)}),
    "options": Reads("", NONE),
}
_HELM_ANY = HELM_ANY
_HELM_LIST = Reads(
    f"{_HELM_ANY} -A --all-namespaces -a --all --deployed -d --date --failed -f= --filter= -m= --max= --no-headers --offset="
    " -o= --output= --pending -r --reverse -l= --selector= -q --short --superseded --time-format= --uninstalled"
    " --uninstalling",
    NONE,
)
_HELM_GET = Reads(f"{_HELM_ANY} --revision= -a --all -o= --output=", TEXT)
_HELM_HISTORY = Reads(f"{_HELM_ANY} --max= -o= --output=", TEXT)
_HELM_SHOW = Reads(HELM_SHOW, FILES, check="helm show", bare=False)
_HELM_READS: dict[str, ReadEntry] = {
    "list": _HELM_LIST,
    "ls": _HELM_LIST,
    "status": Reads(f"{_HELM_ANY} --revision= -o= --output= --show-desc --show-resources", TEXT),
    "get": ReadCommands(dict.fromkeys(("hooks", "notes", "metadata"), _HELM_GET)),
    "history": _HELM_HISTORY,
    "hist": _HELM_HISTORY,
    "show": ReadCommands(dict.fromkeys(("all", "chart", "crds", "readme", "values"), _HELM_SHOW)),
    "search": ReadCommands(
        {
            "repo": Reads(
                "--devel -o= --output= -r --regexp --version= -l --versions --max-col-width=", TEXT
            ),
            "hub": Reads("--max-col-width= -o= --output= --list-repo-url", TEXT),
        }
    ),
    "repo": ReadCommands({"list": Reads("-o= --output=", NONE), "ls": Reads("-o= --output=", NONE)}),
    "plugin": ReadCommands({"list": Reads("", NONE), "ls": Reads("", NONE)}),
    "dependency": ReadCommands(
        {"list": Reads("--max-col-width=", FILES), "ls": Reads("--max-col-width=", FILES)}
    ),
    "template": Reads(HELM_TEMPLATE, FILES, check="helm template", bare=False),
    "lint": Reads(
        f"{_HELM_ANY} -f=< --values=< --set= --set-string= --strict --quiet --with-subcharts",
        FILES,
        check="no address",
    ),
    "version": Reads("--short --template= -c --client", NONE),
    "env": Reads("", TEXT, check="printenv"),
}
_DOCKER_RUN = Runs(
    "-d --detach -i --interactive -t --tty -P --publish-all -q --quiet --rm --init --privileged --read-only"
    " --no-healthcheck --oom-kill-disable --sig-proxy? --disable-content-trust? --use-api-socket --replace"
    " --no-hosts -a= --attach= -c= --cpu-shares= -e= --env= -h= --hostname= -l= --label= -m= --memory= -p="
    " --publish= -u= --user= -v= --volume= -w= --workdir= --add-host= --annotation= --blkio-weight="
    " --cap-add= --cap-drop= --cgroup-parent= --cgroupns= --cidfile= --cpu-period= --cpu-quota= --cpus="
    " --cpuset-cpus= --cpuset-mems= --detach-keys= --device= --device-cgroup-rule= --dns= --dns-option="
    " --dns-search= --domainname= --entrypoint=^ --env-file= --expose= --gpus= --group-add= --health-cmd=!"
    " --health-interval= --health-retries= --health-start-period= --health-timeout= --ip= --ip6= --ipc="
    " --isolation= --kernel-memory= --label-file= --link= --log-driver= --log-opt= --mac-address="
    " --memory-reservation= --memory-swap= --mount= --name= --net= --network= --network-alias="
    " --oom-score-adj= --pid= --pids-limit= --platform= --pull= --restart= --runtime= --security-opt="
    " --shm-size= --stop-signal= --stop-timeout= --storage-opt= --sysctl= --tmpfs= --ulimit= --userns="
    " --uts= --volume-driver= --volumes-from= --arch= --authfile= --pod= --secret=",
    operands=1,
    input=CodeInput.SHELL,
)
_DOCKER_EXEC = Runs(
    "-d --detach -i --interactive -t --tty --privileged -l --latest -e= --env= --env-file= -u= --user= -w="
    " --workdir= --detach-keys=",
    operands=1,
    input=CodeInput.SHELL,
)
_COMPOSE_EXEC = Runs(
    "-d --detach -T --no-tty --no-TTY --privileged -i -t --index= -e= --env= -u= --user= -w= --workdir=",
    operands=1,
    input=CodeInput.SHELL,
)
_COMPOSE_RUN = Runs(
    "-d --detach -T --no-tty --no-TTY -i --interactive -t --tty -P --service-ports --rm --no-deps"
    " --use-aliases --build --quiet-pull -q --quiet --remove-orphans -e= --env= --env-from-file= -l="
    " --label= --name= -p= --publish= -u= --user= -v= --volume= -w= --workdir= --cap-add= --cap-drop="
    " --pull= --entrypoint=^",
    operands=1,
    input=CodeInput.SHELL,
)
_COMPOSE = RunCommands(
    {"exec": _COMPOSE_EXEC, "run": _COMPOSE_RUN},
    "-f= --file= -p= --project-name= --profile= --env-file= --project-directory= --ansi= --progress="
    " --parallel= --compatibility --dry-run --all-resources --verbose",
)
_CONTAINER: dict[str, RunEntry] = {"run": _DOCKER_RUN, "exec": _DOCKER_EXEC, "create": _DOCKER_RUN}
_MACHINE_SSH = Runs("--username=", operands=1, optional=True, rest=RestOfWords.TEXT, input=CodeInput.SHELL)
_DOCKER_RUNS = RunCommands(
    {
        **_CONTAINER,
        "compose": _COMPOSE,
        "container": RunCommands(_CONTAINER),
        "service": RunCommands({"create": _DOCKER_RUN}),
        "machine": RunCommands({"ssh": _MACHINE_SSH}),
        "unshare": RUNS_COMMAND,
    },
    "-c= --context= -D --debug -H= --host= --config= -l= --log-level= --tls --tlscacert= --tlscert="
    " --tlskey= --tlsverify -n= --namespace= -a= --address= --root= --runroot= --url= --connection= -r"
    " --remote --log-opt= --storage-driver= --cgroup-manager=",
)
_KUBECTL_GLOBAL = (
    "-n= --namespace= --context= --cluster= --kubeconfig= --user= -s= --server= --token= --as= --as-group="
    " --as-uid= --request-timeout= --cache-dir= --certificate-authority= --client-certificate= --client-key="
    " --tls-server-name= --insecure-skip-tls-verify -v= --v= --warnings-as-errors"
)
_KUBECTL_EXEC = Runs(
    _KUBECTL_GLOBAL
    + " -c= --container= -i --stdin -t --tty -q --quiet -f= --filename= --pod-running-timeout= --shell="
    " -T --no-tty --timeout=",
    operands=1,
    options_after_operands=True,
    input=CodeInput.SHELL,
)
_KUBECTL_RUNS = RunCommands(
    {
        "exec": _KUBECTL_EXEC,
        "rsh": _KUBECTL_EXEC,
        **dict.fromkeys(("run", "debug", "alpha", "node-shell"), RUNS_AFTER_DASHES),
    },
    _KUBECTL_GLOBAL,
)
_LXC = RunCommands(
    {
        "exec": Runs(
            "-t -T --force-interactive --force-noninteractive --disable-stdin -n --mode= --env= --cwd="
            " --user= --group= --project=",
            operands=1,
            options_after_operands=True,
        )
    },
    "--project= --debug -v --verbose --force-local -q --quiet",
)
_MACHINE_SHELL = Runs("-p= --profile= -n= --node=", rest=RestOfWords.TEXT, input=CodeInput.SHELL)
_IMAGE = RunCommands(
    dict.fromkeys(("exec", "run"), Runs("-B= --bind= -H= --home= -W= --workdir= --env= --pwd=", operands=1))
)
_IN_CONTAINER = Runs(
    "-d --detach -i --interactive -t --tty -e= --env= -u= --user= --cwd= -w= --workdir= -s --sync"
    " --timeout= --pid-file= --process=",
    operands=1,
    options_after_operands=True,
    input=CodeInput.SHELL,
)
_CLUSTER_SESSION = InputRule(commands="run debug", only="-i -t --stdin --tty")
"""A container with an unknown program that reads our input."""
_KUBECTL_LOSSES = Losses(
    (
        LossPattern("delete", Loss.DELETES, ">"),
        LossPattern("replace", Loss.DELETES, "resource", flags="--force"),
        LossPattern("delete-project", Loss.DELETES, "project"),
    ),
    "-n --namespace --context --cluster --kubeconfig -l --selector --grace-period --timeout -o --output"
    " --user -f --filename -k --kustomize --as --token -s --server --field-selector --cascade",
    "-f --filename -k --kustomize",
)
_HELM_LOSSES = Losses(
    (LossPattern("uninstall|delete|del|un", Loss.DELETES, "release"),),
    "-n --namespace --kube-context --kubeconfig --timeout --cascade --description",
)
_CONTAINERS_LOSSES = Losses(
    (
        LossPattern("system prune", Loss.DELETES_ALL, "unused containers, networks and images"),
        LossPattern("system reset", Loss.DELETES_ALL, "containers, images and volumes"),
        LossPattern("volume rm|remove", Loss.DELETES, "volume"),
        LossPattern("volume prune", Loss.DELETES_ALL, "unused volumes"),
        LossPattern("image rm|remove", Loss.DELETES, "image"),
        LossPattern("image prune", Loss.DELETES_ALL, "unused images", flags="-a --all"),
        LossPattern("rmi", Loss.DELETES, "image"),
        LossPattern("rm", Loss.DELETES, "container with its volumes", flags="-v --volumes"),
        LossPattern("compose down|rm", Loss.DELETES_ALL, "volumes of these services", flags="-v --volumes"),
        LossPattern("down", Loss.DELETES_ALL, "volumes of these services", flags="-v --volumes"),
        LossPattern("swarm leave", Loss.DELETES, "swarm", flags="-f --force"),
        LossPattern("secret|config|context|stack rm|remove", Loss.DELETES, "<"),
    ),
    "-H --host -c --context --config -f --file -p --project-name --profile --env-file",
)

RESOURCE_KINDS = {
    "ns": "namespace", "po": "pod", "deploy": "deployment", "svc": "service", "sts": "statefulset",
    "ds": "daemonset", "rs": "replicaset", "cm": "configmap", "ing": "ingress", "no": "node",
    "sa": "serviceaccount", "pv": "persistentvolume", "pvc": "persistentvolumeclaim",
    "crd": "customresourcedefinition",
    "crds": "customresourcedefinition", "hpa": "horizontalpodautoscaler", "cj": "cronjob", "ep": "endpoints",
}  # fmt: skip
"""The short names of kinds of resources, and the word that a person is shown."""


_CONTAINER_VERBS = """run exec start stop restart kill logs cp create commit diff export attach pause unpause port rename
stats top update wait inspect""".split()

_IMAGE_FILES = ("Dockerfile", "Containerfile", "Dockerfile.*", "*.[Dd]ockerfile")

PROGRAMS = (
    Program(
        "docker",
        reads_trees=TreeReads.CONTEXT,
        project_files=_IMAGE_FILES,
        scripts=(Script.IMAGE,),
        reads=ReadCommands(
            add_help_entries(_DOCKER_READS, _CHANGES),
            flags="-c= --context= -D --debug -l= --log-level= -v --version --help",
            bare=True,
        ),
        runs=_DOCKER_RUNS,
        input=(
            InputRule(commands="load import"),
            InputRule(commands="start", only="-i -a --interactive --attach"),
            InputRule(InputUse.ANSWERS, commands="login system volume image container plugin"),
        ),
        takes_data=True,
        attaches_with="-i --interactive -a --attach exec compose",
        losses=_CONTAINERS_LOSSES,
        options={
            "rm": "f=force v=volumes l=link",
            "rmi": "f=force",
            "run": "d=detach i=interactive t=tty v=volume e=env p=publish u=user w=workdir",
            "exec": "d=detach i=interactive t=tty e=env u=user w=workdir",
            "compose": "v=volumes d=detach f=force",
            "system": "a=all f=force",
            "image": "a=all f=force",
            "volume": "a=all f=force",
        },
        same_as=(
            "docker rm = docker container rm = docker container remove",
            "docker rmi = docker image rm = docker image remove",
            "docker images = docker image ls = docker image list",
            "docker ps = docker container ls = docker container list = docker container ps",
            "docker build = docker image build = docker buildx build = docker builder build = docker buildx b",
            "docker history = docker image history",
            "docker import = docker image import",
            "docker load = docker image load",
            "docker save = docker image save",
            "docker push = docker image push",
            "docker pull = docker image pull",
            "docker tag = docker image tag",
            "docker info = docker system info",
            "docker events = docker system events",
            "docker volume rm = docker volume remove",
            "docker volume ls = docker volume list",
            "docker network rm = docker network remove",
            "docker network ls = docker network list",
            "docker compose = docker-compose",
            *(f"docker {verb} = docker container {verb}" for verb in _CONTAINER_VERBS),
        ),
        can_suggest_commands=True,
        code_files=COMPOSE_FILES,
        does="push: sends; pull login search: connects; containers",
    ),
    Program(
        "podman",
        reads_trees=TreeReads.CONTEXT,
        project_files=_IMAGE_FILES,
        scripts=(Script.IMAGE,),
        reads=ReadCommands(add_help_entries(_PODMAN, _CHANGES), flags="-v --version --help", bare=True),
        runs=_DOCKER_RUNS,
        input=(
            InputRule(commands="load import"),
            InputRule(commands="start", only="-i -a --interactive --attach"),
            InputRule(InputUse.ANSWERS, commands="login system volume image container plugin"),
        ),
        takes_data=True,
        attaches_with="-i --interactive -a --attach exec compose",
        losses=_CONTAINERS_LOSSES,
        same_as=(
            "podman rm = podman container rm",
            "podman rmi = podman image rm",
            "podman images = podman image ls = podman image list",
            "podman ps = podman container ls = podman container list = podman container ps",
            "podman compose = podman-compose",
            *(f"podman {verb} = podman container {verb}" for verb in _CONTAINER_VERBS),
        ),
        can_suggest_commands=True,
        code_files=COMPOSE_FILES,
        does="push: sends; pull login: connects; containers",
    ),
    Program(
        "nerdctl",
        reads_trees=TreeReads.CONTEXT,
        project_files=_IMAGE_FILES,
        scripts=(Script.IMAGE,),
        reads=ReadCommands(_CONTAINERS_READS, flags="-n= --namespace= -v --version", bare=True),
        runs=_DOCKER_RUNS,
        takes_data=True,
        attaches_with="-i --interactive -a --attach exec compose",
        losses=_CONTAINERS_LOSSES,
    ),
    Program(
        "docker-compose",
        reads=Reads(check="compose", trust=True),
        runs=_COMPOSE,
        takes_data=True,
        attaches_with="-i --interactive -a --attach exec compose",
        losses=_CONTAINERS_LOSSES,
        code_files=COMPOSE_FILES,
    ),
    Program(
        "kubectl",
        input=(_CLUSTER_SESSION,),
        reads=ReadCommands(
            add_help_entries(
                _KUBECTL_READS,
                "apply create delete edit exec cp run scale patch replace set label annotate expose port-forward proxy"
                " attach debug drain cordon uncordon taint autoscale certificate diff kustomize",
            ),
            flags=f"{_ANY} --help",
            bare=True,
        ),
        runs=_KUBECTL_RUNS,
        takes_data=True,
        losses=_KUBECTL_LOSSES,
        options={"": "n=namespace f=filename l=selector A=all-namespaces o=output k=kustomize"},
        can_suggest_commands=True,
        has_resources=True,
        does="services",
    ),
    Program(
        "oc",
        input=(_CLUSTER_SESSION, InputRule(commands="debug")),
        reads=ReadCommands(
            {
                **_KUBECTL_READS,
                "status": Reads(f"{_ANY} --suggest", NONE),
                "projects": Reads("-q --short", NONE),
                "project": Reads("-q --short", NONE),
                "whoami": Reads("--show-server --show-context --show-console -c", NONE),
            },
            flags=_ANY,
        ),
        runs=_KUBECTL_RUNS,
        takes_data=True,
        losses=_KUBECTL_LOSSES,
        has_resources=True,
        does="services",
    ),
    Program(
        "k3s",
        reads=ReadCommands(
            {"kubectl": ReadCommands(_KUBECTL_READS, flags=_ANY)}, flags="-v --version", bare=True
        ),
        runs=RunCommands({"kubectl": _KUBECTL_RUNS}),
        losses=Losses(
            (
                LossPattern("kubectl delete", Loss.DELETES, ">"),
                LossPattern("delete cluster|clusters", Loss.DELETES, "cluster"),
                LossPattern("cluster delete", Loss.DELETES, "cluster"),
                LossPattern("delete", Loss.DELETES, "cluster"),
            ),
            "-p --profile --name -n --kubeconfig",
            "-p --profile --name",
        ),
        options={"kubectl": "n=namespace f=filename l=selector A=all-namespaces o=output k=kustomize"},
    ),
    Program(
        "microk8s",
        reads=ReadCommands(
            {"kubectl": ReadCommands(_KUBECTL_READS, flags=_ANY), "status": Reads("--format= --short", NONE)}
        ),
        runs=RunCommands({"kubectl": _KUBECTL_RUNS}),
        losses=Losses(
            (
                LossPattern("kubectl delete", Loss.DELETES, ">"),
                LossPattern("delete cluster|clusters", Loss.DELETES, "cluster"),
                LossPattern("cluster delete", Loss.DELETES, "cluster"),
                LossPattern("delete", Loss.DELETES, "cluster"),
            ),
            "-p --profile --name -n --kubeconfig",
            "-p --profile --name",
        ),
        options={"kubectl": "n=namespace f=filename l=selector A=all-namespaces o=output k=kustomize"},
    ),
    Program(
        "helm",
        reads=ReadCommands(
            add_help_entries(_HELM_READS, "install upgrade uninstall rollback test pull push package create"),
            flags=f"{_HELM_ANY} --help",
            bare=True,
        ),
        text_options="--post-renderer=!",
        takes_data=True,
        losses=_HELM_LOSSES,
        options={"": "n=namespace f=values"},
        same_as=(
            "helm uninstall = helm delete = helm del = helm un",
            "helm list = helm ls",
        ),
        can_suggest_commands=True,
        does="services",
    ),
    Program(
        "kustomize", reads=ReadCommands({"version": Reads("--short -o= --output=", NONE)}), takes_data=True
    ),
    Program("kubectx kubens", reads=Reads("-c --current", NONE), dash_is_data="*"),
    Program(
        "minikube",
        reads=ReadCommands(
            {
                "status": Reads("-o= --output= -f= --format= -n= --node= -p= --profile= -l= --layout=", NONE),
                "ip": Reads("-n= --node= -p= --profile=", NONE),
                "version": Reads("--short -o= --output= --components", NONE),
                "profile": ReadCommands({"list": Reads("-o= --output= -l --light", NONE)}),
                "addons": ReadCommands({"list": Reads("-o= --output= -p= --profile= -d --docs", NONE)}),
                "node": ReadCommands({"list": Reads("-p= --profile=", NONE)}),
            },
            flags="-p= --profile=",
        ),
        runs=RunCommands(
            {"ssh": _MACHINE_SHELL, "kubectl": RUNS_AFTER_DASHES._replace(words_before=("kubectl",))},
            "-p= --profile=",
        ),
        losses=Losses(
            (
                LossPattern("kubectl delete", Loss.DELETES, ">"),
                LossPattern("delete cluster|clusters", Loss.DELETES, "cluster"),
                LossPattern("cluster delete", Loss.DELETES, "cluster"),
                LossPattern("delete", Loss.DELETES, "cluster"),
            ),
            "-p --profile --name -n --kubeconfig",
            "-p --profile --name",
        ),
    ),
    Program(
        "kind",
        reads=ReadCommands(
            {
                "get": ReadCommands(
                    {
                        "clusters": Reads("-q --quiet", NONE),
                        "nodes": Reads("--name= -A --all-clusters -q --quiet", NONE),
                    }
                ),
                "version": Reads("", NONE),
            },
            flags="--version",
            bare=True,
        ),
        losses=Losses(
            (
                LossPattern("kubectl delete", Loss.DELETES, ">"),
                LossPattern("delete cluster|clusters", Loss.DELETES, "cluster"),
                LossPattern("cluster delete", Loss.DELETES, "cluster"),
                LossPattern("delete", Loss.DELETES, "cluster"),
            ),
            "-p --profile --name -n --kubeconfig",
            "-p --profile --name",
        ),
    ),
    Program(
        "k3d",
        reads=ReadCommands(
            {
                "cluster": ReadCommands({"list": Reads("--no-headers -o= --output=", TEXT)}),
                "node": ReadCommands({"list": Reads("--no-headers -o= --output=", TEXT)}),
                "version": Reads("", NONE),
            },
            flags="--version",
            bare=True,
        ),
        losses=Losses(
            (
                LossPattern("kubectl delete", Loss.DELETES, ">"),
                LossPattern("delete cluster|clusters", Loss.DELETES, "cluster"),
                LossPattern("cluster delete", Loss.DELETES, "cluster"),
                LossPattern("delete", Loss.DELETES, "cluster"),
            ),
            "-p --profile --name -n --kubeconfig",
            "-p --profile --name",
        ),
    ),
    Program(
        "argocd",
        reads=ReadCommands(
            {
                "app": ReadCommands(
                    {
                        "list": Reads("-o= --output= -p= --project= -l= --selector=", NONE),
                        "get": Reads("-o= --output=", TEXT),
                        "history": Reads("-o= --output=", TEXT),
                    }
                ),
                "cluster": ReadCommands({"list": Reads("-o= --output=", NONE)}),
                "proj": ReadCommands({"list": Reads("-o= --output=", NONE)}),
            }
        ),
        losses=Losses((LossPattern("app|cluster|repo|proj delete|rm", Loss.DELETES, "<"),)),
        does="services",
    ),
    Program(
        "flux",
        reads=ReadCommands(
            {
                "get": ReadCommands(
                    dict.fromkeys(
                        ("all", "kustomizations", "ks", "helmreleases", "hr"),
                        Reads(
                            "-A --all-namespaces -n= --namespace= --context= --no-header -l= --label-selector=",
                            TEXT,
                        ),
                    )
                ),
                "version": Reads("--client -o= --output=", NONE),
            },
            flags="-v --version",
            bare=True,
        ),
        runs=RunCommands(
            dict.fromkeys(
                ("run", "submit", "alloc", "start"), Runs("-n= --ntasks= -N= --nodes= -c= --cores= -o=")
            )
        ),
        losses=Losses(
            (LossPattern("delete **", Loss.DELETES, ">"), LossPattern("uninstall", Loss.DESTROYS)),
            "-n --namespace",
        ),
        does="services",
    ),
    Program("finch", runs=_DOCKER_RUNS),
    Program("podman-compose", runs=_COMPOSE, losses=_CONTAINERS_LOSSES),
    Program("lxc incus", runs=_LXC),
    Program("lxc-attach distrobox-enter", runs=RUNS_AFTER_DASHES),
    Program(
        "multipass",
        runs=RunCommands(
            {
                "exec": Runs(
                    "-n --no-map-working-directory -d= --working-directory= -v",
                    operands=1,
                    options_after_operands=True,
                )
            }
        ),
    ),
    Program(
        "limactl",
        runs=RunCommands(
            {
                "shell": Runs(
                    "--workdir= --shell= --preserve-env --reconnect --tty?",
                    operands=1,
                    options_after_operands=True,
                    input=CodeInput.SHELL,
                )
            }
        ),
    ),
    Program("lima", runs=Runs(input=CodeInput.SHELL)),
    Program("colima", runs=RunCommands({"ssh": _MACHINE_SHELL}, "-p= --profile= -v --verbose")),
    Program(
        "toolbox",
        runs=RunCommands({"run": Runs("-c= --container= -d= --distro= -r= --release=")}, "-y --assumeyes -v"),
    ),
    Program("distrobox", runs=RunCommands({"enter": RUNS_AFTER_DASHES})),
    Program("flatpak-spawn", runs=Runs("-v --host --clear-env --watch-bus --sandbox --no-network")),
    Program("apptainer singularity", runs=_IMAGE),
    Program(
        "devcontainer", runs=RunCommands({"exec": Runs("--workspace-folder= --container-id= --config=")})
    ),
    Program(
        "udocker",
        runs=RunCommands({"run": Runs("-v= --volume= -e= --env= -w= -u= --user= --entrypoint=", 1)}),
    ),
    Program(
        "enroot",
        runs=RunCommands({"start": Runs("-c= --conf= -e= --env= -m= --mount= -r --root -w --rw", 1)}),
    ),
    Program(
        "ch-run",
        runs=Runs(
            "-b= --bind= -c= --cd= -d= --dir= -w --write -u= -g=", operands=1, options_after_operands=True
        ),
    ),
    Program("host-spawn", runs=Runs("-env= --env= -cwd= --cwd= -no-pty --no-pty -pty --pty")),
    Program(
        "buildah",
        reads_trees=TreeReads.CONTEXT,
        project_files=_IMAGE_FILES,
        scripts=(Script.IMAGE,),
        runs=RunCommands({"run": _IN_CONTAINER, "unshare": RUNS_COMMAND}),
    ),
    Program("runc crun crictl", runs=RunCommands({"exec": _IN_CONTAINER})),
    Program(
        "ctr",
        runs=RunCommands(
            dict.fromkeys(
                ("task", "tasks", "t"), RunCommands({"exec": Runs("--exec-id= -t --cwd=", operands=1)})
            )
        ),
        input=(InputRule(only="import"),),
    ),
    Program("docker-machine", runs=RunCommands({"ssh": Runs(operands=1, rest=RestOfWords.TEXT)})),
    Program(
        "nomad",
        runs=RunCommands(
            {
                "exec": Runs("-job -i? -t? -e= -task=", operands=1),
                "alloc": RunCommands({"exec": Runs("-job -i? -t? -e= -task=", operands=1)}),
            }
        ),
    ),
    Program(
        "eksctl kops",
        losses=Losses(
            (LossPattern("destroy|remove", Loss.DESTROYS), LossPattern("delete", Loss.DELETES, ">")),
            "--profile -p --context -f --name",
        ),
        does="services",
    ),
    Program("k kubecolor microk8s.kubectl", losses=_KUBECTL_LOSSES, does="services"),
    Program("helm3", losses=_HELM_LOSSES),
)
