"""Programs about the network, downloads, other machines, and databases."""

from assent.engine.programs.code_files import ANSIBLE
from assent.engine.programs.losses import DELETES_IN_CLOUD, Loss, Losses, LossesBy, LossPattern
from assent.engine.programs.program import (
    HELP_FLAGS,
    NONE,
    SINGLE,
    TEXT,
    Damage,
    OtherOutput,
    Program,
    ReadCommands,
    Reads,
    SentFiles,
    TreeReads,
    Writes,
    WritesBy,
    WriteTarget,
)
from assent.engine.programs.runs import (
    INPUT_INSTRUCTIONS,
    INPUT_PROMPT,
    INPUT_SESSION,
    RUNS_AFTER_DASHES,
    RUNS_AFTER_OPERAND,
    RUNS_ON_HOST,
    RUNS_OPTIONS,
    RUNS_TEXTS,
    CodeInput,
    InputRule,
    InputUse,
    RestOfWords,
    RunCommands,
    Runs,
    Script,
)

# Not `s`, which for a link means to set.
_SHOWS = ("show", "list", "ls", "lst", "sh")
_IP = "-4 -6 -0 -s -stats -statistics -d -details -o -oneline -br -brief -j -json -p -pretty -c? -color? -h -human -iec -r -N -V"


def _ip_show_entries(*more: str) -> ReadCommands:
    """The read entries of the verbs with which `ip` only shows an object; other verbs change it."""
    return ReadCommands({name: Reads("", TEXT) for name in (*_SHOWS, *more)}, empty=True)


_X509 = (
    "-in=< -noout -text -subject -issuer -dates -startdate -enddate -fingerprint -sha1 -sha256 -serial -pubkey -ext="
    " -nameopt= -certopt= -inform= -purpose -checkend= -hash -email -ocsp_uri -modulus"
)
_SSH = Runs(
    "-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y -B= -b= -c= -D= -E= -e= -F= -I="
    " -i= -J= -L= -l= -m= -O= -o=@ -P= -p= -Q= -R= -S= -W= -w=",
    operands=1,
    options_after_operands=True,
    rest=RestOfWords.TEXT,
    input=CodeInput.SHELL,
)
_MOSH = Runs(
    "-4 -6 -a -n --client=! --server=! --predict= --family= -p= --port= --bind-server= --ssh=! --ssh-pty"
    " --no-ssh-pty --init --no-init --local --experimental-remote-ip=",
    operands=1,
    options_after_operands=True,
)
_COPY = "-S=! -o=@ -F=#"
_PIPE = "-e=! --exec=! -c=! --sh-exec=!"
_IN_NAMESPACE = Runs(operands=1, optional=True)
"""`ip -all netns exec` takes no name, because it goes through all of them."""
_LAUNCHER = Runs("-n= -np= -N= -c= -H= --host= --hostfile=")
_RSYNC_OPTIONS = (
    "-a --archive -A --acls -b --backup -c --checksum -C --cvs-exclude -d --dirs -D --devices --specials -E"
    " --executability -g --group -h --human-readable -H --hard-links -i --itemize-changes -I --ignore-times"
    " -J -k -K -l --links -L --copy-links -m --prune-empty-dirs -n --dry-run -o --owner -O -p --perms -P"
    " --partial --progress -q --quiet -r --recursive -R --relative -s -S --sparse -t --times -u --update -v"
    " --verbose -W --whole-file -x --one-file-system -X --xattrs -z --compress -y --fuzzy --delete"
    " --delete-before --delete-during --del --delete-delay --delete-after --delete-excluded --force"
    " --ignore-errors --ignore-existing --existing --inplace --append --append-verify --remove-source-files"
    " --numeric-ids --stats --size-only --safe-links --mkpath --no-perms --no-owner --no-group"
    " --delay-updates --partial-dir=> --backup-dir=> --log-file=> --write-batch=> --only-write-batch=> -T=>"
    " --temp-dir=> -e= --rsh= --rsync-path= --exclude= --include= --filter= -f= --files-from="
    " --exclude-from= --include-from= --bwlimit= --timeout= --chmod= --chown= --suffix= --max-size="
    " --min-size= --port= --info= --debug= --out-format= --compare-dest= --copy-dest= --link-dest="
    " --password-file= --log-file-format= -M= --remote-option= --usermap= --groupmap= -B= --block-size="
    " --modify-window= --iconv="
)
_RSYNC = "--del --delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded"


