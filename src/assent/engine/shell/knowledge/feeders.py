"""Which programs take instructions, operands or answers from their standard input, and when they do.

Shells, interpreters and wrappers are not listed again: their own tables say when they read a program from
their input. A program that stands in no table at all is `UNKNOWN`, which a rule treats like instructions.
"""

from typing import NamedTuple

from assent.engine.lines.input_names import Takes


class Feeder(NamedTuple):
    """When a program takes its input for more than data."""

    takes: Takes = Takes.INSTRUCTIONS
    options: str = ""
    """Its options; one marked `;` gives it what it needs, so that it leaves its input alone."""
    operands: int = 0
    """With as many operands it leaves its input alone; 0 when operands do not matter."""
    commands: str = ""
    """The sub-commands that read the input; empty when there are none, or all do."""
    only: str = ""
    """Words of which one must be there; empty when none is needed."""


_ANY = Feeder()
_OPERANDS = Feeder(Takes.OPERANDS)
_ANSWERS = Feeder(Takes.ANSWERS)
_PSQL = Feeder(
    options="-c=; --command=; -f=; --file=; -l; --list; -V; --version; -?; --help? -d= --dbname= -v= --set="
    " --variable= -o= --output= -L= --log-file= -F= --field-separator= -P= --pset= -R= --record-separator="
    " -T= --table-attr= -h= --host= -p= --port= -U= --username= -A -a -b -E -e -H -n -q -S -s -t -w -W -x -X"
    " -z -0 -1"
)
_MYSQL = Feeder(
    options="-e=; --execute=; -V; --version; -? --help; -u= --user= -h= --host= -P= --port= -D= --database="
    " -S= --socket= -p? --password? -A -B -b -C -E -f -G -H -i -L -N -n -o -q -r -s -t -T -U -v -w -X"
)
_SQLITE = Feeder(
    options="-separator= -newline= -nullvalue= -init= -cmd= -maxsize= -mmap= -pagecache= -lookaside= -vfs="
    " -version; -help; -A; --version; --help;",
    operands=2,
)
_SQL = Feeder(options="-e=; -q=; -c=; -f=; -i=; -Q=; --execute=; --query=; --command=; --file=; --version;")
_LDAP = Feeder(options="-f=; -h= -H= -D= -w= -p= -b= -s= -Y= -U= -R= -X= -y= -O= -o=")
_SESSION = Feeder(options="--version; --help;")
_PROMPT = Feeder(options="--version; --help;", operands=1)
_SED = Feeder(options="-i?; --in-place?; --version; --help;", operands=2)
_PATCH = Feeder(options="-i=; --input=; -p= -d= -o= -r= -D= -F= -B= -Y= -z= --version; --help;", operands=2)
_PACKAGES = Feeder(
    Takes.ANSWERS,
    options="-y; --yes; --assume-yes; -s; --simulate; --dry-run; --assumeyes; --noconfirm;",
    commands="install remove purge autoremove upgrade dist-upgrade full-upgrade erase reinstall downgrade",
)
_INFRASTRUCTURE = Feeder(
    Takes.ANSWERS,
    options="-auto-approve; --auto-approve; -y; --yes; -chdir= -var= -var-file= -target= -s= --stack= -C= --cwd=",
    commands="apply destroy up refresh import taint untaint state workspace init cancel down",
)

