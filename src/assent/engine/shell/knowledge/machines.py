"""Clients that run a command elsewhere: on a rented machine, in a cluster's queue, in a jail."""

from assent.engine.shell.knowledge.wrapper import Carrier, Input, Rest, Subcommands, Wrapper

_PLAIN = Wrapper()
_AFTER_DASHES = Wrapper(marker="--")
_FLAGS = Wrapper(rest=Rest.FLAGS)
_TEXT = Wrapper(rest=Rest.TEXT)
_OPERAND = Wrapper(operands=1, again=True)
_COMMAND = _FLAGS._replace(options="--command=!")
_ON_HOST = Wrapper(operands=1, again=True, rest=Rest.TEXT, input=Input.SHELL)

# ---- rented machines ----------------------------------------------------------------------------

_GCLOUD_SSH = Wrapper("--command=!", marker="--", rest=Rest.FLAGS, before=("ssh", "machine"))
_GCLOUD = {
    "compute": Subcommands(
        {"ssh": _GCLOUD_SSH, "tpus": Subcommands({"tpu-vm": Subcommands({"ssh": _GCLOUD_SSH})})}
    ),
    "cloud-shell": Subcommands({"ssh": _GCLOUD_SSH}),
}
_CODESPACE = Subcommands(
    {
        "ssh": Wrapper(
            "-c= --codespace= --config -d --debug --debug-file= --profile= -R= --repo= --repo-owner="
            " --server-port=",
            rest=Rest.TEXT,
            input=Input.SHELL,
        )
    }
)
_FLY = Subcommands(
    {
        "ssh": Subcommands({"console": _FLAGS._replace(options="-C=! --command=!")}),
        **dict.fromkeys(("machine", "machines", "m"), Subcommands({"exec": _ON_HOST})),
    }
)
_SSM = dict.fromkeys(("send-command", "start-session"), _FLAGS._replace(options="--parameters=@"))
_AZ_MACHINES = Subcommands(
    {
        "run-command": Subcommands(
            dict.fromkeys(("invoke", "create", "update"), _FLAGS._replace(options="--scripts=! --script=!"))
        )
    }
)
_ORB = Wrapper("-m= --machine= -u= --user= -w= --workdir= -s --shell -p --path", input=Input.SHELL)

_RENTED: dict[str, Carrier] = {
    "gcloud": Subcommands({**_GCLOUD, **dict.fromkeys(("alpha", "beta"), Subcommands({**_GCLOUD}))}),
    "aws": Subcommands(
        {"ecs": Subcommands({"execute-command": _COMMAND}), "ssm": Subcommands({**_SSM})},
        "--profile= --region= --output= --query= --endpoint-url= --no-cli-pager --debug --no-verify-ssl",
    ),
    "az": Subcommands(
        {
            "vm": _AZ_MACHINES,
            "vmss": _AZ_MACHINES,
            "aks": Subcommands(
                {"command": Subcommands({"invoke": _FLAGS._replace(options="-c=! --command=!")})}
            ),
            "container": Subcommands({"exec": _FLAGS._replace(options="--exec-command=!")}),
            "containerapp": Subcommands({"exec": _COMMAND}),
            "ssh": Subcommands({"vm": _AFTER_DASHES, "arc": _AFTER_DASHES}),
        }
    ),
    "gh": Subcommands(
        {
            "alias": Subcommands({"set": Wrapper("-s --shell --clobber", rest=Rest.SETTING)}),
            "codespace": _CODESPACE,
            "cs": _CODESPACE,
        }
    ),
    "heroku": Subcommands(
        {
            **dict.fromkeys(
                ("run", "run:detached", "run:inside"),
                Wrapper("-a= --app= -e= --env= -s= --size= --type= -r= --remote=", rest=Rest.TEXT),
            ),
            "ps:exec": Wrapper("-a= --app= -d= --dyno= -r= --remote= --ssh", rest=Rest.TEXT),
        }
    ),
    "fly": _FLY,
    "flyctl": _FLY,
    "railway": Subcommands(
        {
            "run": Wrapper("-s= --service= -e= --environment= -p= --project="),
            "ssh": Wrapper("-s= --service= -e= --environment= -p= --project= -d=", rest=Rest.TEXT),
        }
    ),
    "vercel": Subcommands({"env": Subcommands({"run": _AFTER_DASHES})}),
    "cf": Subcommands({"ssh": _FLAGS._replace(options="-c=! --command=!"), "run-task": _COMMAND}),
    "doctl": Subcommands({"compute": Subcommands({"ssh": _FLAGS._replace(options="--ssh-command=!")})}),
    "hcloud": Subcommands({"server": Subcommands({"ssh": _ON_HOST})}),
    "coder": Subcommands({"ssh": _ON_HOST}),
    "devpod": Subcommands({"ssh": _COMMAND}),
    "gitpod": Subcommands({"workspace": Subcommands({"ssh": _AFTER_DASHES})}),
    "boundary": Subcommands({"connect": Subcommands({"ssh": _AFTER_DASHES})}),
    "tailscale": Subcommands({"ssh": _ON_HOST}),
    "orb": Subcommands({"run": _ORB}, default=_ORB),
    "orbctl": Subcommands({"run": _ORB}),
    "VBoxManage": Subcommands({"guestcontrol": _AFTER_DASHES}),
}