_PSQL = InputRule(
    options="-c=; --command=; -f=; --file=; -l; --list; -V; --version; -?; --help? -d= --dbname= -v= --set="
    " --variable= -o= --output= -L= --log-file= -F= --field-separator= -P= --pset= -R= --record-separator="
    " -T= --table-attr= -h= --host= -p= --port= -U= --username= -A -a -b -E -e -H -n -q -S -s -t -w -W -x -X"
    " -z -0 -1"
)
_MYSQL = InputRule(
    options="-e=; --execute=; -V; --version; -? --help; -u= --user= -h= --host= -P= --port= -D= --database="
    " -S= --socket= -p? --password? -A -B -b -C -E -f -G -H -i -L -N -n -o -q -r -s -t -T -U -v -w -X"
)
_SQLITE = InputRule(
    options="-separator= -newline= -nullvalue= -init= -cmd= -maxsize= -mmap= -pagecache= -lookaside= -vfs="
    " -version; -help; -A; --version; --help;",
    operands=2,
)
_SQL = InputRule(
    options="-e=; -q=; -c=; -f=; -i=; -Q=; --execute=; --query=; --command=; --file=; --version;"
)
_LDAP = InputRule(options="-f=; -h= -H= -D= -w= -p= -b= -s= -Y= -U= -R= -X= -y= -O= -o=")
_DATABASE = Losses(
    (LossPattern("", Loss.DELETES, "database"),), "-h --host -p --port -U --username --maintenance-db"
)