FEEDERS: dict[str, tuple[Feeder, ...]] = {
    # ---- databases and their clients --------------------------------------------------------------
    **dict.fromkeys(("psql", "pgcli"), (_PSQL,)),
    **dict.fromkeys(("mysql", "mariadb", "mycli", "mysqlsh"), (_MYSQL,)),
    **dict.fromkeys(("sqlite3", "sqlite", "litecli", "sqlcipher"), (_SQLITE,)),
    "duckdb": (_SQLITE._replace(options=_SQLITE.options + " -c=; -s=; -f=;"),),
    **dict.fromkeys(
        """usql sqlcmd snowsql cqlsh hive beeline spark-sql impala-shell trino presto cypher-shell isql vsql
        clickhouse-client clickhouse-local clickhouse clickhouse-benchmark db2 sqlplus exp imp tsql osql
        bteq nzsql edgedb gel surreal cockroach dolt influx monetdb mclient risingwave timescaledb""".split(),
        (_SQL,),
    ),
    **dict.fromkeys(("mongo", "mongosh"), (Feeder(options="--eval=; -f=; --file=; --version;", operands=2),)),
    **dict.fromkeys(("redis-cli", "valkey-cli", "keydb-cli", "iredis"), (
        Feeder(options="-h= -p= -a= -u= -n= -r= -i= --user= --pass= -s= -c --version; --help;", operands=1),
        Feeder(Takes.OPERANDS, only="-x -X --pipe --eval"),
    )),
    "bq": (Feeder(commands="query mk load insert shell", operands=2), Feeder(commands="shell")),
    **dict.fromkeys("ldapmodify ldapadd ldapdelete ldapmodrdn ldapsearch".split(), (_LDAP,)),
    "nsupdate": (Feeder(options="-k= -y= -t= -u= -r= -p=", operands=1),),
    "etcdctl": (Feeder(commands="txn watch"), Feeder(Takes.OPERANDS, commands="put", operands=3)),
    "zkCli.sh": (_ANY,),
    "kafka-console-producer": (_ANY,),
    "kcat": (Feeder(only="-P"),),
    # ---- remote shells and raw connections --------------------------------------------------------
    **dict.fromkeys(
        "telnet nc ncat netcat socat s_client ftp tnftp ncftp lftp tftp smbclient psftp plink cu"
        " minicom picocom tip rlogin rsh websocat wscat".split(),
        (_SESSION,),
    ),
    "sftp": (Feeder(options="-b=; -i= -F= -o= -P= -c= -D= -J= -l= -R= -S= -s= -B= -X="),),
    # ---- editors, debuggers, calculators ----------------------------------------------------------
    **dict.fromkeys(
        "gdb lldb dlv jdb cgdb rr radare2 r2 ed red ex vi vim nvim view gvim kak emacs emacsclient pdb ipdb"
        " bc gp maxima sage octave-cli matlab mathematica wolframscript swipl gprolog coqtop dafny".split(),
        (_SESSION,),
    ),
    **dict.fromkeys(("sed", "gsed", "ssed"), (_SED,)),
    **dict.fromkeys("awk gawk mawk nawk goawk".split(), (Feeder(options="-F= -v= --version; --help;", operands=2),)),
    **dict.fromkeys(
        ("python", "pypy", "pythonw"),
        (Feeder(only="-i pdb code asyncio IPython bpython ptpython ipdb idlelib.idle sqlite3 -mpdb -mcode"),),
    ),
    **dict.fromkeys(("node", "nodejs", "lua", "luajit", "julia", "racket", "ghci"), (
        Feeder(only="-i --interactive inspect --inspect-brk"),
    )),
    "perl": (Feeder(only="-d -de0 -de1"),),
    "php": (Feeder(only="-a --interactive -R -F"),),
    **dict.fromkeys(("deno", "bun"), (Feeder(commands="repl"),)),
    # ---- names of things to work on ---------------------------------------------------------------
    **dict.fromkeys(("xargs", "gxargs"), (Feeder(Takes.OPERANDS, options="-a=; --arg-file=; --version; --help;"),)),
    **dict.fromkeys(
        "parallel sem env_parallel rush gargs pexec entr".split(),
        (Feeder(Takes.OPERANDS, options="-a=; --arg-file=; --version; --help;"),),
    ),
    **dict.fromkeys(("cpio", "gcpio", "pax"), (_OPERANDS,)),
    "fzf": (_OPERANDS,),
    "sk": (_OPERANDS,),
    "zip": (Feeder(Takes.OPERANDS, only="-@ -"),),
    "pv": (Feeder(Takes.DATA),),
    "vidir": (_OPERANDS,),
    "sendmail": (_OPERANDS,),
    "msmtp": (_OPERANDS,),
    **dict.fromkeys("mail mailx Mail nail s-nail mutt neomutt".split(), (_ANY,)),
    # ---- patches and repositories -----------------------------------------------------------------
    **dict.fromkeys(("patch", "gpatch"), (_PATCH,)),
    "git": (
        Feeder(commands="apply am", options="--continue; --abort; --skip; --quit; --show-current-patch;", operands=1),
        Feeder(commands="fast-import mktree unpack-objects index-pack credential receive-pack shell update-index"),
        Feeder(Takes.ANSWERS, commands="add checkout reset stash restore commit clean send-email",
               only="-p --patch -i --interactive"),
    ),
    "hg": (Feeder(commands="import patch", operands=1),),
    "p4": (Feeder(only="-x -i"),),
    "svnadmin": (Feeder(commands="load"),),
    "filterdiff": (Feeder(Takes.DATA),),
    # ---- accounts, disks, networks ----------------------------------------------------------------
    **dict.fromkeys(
        """chpasswd chgpasswd newusers kadmin kadmin.local dpkg-reconfigure
        debconf-set-selections debconf-communicate fdisk sfdisk cfdisk gdisk sgdisk parted debugfs xfs_db
        iptables-restore ip6tables-restore""".split(),
        (_SESSION,),
    ),
    **dict.fromkeys(
        "ipset nft wpa_cli bluetoothctl iwctl nmcli virsh lvm ipmitool vtysh birdc openssl".split(),
        (_PROMPT,),
    ),
    **dict.fromkeys(("passwd", "smbpasswd", "htpasswd", "kinit", "cryptsetup", "mdadm"), (_ANSWERS,)),
    "ip": (Feeder(only="-b -batch -force"),),
    "tc": (Feeder(only="-b -batch"),),
    "dpkg": (Feeder(only="--set-selections --update-avail --merge-avail"),),
    "gpg": (Feeder(only="--import --gen-key --generate-key --edit-key --command-fd --fast-import --batch"),),
    "gpg2": (Feeder(only="--import --gen-key --generate-key --edit-key --command-fd --fast-import --batch"),),
    "ssh-add": (Feeder(only="-"),),
    # ---- clusters, images, infrastructure ---------------------------------------------------------
    "docker": (Feeder(commands="load import"), Feeder(Takes.ANSWERS, commands="login system volume image container")),
    "podman": (Feeder(commands="load import"), Feeder(Takes.ANSWERS, commands="login system volume image container")),
    "ctr": (Feeder(only="import"),),
    "terraform": (Feeder(commands="console"), _INFRASTRUCTURE),
    "tofu": (Feeder(commands="console"), _INFRASTRUCTURE),
    "terragrunt": (_INFRASTRUCTURE,),
    "pulumi": (_INFRASTRUCTURE,),
    "vault": (Feeder(only="-"),),
    "gh": (Feeder(Takes.ANSWERS, commands="repo release secret ssh-key gpg-key extension alias auth variable"),),
    "tmux": (Feeder(only="-C -CC source-file load-buffer"), Feeder(operands=1)),
    "screen": (_ANY,),
    "zellij": (_ANY,),
    "gnuplot": (Feeder(options="-e=;", operands=1),),
    **dict.fromkeys("tex latex pdftex pdflatex xetex xelatex luatex lualatex".split(), (Feeder(operands=1),)),
    **dict.fromkeys(("gs", "ghostscript"), (_SESSION,)),
    **dict.fromkeys("apt apt-get dnf yum microdnf zypper pacman apk aptitude pkg".split(), (_PACKAGES,)),
    "yes": (Feeder(Takes.DATA),),
}
"""For each program the ways in which it reads its input; the first one that fits its words counts."""