# ---- queues of clusters -------------------------------------------------------------------------

_LAUNCHER = Wrapper("-n= -np= -N= -c= -H= --host= --hostfile=")

_QUEUES: dict[str, Carrier] = {
    **dict.fromkeys(("orterun", "prun", "prterun", "jsrun", "ibrun", "aprun", "mpiexec.hydra"), _LAUNCHER),
    "salloc": Wrapper(
        "-n= --ntasks= -N= --nodes= -p= --partition= -t= --time= -c= --cpus-per-task= -A= --account= -J="
    ),
    "sbatch": _FLAGS._replace(options="--wrap=!"),
    "qsub": Wrapper("-b= -cwd -V -N= -q= -l= -o= -e= -j= -pe=="),
    "bsub": Wrapper("-J= -q= -n= -W= -o= -e= -R= -M= -P= -I -Is -K", rest=Rest.TEXT),
    "oarsub": Wrapper("-l= -q= -t= -n= -I -S", rest=Rest.TEXTS),
    "condor_run": Wrapper("-u= -a=", rest=Rest.TEXT),
    "flux": Subcommands(
        dict.fromkeys(
            ("run", "submit", "alloc", "start"), Wrapper("-n= --ntasks= -N= --nodes= -c= --cores= -o=")
        )
    ),
}

# ---- jails, zones, other roots ------------------------------------------------------------------

_JAILS: dict[str, Carrier] = {
    **dict.fromkeys(
        ("schroot", "dchroot"),
        Wrapper(
            "-c= --chroot= -u= --user= -d= --directory= -s= --shell= -n= --session-name= -o= -p"
            " --preserve-environment -r --run-session -q --quiet -v --verbose",
            input=Input.SHELL,
            privilege=True,
        ),
    ),
    "arch-chroot": Wrapper("-N -r -S -u=", operands=1, input=Input.SHELL, privilege=True),
    "mock": Wrapper("--chroot=! --shell=! -r= --root= --enablerepo= --no-clean -q -v shell", rest=Rest.TEXTS),
    "jexec": Wrapper("-d= -l -u= -U= -n", operands=1, input=Input.SHELL),
    "iocage": Subcommands({"exec": _OPERAND}),
    "bastille": Subcommands({"cmd": _OPERAND}),
    "ezjail-admin": Subcommands({"console": _FLAGS._replace(options="-e=!")}),
    "zlogin": Wrapper("-C -E -S -n -Q -d -i -e= -l=", operands=1, rest=Rest.TEXT, input=Input.SHELL),
    "pfexec": Wrapper("-P=", privilege=True),
    "ppriv": _FLAGS._replace(options="-e*"),
    "udocker": Subcommands({"run": Wrapper("-v= --volume= -e= --env= -w= -u= --user= --entrypoint=", 1)}),
    "enroot": Subcommands({"start": Wrapper("-c= --conf= -e= --env= -m= --mount= -r --root -w --rw", 1)}),
    "ch-run": Wrapper("-b= --bind= -c= --cd= -d= --dir= -w --write -u= -g=", operands=1, again=True),
    "host-spawn": Wrapper("-env= --env= -cwd= --cwd= -no-pty --no-pty -pty --pty"),
    "openvt": Wrapper("-c= -f -e -l -s -u -v -w"),
}

MACHINES: dict[str, Carrier] = {**_RENTED, **_QUEUES, **_JAILS}
"""All of them, by name."""