PROGRAMS = (
    Program(
        "curl",
        reads=Reads("--version -V --help", only=True),
        writes=Writes(
            "-o=> --output=> -D=> --dump-header=> -c=> --cookie-jar=> --trace=> --trace-ascii=> --stderr=>"
            " --etag-save=> --hsts=> --alt-svc=> --libcurl=> --output-dir= -O --remote-name --remote-name-all -J"
            " --remote-header-name -a --append -s --silent -S --show-error -f --fail --fail-with-body -L --location"
            " -k --insecure -v --verbose -i --include -I --head -g --globoff -G --get -N --no-buffer -q --disable -R"
            " --remote-time -n --netrc -j -Z --parallel -# --progress-bar -4 --ipv4 -6 --ipv6 -1 -2 -3 -0 --http1.0"
            " --http1.1 --http2 --http3 --compressed --create-dirs --no-progress-meter --retry-all-errors"
            " --retry-connrefused --ssl-reqd -X= --request= -H= --header= -d= --data= --data-raw= --data-binary="
            " --data-urlencode= --json= -F= --form= --form-string= -u= --user= -A= --user-agent= -e= --referer= -b="
            " --cookie= -m= --max-time= --connect-timeout= --retry= --retry-delay= --retry-max-time= -x= --proxy="
            " -U= --proxy-user= -w= --write-out= -T= --upload-file= -r= --range= -C= --continue-at= --cacert="
            " --capath= -E= --cert= --key= --resolve= --limit-rate= --max-filesize= --max-redirs= --url="
            " --interface= --unix-socket= -y= -Y= -z= --time-cond= --proto= --tlsv1.2 --tlsv1.3 --ciphers="
            " --dns-servers= --oauth2-bearer= -K=< --config=< --variable= --aws-sigv4= --keepalive-time="
            " --location-trusted",
            by=WritesBy.DOWNLOAD,
        ),
        takes_data=True,
        options={
            "": "X=request d=data H=header o=output O=remote-name F=form T=upload-file k=insecure L=location u=user s=silent S=show-error f=fail x=proxy K=config b=cookie A=user-agent I=head v=verbose"
        },
        downloads=True,
        losses_by=LossesBy.HTTP,
    ),
    Program(
        "wget",
        reads=Reads("--version -V --help", only=True),
        text_options="--use-askpass=!",
        writes=Writes(
            "-O=> --output-document=> -o=> --output-file=> -a=> --append-output=> --save-cookies=> --warc-file=>"
            " --hsts-file=> --rejected-log=> -P= --directory-prefix= -q --quiet -v --verbose -nv --no-verbose -c"
            " --continue -N --timestamping -nc --no-clobber -S --server-response --spider -b --background -r"
            " --recursive -k --convert-links -K -m --mirror -p --page-requisites -np --no-parent -H -L --relative -x"
            " --force-directories -nd --no-directories -nH -E --adjust-extension --content-disposition"
            " --no-check-certificate --show-progress --progress= -4 -6 --https-only -i= --input-file= -t= --tries="
            " -T= --timeout= -w= --wait= -U= --user-agent= --header= --user= --password= --post-data= --post-file="
            " --method= --body-data= --body-file= -l= --level= -A= --accept= -R= --reject= -D= --domains= -e="
            " --execute= --limit-rate= --load-cookies= --referer= --ca-certificate= --certificate= --private-key="
            " --random-wait --waitretry= --max-redirect= -Q= --quota= --cut-dirs= --compression= --no-cookies"
            " --no-cache --no-proxy --retry-connrefused",
            by=WritesBy.SAVED_DOWNLOAD,
        ),
        takes_data=True,
        options={"": "O=output-document P=directory-prefix q=quiet r=recursive c=continue i=input-file"},
        shortens_options=True,
        downloads=True,
        losses_by=LossesBy.HTTP,
    ),
    Program(
        "rsync",
        reads_trees=TreeReads.COPIED,
        reads=Reads("--version -V --help", only=True),
        text_options="-e=! --rsh=! --rsync-path=!",
        writes=Writes(_RSYNC_OPTIONS, WriteTarget.LAST, removing="--remove-source-files"),
        takes_data=True,
        losses=Losses((LossPattern("", Loss.REMOVES_FILES, flags=_RSYNC, unless="-n"),)),
        options={"": "a=archive v=verbose z=compress r=recursive n=dry-run e=rsh"},
        shortens_options=True,
        damage=Damage.SYNCHRONIZES,
        is_copier=True,
        sends=SentFiles.OPERANDS,
    ),
    Program(
        "ssh",
        reads=Reads("-V", only=True),
        runs=_SSH,
        text_options="-F=#",
        options={"": "o=o"},
        takes_hosts=True,
    ),
    Program("nginx", reads=Reads("-v -V", only=True), does="system"),
    Program("caddy", reads=Reads("version", only=True), does="system"),
    Program(
        "ansible",
        reads=Reads("--version", only=True, trust=True),
        runs=RUNS_OPTIONS._replace(options="-a=! --args=!"),
        is_module=True,
        code_files=ANSIBLE,
    ),
    Program(
        "hostname",
        reads=Reads(
            "-a -A -d -f -i -I -s -V -h --alias --all-fqdns --domain --fqdn --long --ip-address --all-ip-addresses --short"
            + HELP_FLAGS,
            NONE,
        ),
        does="system",
    ),
    Program(
        "hostnamectl",
        reads=ReadCommands(
            {"status": Reads("--json= --no-pager", NONE)},
            flags="--static --transient --pretty --json= --no-pager" + HELP_FLAGS,
            bare=True,
            empty=True,
        ),
    ),
    Program(
        "ip",
        reads=ReadCommands(
            {
                **{
                    name: _ip_show_entries()
                    for name in "a addr address l link n neigh neighbour neighbor ru rule maddr maddress".split()
                },
                **{name: _ip_show_entries("get") for name in "r ro route".split()},
                "netns": ReadCommands({"list": Reads("", NONE), "ls": Reads("", NONE)}, empty=True),
            },
            flags=_IP,
            bare=True,
        ),
        runs=RunCommands(
            {
                **dict.fromkeys(
                    ("netns", "netn"), RunCommands(dict.fromkeys(("exec", "e", "ex", "exe"), _IN_NAMESPACE))
                ),
                "vrf": RunCommands({"exec": RUNS_AFTER_OPERAND}),
            },
            "-n= -netns= -4 -6 -0 -a -all -s -d -j -p -br -brief -c -color -o -oneline",
        ),
        input=(InputRule(only="-b -batch -force"),),
        does="system",
    ),
    Program("ifconfig", reads=Reads("-a -s -v -l -m -L", SINGLE), does="system"),
    Program(
        "ss",
        reads=Reads(
            "-h -V -H -O -n -r -a -l -o -e -m -p -T -i -s -Z -z -b -4 -6 -0 -t -u -d -w -x -S -M -f= -A= -Q --help --version"
            " --no-header --oneline --numeric --resolve --all --listening --options --extended --memory --processes --threads"
            " --info --tos --cgroup --summary --context --contexts --bpf --ipv4 --ipv6 --packet --tcp --udp --dccp --raw --unix"
            " --sctp --tipc --vsock --xdp --mptcp --family= --query= --socket= --no-queues",
            TEXT,
            check="no host names",
        ),
    ),
    Program(
        "netstat",
        reads=Reads(
            "-r -g -i -M -s -v -W -n -e -o -p -l -a -t -u -U -w -x -4 -6 -b -L -m -N -A? -f= -I= --route --groups --interfaces"
            " --masquerade --statistics --verbose --wide --numeric --numeric-hosts --numeric-ports --numeric-users --protocol="
            " --extend --timers --program --programs --listening --all --tcp --udp --unix --raw --inet --inet6"
            + HELP_FLAGS,
            TEXT,
        ),
    ),
    Program(
        "arp", reads=Reads("-a -e -n -v -l -x -i= -V -h --verbose --numeric --device=" + HELP_FLAGS, NONE)
    ),
    Program("route", reads=Reads("-n -e -v -V -h -4 -6 --numeric --extend --verbose" + HELP_FLAGS, NONE)),
    Program(
        "openssl",
        reads=ReadCommands(
            {
                "version": Reads("-a -b -d -e -f -o -p -r -v", NONE),
                "x509": Reads(_X509, NONE),
                "req": Reads(
                    "-in=< -noout -text -subject -pubkey -verify -inform= -nameopt=", NONE, needs="-noout"
                ),
                "dgst": Reads("-md5 -sha1 -sha224 -sha256 -sha384 -sha512 -hex -binary -r"),
                "rand": Reads("-hex -base64", TEXT),
                **{name: Reads("-hex -binary -r") for name in "md5 sha1 sha224 sha256 sha384 sha512".split()},
            }
        ),
        input=(INPUT_PROMPT,),
        downloads=True,
        sends=SentFiles.INPUT_OPTION,
        does="files",
    ),
    Program("slogin", runs=_SSH, takes_hosts=True),
    Program("rsh", runs=_SSH, input=(INPUT_SESSION,)),
    Program("remsh dbclient", runs=_SSH),
    Program("autossh", runs=_SSH._replace(options=_SSH.options + " -M="), takes_hosts=True),
    Program("tsh", runs=RunCommands({"ssh": _SSH})),
    Program("mosh", runs=_MOSH, input=(INPUT_SESSION,), takes_hosts=True),
    Program("sshpass", runs=Runs("-p= -f= -d= -P= -e -v")),
    Program("clush", runs=Runs("-w= -g= -x= -X= -l= -t= -u= -f= -o=", rest=RestOfWords.TEXT)),
    Program("pdsh", runs=Runs("-w= -x= -R= -t= -u= -l= -f=", rest=RestOfWords.TEXT)),
    Program(
        "pssh",
        runs=Runs(
            "-h= --hosts= -H= --host= -l= --user= -p= --par= -o= --outdir= -e= --errdir= -t= --timeout= -O= -x=",
            rest=RestOfWords.TEXT,
        ),
    ),
    Program(
        "wsl",
        runs=Runs(
            "-d= --distribution= -u= --user= --cd= -e --exec --shell-type= --system", input=CodeInput.SHELL
        ),
    ),
    Program("salt salt-ssh", runs=Runs(operands=2, rest=RestOfWords.TEXT)),
    Program(
        "adb",
        runs=RunCommands(
            {
                "shell": Runs("-e= -n -T -t -tt -x", rest=RestOfWords.TEXT, input=CodeInput.SHELL),
                "exec-out": Runs(rest=RestOfWords.TEXT),
            },
            "-a -d -e -s= -t= -H= -P= -L=",
        ),
    ),
    Program("mpirun", runs=Runs("-n= -np= -c= -H= --host= --hostfile= -x= -bind-to= -map-by=")),
    Program("mpiexec", runs=Runs("-n= -np= -H= -hosts= -f=")),
    Program(
        "srun",
        runs=Runs(
            "-n= --ntasks= -N= --nodes= -p= --partition= -t= --time= -c= --cpus-per-task= -A= -J= -w= -o= -e="
        ),
    ),
    Program("ssh-agent", runs=Runs("-a= -E= -O= -P= -t= -c -D -d -k -s"), does="system"),
    Program("tailscale", runs=RunCommands({"ssh": RUNS_ON_HOST})),
    Program("orterun prun prterun jsrun ibrun aprun mpiexec.hydra", runs=_LAUNCHER),
    Program(
        "salloc",
        runs=Runs(
            "-n= --ntasks= -N= --nodes= -p= --partition= -t= --time= -c= --cpus-per-task= -A= --account= -J="
        ),
    ),
    Program("sbatch", runs=RUNS_OPTIONS._replace(options="--wrap=!")),
    Program("qsub", runs=Runs("-b= -cwd -V -N= -q= -l= -o= -e= -j= -pe==")),
    Program("bsub", runs=Runs("-J= -q= -n= -W= -o= -e= -R= -M= -P= -I -Is -K", rest=RestOfWords.TEXT)),
    Program("oarsub", runs=Runs("-l= -q= -t= -n= -I -S", rest=RestOfWords.TEXTS)),
    Program("condor_run", runs=Runs("-u= -a=", rest=RestOfWords.TEXT)),
    Program("et", runs=RUNS_OPTIONS._replace(options="-c=! --command=!")),
    Program("sshuttle", runs=RUNS_OPTIONS._replace(options="-e=! --ssh-cmd=!")),
    Program("salt-call", runs=Runs(operands=1, rest=RestOfWords.TEXT)),
    Program("knife", runs=RunCommands({"ssh": Runs(operands=1, rest=RestOfWords.TEXT)})),
    Program("bolt", runs=RunCommands({"command": RunCommands({"run": RUNS_TEXTS})})),
    Program("check_by_ssh", runs=RUNS_OPTIONS._replace(options="-C=! --command=!")),
    Program(
        "yt-dlp youtube-dl", text_options="--exec=! --exec-before-download=! --downloader=! --netrc-cmd=!"
    ),
    Program(
        "aria2c",
        text_options="--on-download-complete=! --on-download-start=! --on-download-error=! --on-bt-download-complete=!",
        downloads=True,
    ),
    Program("fetchmail", text_options="-m=! --mda=! --preconnect=! --postconnect=! --plugin=! --plugout=!"),
    Program("pppd", text_options="connect=! disconnect=! init=! pty=!"),
    Program("iptables ip6tables", text_options="--modprobe=!", does="system"),
    Program("dhclient", text_options="-sf=!"),
    Program(
        "certbot",
        text_options="--pre-hook=! --post-hook=! --deploy-hook=! --renew-hook=! --manual-auth-hook=! --manual-cleanup-hook=!",
    ),
    Program("dnsmasq", text_options="--conf-script=! --dhcp-script=!"),
    Program(
        "scp",
        reads_trees=TreeReads.COPIED,
        text_options=_COPY,
        writes=Writes(
            "-3 -4 -6 -A -B -C -O -p -q -R -r -s -T -v -c= -D= -F= -i= -J= -l= -o= -P= -S= -X=",
            WriteTarget.LAST,
        ),
        takes_data=True,
        sends=SentFiles.OPERANDS,
    ),
    Program(
        "sftp",
        text_options=_COPY,
        input=(InputRule(options="-b=; -i= -F= -o= -P= -c= -D= -J= -l= -R= -S= -s= -B= -X="),),
        scripts=(Script.CLIENT,),
        sends=SentFiles.OPERANDS,
    ),
    Program("sshfs ssh-copy-id w3m", text_options="-o=@"),
    Program(
        "ssh-keygen",
        input=(InputRule(InputUse.ANSWERS, options="-l; -F; -y; -H;"),),
        text_options="-D=!",
        writes=Writes(
            "-t= -b= -C= -N= -f=> -q -y -p -P= -l -v -e -i -R= -F= -H -a= -m= -Z= -E= -O= -K",
            WriteTarget.NONE,
        ),
        does="files",
    ),
    Program("tcpdump", text_options="-z=!"),
    Program("nc", text_options=_PIPE, input=(INPUT_SESSION,), same_as=("nc = ncat = netcat",), may_run=True),
    Program("ncat netcat", text_options=_PIPE, input=(INPUT_SESSION,), may_run=True),
    Program("openvpn", text_options="--up=! --down=! --route-up=!"),
    Program("lynx", text_options="-editor=!"),
    Program(
        "socat",
        text_options="",
        text_words=("EXEC:", "SYSTEM:", "exec:", "system:"),
        input=(INPUT_SESSION,),
        may_run=True,
        image="#address",
        output=OtherOutput.ADDRESS,
    ),
    Program("telnet", never_suggest=True, input=(INPUT_SESSION,), scripts=(Script.CLIENT,), may_run=True),
    Program("nsupdate", input=(InputRule(options="-k= -y= -t= -u= -r= -p=", operands=1),)),
    Program(
        """s_client tnftp tftp smbclient plink cu minicom picocom tip rlogin websocat wscat iptables-restore ip6tables-restore""",
        input=(INPUT_SESSION,),
    ),
    Program("ftp ncftp psftp", input=(INPUT_SESSION,), scripts=(Script.CLIENT,)),
    Program(
        "lftp",
        input=(INPUT_SESSION,),
        scripts=(
            Script.CLIENT,
            Script.WORD_COMMANDS,
        ),
    ),
    Program("ipset nft wpa_cli bluetoothctl iwctl nmcli vtysh birdc", input=(INPUT_PROMPT,), does="system"),
    Program("tc", input=(InputRule(only="-b -batch"),)),
    Program("ssh-add", input=(InputRule(only="-"),), takes_hosts=True, does="system"),
    Program("http https xh", takes_data=True, losses_by=LossesBy.HTTP, sends=SentFiles.EVERY_WORD),
    Program("age uudecode wget2", downloads=True),
    Program("httpie hurl xhs", losses_by=LossesBy.HTTP),
    Program("croc", sends=SentFiles.EVERY_WORD),
    # ---- databases, queues and their clients ----
    Program(
        "psql",
        reads=Reads("--version -V --help", only=True),
        text_options="-c=% --command=%",
        input=(_PSQL,),
        scripts=(
            Script.CLIENT,
            Script.PROGRAM_CLAUSE,
        ),
        output=OtherOutput.DATABASE,
        losses_by=LossesBy.SQL,
        does="database",
    ),
    Program("pg_dump pg_config", reads=Reads("--version -V --help", only=True)),
    Program(
        "mysql",
        reads=Reads("--version -V --help", only=True),
        text_options="-e=% --execute=% --pager=!",
        input=(_MYSQL,),
        same_as=("mysql = mariadb",),
        scripts=(Script.CLIENT,),
        losses_by=LossesBy.SQL,
        does="database",
    ),
    Program(
        "redis-cli",
        reads=Reads("--version", only=True),
        never_suggest=True,
        input=(
            InputRule(
                options="-h= -p= -a= -u= -n= -r= -i= --user= --pass= -s= -c --version; --help;", operands=1
            ),
            InputRule(InputUse.OPERANDS, only="-x -X --pipe --eval"),
        ),
        losses_by=LossesBy.REDIS,
        does="database",
    ),
    Program("redis-server", reads=Reads("--version", only=True)),
    Program(
        "mongosh",
        reads=Reads("--version", only=True),
        never_suggest=True,
        input=(InputRule(options="--eval=; -f=; --file=; --version;", operands=2),),
        scripts=(Script.CALLS,),
        losses_by=LossesBy.MONGO,
        does="database",
    ),
    Program(
        "sqlite3",
        reads=Reads("-version --version", only=True),
        text_options="-cmd=%",
        text_words=(".shell ", ".system ", ".once |", ".output |"),
        input=(_SQLITE,),
        scripts=(Script.CLIENT,),
        output=OtherOutput.DATABASE,
        losses_by=LossesBy.SQL,
        does="database",
    ),
    Program(
        "etcdctl",
        runs=RunCommands(
            {"watch": RUNS_AFTER_DASHES, "lock": RUNS_AFTER_OPERAND, "elect": RUNS_AFTER_DASHES}
        ),
        input=(InputRule(commands="txn watch"), InputRule(InputUse.OPERANDS, commands="put", operands=3)),
        losses=Losses((LossPattern("del", Loss.DELETES, "key"),), "--endpoints"),
        does="database",
    ),
    Program(
        "duckdb",
        text_options="-c=% -cmd=% -s=%",
        input=(_SQLITE._replace(options=_SQLITE.options + " -c=; -s=; -f=;"),),
        scripts=(Script.CLIENT,),
        output=OtherOutput.DATABASE,
        losses_by=LossesBy.SQL,
        does="database",
    ),
    Program(
        "usql",
        text_options="-c=% --command=%",
        input=(_SQL,),
        scripts=(
            Script.CLIENT,
            Script.PROGRAM_CLAUSE,
        ),
        output=OtherOutput.DATABASE,
        losses_by=LossesBy.SQL,
    ),
    Program(
        "mariadb",
        text_options="-e=% --execute=% --pager=!",
        input=(_MYSQL,),
        scripts=(Script.CLIENT,),
        losses_by=LossesBy.SQL,
        does="database",
    ),
    Program(
        "mongo",
        never_suggest=True,
        input=(InputRule(options="--eval=; -f=; --file=; --version;", operands=2),),
        losses_by=LossesBy.MONGO,
        does="database",
    ),
    Program("pgcli", input=(_PSQL,), losses_by=LossesBy.SQL, does="database"),
    Program("mycli", input=(_MYSQL,), losses_by=LossesBy.SQL, does="database"),
    Program("mysqlsh", input=(_MYSQL,)),
    Program(
        "sqlite",
        input=(_SQLITE,),
        scripts=(Script.CLIENT,),
        output=OtherOutput.DATABASE,
        losses_by=LossesBy.SQL,
        does="database",
    ),
    Program("litecli", input=(_SQLITE,), losses_by=LossesBy.SQL, does="database"),
    Program("sqlcipher", input=(_SQLITE,), does="database"),
    Program(
        """sqlcmd snowsql cqlsh hive beeline impala-shell trino presto isql clickhouse-client clickhouse sqlplus cockroach""",
        input=(_SQL,),
        losses_by=LossesBy.SQL,
        does="database",
    ),
    Program(
        """spark-sql cypher-shell vsql clickhouse-local clickhouse-benchmark db2 exp imp tsql osql bteq nzsql edgedb gel surreal dolt influx monetdb mclient risingwave timescaledb""",
        input=(_SQL,),
    ),
    Program(
        "valkey-cli keydb-cli",
        input=(
            InputRule(
                options="-h= -p= -a= -u= -n= -r= -i= --user= --pass= -s= -c --version; --help;", operands=1
            ),
            InputRule(InputUse.OPERANDS, only="-x -X --pipe --eval"),
        ),
        losses_by=LossesBy.REDIS,
    ),
    Program(
        "iredis",
        input=(
            InputRule(
                options="-h= -p= -a= -u= -n= -r= -i= --user= --pass= -s= -c --version; --help;", operands=1
            ),
            InputRule(InputUse.OPERANDS, only="-x -X --pipe --eval"),
        ),
    ),
    Program(
        "bq",
        input=(InputRule(commands="query mk load insert shell", operands=2), InputRule(commands="shell")),
        losses=DELETES_IN_CLOUD,
        losses_by=LossesBy.SQL,
    ),
    Program("ldapmodify ldapadd ldapdelete ldapmodrdn ldapsearch", input=(_LDAP,)),
    Program("zkCli.sh kafka-console-producer", input=(INPUT_INSTRUCTIONS,)),
    Program("kcat", input=(InputRule(only="-P"),)),
    Program(
        "supabase",
        losses=Losses(
            (LossPattern("db reset", Loss.EMPTIES, "database"), LossPattern("** delete", Loss.DELETES, "<"))
        ),
        losses_by=LossesBy.SQL,
    ),
    Program(
        "flyway liquibase",
        losses=Losses((LossPattern("clean|dropAll|drop-all", Loss.DELETES_ALL, "tables"),)),
        does="database",
    ),
    Program(
        "knex typeorm sequelize sequelize-cli",
        losses=Losses(
            (
                LossPattern("schema:drop|db:drop|db:migrate:undo:all", Loss.DELETES, "database"),
                LossPattern("migrate:rollback", Loss.DELETES_ALL, "tables", flags="--all"),
            ),
            "--env --config --options-path --knexfile",
        ),
        does="database",
    ),
    Program("dropdb", losses=_DATABASE, does="database"),
    Program(
        "dropuser",
        losses=Losses((LossPattern("", Loss.DELETES, "user"),), "-h --host -p --port -U --username"),
    ),
    Program(
        "mysqladmin mariadb-admin",
        losses=Losses((LossPattern("drop", Loss.DELETES, "database"),), "-u --user -h --host -P --port"),
        does="database",
    ),
    Program(
        "rabbitmqctl",
        losses=Losses(
            (
                LossPattern("delete_*", Loss.DELETES, "queue"),
                LossPattern("purge_queue", Loss.EMPTIES, "queue"),
                LossPattern("reset|force_reset", Loss.DESTROYS),
            )
        ),
    ),
    Program(
        "kafka-topics kafka-topics.sh",
        losses=Losses((LossPattern("", Loss.DELETES, "topic", flags="--delete"),), "", "--topic"),
    ),
    Program("mssql-cli spanner-cli", losses_by=LossesBy.SQL),
)