DATA: frozenset[str] = frozenset(
    """read mapfile readarray cd pushd popd dirs export set unset shift exit return break continue : true
    false wait jobs trap type hash ulimit umask let local declare typeset readonly getopts printf echo test
    [ [[ (( exec kill bg fg disown shopt alias unalias times logout suspend history caller command builtin
    coproc eval time not and or begin noglob nocorrect
    tee sponge dd cat pbcopy xclip xsel wl-copy clip clip.exe logger wall write lp lpr espeak say
    rm mv cp ln mkdir rmdir touch chmod chown chgrp truncate shred install sleep sync
    curl wget http https xh rsync scp aws az gcloud gsutil kubectl helm oc kustomize
    npm npx pnpm yarn bun deno cargo go dotnet mvn gradle pip pip3 pipx uv poetry gem bundle
    jest vitest mocha pytest tox nox ruff black mypy pyright eslint prettier tsc vite webpack rollup esbuild
    gcc g++ cc c++ clang clang++ rustc javac ld as ar ranlib strip make gmake cmake ninja meson
    docker docker-compose podman nerdctl systemctl service journalctl launchctl reboot shutdown
    notify-send osascript ffmpeg convert magick pandoc gzip gunzip bzip2 xz zstd base64 tar unzip
    """.split()
)
"""Programs that take their input for data, unless one of their words says that it is more."""

ATTACHING: dict[str, str] = dict.fromkeys(
    ("docker", "podman", "nerdctl", "docker-compose"), "-i --interactive -a --attach exec compose"
)
"""Programs that hand their input on only with one of these words."""

DASH_IS_DATA = (
    "git commit", "git tag", "git notes", "git hash-object", "git stripspace", "git interpret-trailers",
    "git checkout", "git switch", "git merge", "git rebase", "git cherry-pick", "git revert", "git stash",
    "gh pr", "gh issue", "gh release", "gh gist", "gh discussion", "glab mr", "glab issue",
    "cd", "pushd", "kubectx", "kubens", "tee", "cat", "sponge", "dd",
)  # fmt: skip
"""Commands for which a word like `-` stands for a text to keep, or for something that is no input."""
