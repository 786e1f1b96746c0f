"""The topic of each program, and the names that rules need. Written by `./dev programs`."""

from collections.abc import Mapping

NAMES: Mapping[str, str] = {
    "builds": """
    actionlint addr2line ansible-playbook ant ar as asdf autoconf automake bazel bazelisk bear bmake buck
    buck2 bundle c++ c++filt cabal cargo cc ccache chruby-exec clang clang++ cmake composer configure cpack
    cpan cpanm cpp ctest dart distcc dotnet esy fab flutter g++ gcc gccgo gdc gem gfortran ghc gmake gnat go
    go-task goenv gofmt gradle gradlew hadolint hugo icecc intercept-build jar javac jenv just kotlinc ld
    ldd lefthook lein libtool luaenv luarocks make mask meson mise mix msbuild mvn mvnw nim ninja nm nodenv
    nuget objdump opam otool pants phpenv pkg-config plenv pod pre-commit proto protoc rails rake ranlib
    rbenv readelf rebar3 remake rtx rustc rustdoc rustfmt rustup rvm sbt scan-build sccache scons shellcheck
    shfmt size spring stack strip swiftc task tcc xcrun yamllint zig
    """,
    "cloud": """
    VBoxManage aliyun assume aws aws-okta aws-vault az bao berglas borg boundary cdk cdktf cf chamber coder
    consul copilot devbox devenv devpod direnv doctl doppler dotenvx eb envchain envconsul firebase flox fly
    flyctl gcloud gitpod gopass gsutil hcloud heroku ibmcloud infisical kamal linode-cli mc netlify oci op
    openstack opentofu orb orbctl pass phase platform pulumi railway rclone restic s3cmd s4cmd sam saml2aws
    scw secretspec serverless sls sops sst summon teller terraform terragrunt tofu upsun vagrant varlock
    vault vercel virsh wrangler
    """,
    "containers": """
    apptainer argocd buildah ch-run colima crictl crun ctr devcontainer distrobox distrobox-enter docker
    docker-compose docker-machine eksctl enroot finch flatpak-spawn flux helm helm3 host-spawn incus k k3d
    k3s kind kops kubecolor kubectl kubectx kubens kustomize lima limactl lxc lxc-attach microk8s
    microk8s.kubectl minikube multipass nerdctl nomad oc podman podman-compose runc singularity toolbox
    udocker
    """,
    "files": """
    7z 7za 7zz ack ag b2sum basename bfs brotli bsdtar bunzip2 bzcat bzip2 cat chattr chezmoi chflags chgrp
    chmod chown cksum cmp colordiff comm compress cp cpio csplit del df diff diff3 dir dirname ditto
    dos2unix du duf dust env_parallel exa eza fallocate fd fdfind file find findmnt fuser gargs gcat gcp
    gcpio getcap getfacl getfattr gfind ghead ginstall gln gls gmv greadlink grealpath grm gsplit gstat
    gtail gtar gtee gunzip gwc gxargs gzcat gzip hd head hexdump hexyl install link lipo ln ls lsattr lsblk
    lsd lsof lz4 lz4cat lzcat lzma md5 md5sum mdls mkdir mkfifo mknod mktemp mountpoint mv namei od parallel
    pathchk pax pbzip2 pigz plutil pt pv rd readlink realpath rename rga rip rm rmdir rush sdiff sem setfacl
    setfattr sha1sum sha224sum sha256sum sha384sum sha512sum shasum split sponge srm stat strings sum sync
    tac tail tar touch trash trash-put tree truncate uncompress unix2dos unlink unlzma unrar unxz unzip
    unzstd vdir vidir wc wdiff xargs xattr xxd xz xzcat zcat zip zipinfo zstd zstdcat
    """,
    "git": """
    bfg delta difft filterdiff gh git git-filter-repo gita glab hg hub meta mr p4 repo svn svnadmin
    svnversion tig
    """,
    "javascript": """
    ava babel-node bun bunx changeset chokidar claude coffee concurrently corepack cross-env cross-env-shell
    d8 del-cli deno dotenv dotenv-cli env-cmd esbuild eslint esno fnm forever gjs husky jest jsr lerna mocha
    n node nodejs nodemon npm npx nvm nx onchange ovsx pm2 pnpm pnpx prettier prisma qjs rimraf rollup
    rush-pnpm semantic-release start-server-and-test ts-node tsc tsx turbo vite vitest volta vsce webpack
    yarn yarnpkg zx
    """,
    "languages": """
    R Rscript artisan bb clisp clj clojure crystal csi drush elixir erl escript ghci groovy guile hhvm iex
    irb java jruby jrunscript jshell julia kotlin littler lua luajit mlr moon ocaml octave osascript perl
    php pry psysh racket raku rbash ruby runghc runhaskell sbcl scala scheme slsh swift tclsh texlua wish wp
    """,
    "network": """
    adb age ansible aprun aria2c arp autossh beeline birdc bluetoothctl bolt bq bsub bteq caddy certbot
    check_by_ssh clickhouse clickhouse-benchmark clickhouse-client clickhouse-local clush cockroach
    condor_run cqlsh croc cu curl cypher-shell db2 dbclient dhclient dnsmasq dolt dropdb dropuser duckdb
    edgedb et etcdctl exp fetchmail flyway ftp gel hive hostname hostnamectl http httpie https hurl ibrun
    ifconfig imp impala-shell influx ip ip6tables ip6tables-restore ipset iptables iptables-restore iredis
    isql iwctl jsrun kafka-console-producer kafka-topics kafka-topics.sh kcat keydb-cli knex knife ldapadd
    ldapdelete ldapmodify ldapmodrdn ldapsearch lftp liquibase litecli lynx mariadb mariadb-admin mclient
    minicom monetdb mongo mongosh mosh mpiexec mpiexec.hydra mpirun mssql-cli mycli mysql mysqladmin mysqlsh
    nc ncat ncftp netcat netstat nft nginx nmcli nsupdate nzsql oarsub openssl openvpn orterun osql pdsh
    pg_config pg_dump pgcli picocom plink pppd presto prterun prun psftp psql pssh qsub rabbitmqctl
    redis-cli redis-server remsh risingwave rlogin route rsh rsync s_client salloc salt salt-call salt-ssh
    sbatch scp sequelize sequelize-cli sftp slogin smbclient snowsql socat spanner-cli spark-sql sqlcipher
    sqlcmd sqlite sqlite3 sqlplus srun ss ssh ssh-add ssh-agent ssh-copy-id ssh-keygen sshfs sshpass
    sshuttle supabase surreal tailscale tc tcpdump telnet tftp timescaledb tip tnftp trino tsh tsql typeorm
    usql uudecode valkey-cli vsql vtysh w3m websocat wget wget2 wpa_cli wscat wsl xh xhs youtube-dl yt-dlp
    zkCli.sh
    """,
    "python": """
    accelerate alembic anaconda bandit black bpython build celery conda coverage flake8 flask flit gunicorn
    hatch invoke ipdb ipython isort jupyter jython mamba manage.py micromamba micropython mypy nox pdb pdm
    pip pip-audit pip3 pipdeptree pipenv pipx pixi poetry pre_commit ptpython ptw py py-spy pyenv pylint
    pypy pyright pytest python python2 python3 python3.10 python3.11 python3.12 python3.13 python3.14
    python3.9 pythonw ruff rye torchrun tox twine uv uvicorn uvx venv virtualenv watchmedo
    """,
    "shell": """
    (( . : [ [[ alias and ash bash begin bg bind break builtin caller cd cmd command compgen complete
    continue coproc csh dash declare dirs disown echo elvish enable eval exec exit export false fc fg fish
    getopts hash help history hush jobs kill ksh ksh93 let local logout mapfile mksh nocorrect noglob not nu
    oksh or osh pdksh popd posh powershell printenv printf pushd pwd pwsh pwsh-preview read readarray
    readonly repeat return rksh rzsh sched set sh shift shopt sleep source start suspend tcsh test times
    trap true tty type typeset ulimit umask unalias unset wait whereis which xonsh yash zf_chmod zf_chown
    zf_ln zf_mkdir zf_mv zf_rm zf_rmdir zsh
    """,
    "system": """
    agetty apk apt apt-cache apt-config apt-file apt-get apt-mark aptitude arch at badblocks balena batch
    blkdiscard bmaptool brew btop btrfs cal camcontrol cfdisk chcon checkinstall chgpasswd chpasswd crontab
    cryptsetup date dc3dd dcfldd dd dd_rescue ddrescue debconf-communicate debconf-set-selections debugfs
    deltree deluser diskutil dmesg dmsetup dnf dpkg dpkg-deb dpkg-query dpkg-reconfigure erase etcher fdisk
    flatpak format free fsarchiver gdate gdd gdisk getconf getent gio gpart groups growpart guix halt hdparm
    htop htpasswd id iostat ipmitool journalctl kadmin kadmin.local killall kinit last launchctl ldconfig
    locale logger loginctl logname lp lpr lsb_release lscpu lshw lsmem lsmod lspci lsusb lvm lvreduce
    lvremove mdadm microdnf mkdosfs mke2fs mkfs mkntfs mkswap mock mount mpstat ncal ncdu newfs newusers nix
    nix-channel nix-env nix-shell nproc ntfsclone nvidia-smi nvme nwipe pacman partclone.apfs
    partclone.btrfs partclone.dd partclone.exfat partclone.ext2 partclone.ext3 partclone.ext4
    partclone.extfs partclone.f2fs partclone.fat partclone.hfsp partclone.hfsplus partclone.ntfs
    partclone.restore partclone.vfat partclone.xfs parted partimage partx passwd pgrep pidof pkg pkgx pkill
    plymouth pmap poweroff ps pstree pvcreate pvremove pwdx qemu-img reboot restorecon rpi-imager rpm
    rpmbuild rpmdb rpmquery rpmspec rpmverify sar scrub sensors service sfdisk sg_dd sg_format sg_sanitize
    sg_write_buffer sgdisk shred shutdown smbpasswd snap spack start-stop-daemon stty sw_vers swapon sysctl
    systemctl systemd-cat systemd-inhibit systemd-nspawn systemd-run tdnf timedatectl top tput uname
    update-alternatives uptime useradd userdel users uuidgen vgremove vm_stat vmstat w wall who whoami wipe
    wipefs write xcode-select xcodebuild xfs_db yum zfs zpool zypper
    """,
    "text": """
    apropos awk base32 base64 basenc bat batcat cloc col colrm column csvcut csvlook csvstat cut diffstat
    egrep envsubst expand expr factor fgrep fmt fold gawk gcut ggrep goawk gojq gpatch grep gron gsed gsort
    gtr guniq iconv join jq less look man mawk more most nawk nl numfmt original-awk paste patch pr rev rg
    scc sed seq shuf sort ssed tee tokei tomlq tr tsort unexpand uniq whatis wl-copy xmllint yes yq zegrep
    zfgrep zgrep
    """,
    "tools": """
    Mail assent assent-hook bc cgdb clip clip.exe code convert coqtop cscript ctags dafny dc dot ed emacs
    emacsclient enscript espeak ex expect ffmpeg ffprobe fzf gedit ghostscript gnuplot gp gpg gpg-agent gpg2
    gprolog gs gvim helix hx identify jdb jed joe kak kate latex latexmk lf lualatex luatex m4 magick mail
    mailx mate mathematica matlab maxima micro mshta msmtp mutt nail nano neomutt notify-send nvim
    octave-cli open pandoc pbcopy pdflatex pdftex peco pexec pico r2 radare2 ranger red rizin rundll32
    s-nail sage say sendmail sk starship subl swipl tex vi view vifm vim vimdiff weechat wolframscript
    wscript xclip xdg-open xelatex xetex xsel zoxide
    """,
    "wrappers": """
    aa-exec abduco air alacritty annotate-output aoss apply arch-chroot asciinema aterm austin bashcov
    bastille beesu bench box64 box86 bpftrace busybox bwrap byobu caffeinate capsh catatonit catchsegv
    cgexec choom chpst chronic chroot chrt compute-sanitizer contour cool-retro-term coresched cpulimit
    cronic cuda-memcheck cygstart daemon daemonize dbus-launch dbus-run-session dchroot deepin-terminal
    detach dlv doas dockerize dtach dtrace dtruss dumb-init dvtm dzdo eatmydata entr env envdir envuidgid
    eterm execlineb ezjail-admin fakechroot fakeroot fakeroot-ng faketime fghack firejail flamegraph flock
    foot footclient foreman forfiles gdb gdbserver genie genv ghostty gksu gksudo gnice gnohup
    gnome-terminal gosu gotty gow grc gstdbuf gsudo gtime gtimeout guake gum heaptrack hivemind honcho
    hyperfine hyprctl i3-msg i386 ifne io.elementary.terminal iocage ionice jexec kcov kdesu kdesudo
    keep-one-running kgx kitty konsole ksu ktrace lckdo ld.so leaks likwid-perfctr linux32 linux64 lldb
    lockf logsave ltrace lxsu lxterm lxterminal machinectl mate-terminal minijail0 mintty mispipe mlterm
    mono mprocs multitime ncu newgrp nice nocache nohup nq nsenter nsjail nsys numactl openvt operf overmind
    pee perf pfexec pgrphack pidstat pkexec please poop ppriv prlimit proot proxychains proxychains4 pseudo
    psexec ptyxis qemu-aarch64 qemu-arm qemu-i386 qemu-riscv64 qemu-x86_64 qterminal reflex retry rio rlfe
    rlwrap rocprof rootlesskit roxterm rr run-one run-parts run-this-one run0 runas runcon runuser rxvt
    s6-envdir s6-setsid s6-setuidgid s6-softlimit sakura samply sandbox-exec schedtool schroot schtasks
    screen script scrot setarch setlock setpriv setsid setuidgid sg softlimit solo st stap startx stdbuf
    strace su su-exec sudo sudo-rs super swaymsg systemd-socket-activate taskpolicy taskset tcpserver tcpsvd
    terminator terminology tilda tilix time timelimit timeout tini tmux torify torsocks toybox trace-cmd
    trickle truss ts tsocks tsp ttyd ttyrec uclampset udpsvd uftrace uname26 unbuffer unshare urxvt urxvtc
    uxterm valgrind vtune wait-for-it wait-for-it.sh watch watchexec watchman-make websocketd wezterm wgo
    when-changed wine winpty with-contenv with-lock-ex x-terminal-emulator x86_64 xdg-su xdg-terminal-exec
    xdotool xfce4-terminal xinit xterm xvfb-run zellij zlogin zrun
    """,
}

SAME = """
gem install = gem i
gem uninstall = gem remove
cargo build = cargo b
cargo check = cargo c
cargo run = cargo r
cargo test = cargo t
cargo doc = cargo d
cargo remove = cargo rm
composer require = composer req = composer r
composer install = composer i
composer update = composer u = composer upgrade
composer remove = composer rm = composer uninstall
bundle = bundler
bundle install = bundle i = bundler install
bundle exec = bundle e = bundler exec
dotnet restore = dotnet r
go fmt = gofmt
ansible-playbook = ansible playbook
terraform = tofu
terraform destroy = terraform apply -destroy = tofu destroy
pulumi destroy = pulumi down
pulumi up = pulumi update
gcloud compute = gcloud beta compute = gcloud alpha compute
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
docker run = docker container run
docker exec = docker container exec
docker start = docker container start
docker stop = docker container stop
docker restart = docker container restart
docker kill = docker container kill
docker logs = docker container logs
docker cp = docker container cp
docker create = docker container create
docker commit = docker container commit
docker diff = docker container diff
docker export = docker container export
docker attach = docker container attach
docker pause = docker container pause
docker unpause = docker container unpause
docker port = docker container port
docker rename = docker container rename
docker stats = docker container stats
docker top = docker container top
docker update = docker container update
docker wait = docker container wait
docker inspect = docker container inspect
podman rm = podman container rm
podman rmi = podman image rm
podman images = podman image ls = podman image list
podman ps = podman container ls = podman container list = podman container ps
podman compose = podman-compose
podman run = podman container run
podman exec = podman container exec
podman start = podman container start
podman stop = podman container stop
podman restart = podman container restart
podman kill = podman container kill
podman logs = podman container logs
podman cp = podman container cp
podman create = podman container create
podman commit = podman container commit
podman diff = podman container diff
podman export = podman container export
podman attach = podman container attach
podman pause = podman container pause
podman unpause = podman container unpause
podman port = podman container port
podman rename = podman container rename
podman stats = podman container stats
podman top = podman container top
podman update = podman container update
podman wait = podman container wait
podman inspect = podman container inspect
helm uninstall = helm delete = helm del = helm un
helm list = helm ls
tar = gtar = bsdtar
rm = grm
chmod 777 = chmod 0777 = chmod a+rwx = chmod ugo+rwx = chmod a=rwx
git add = git stage
git blame = git annotate
git remote remove = git remote rm
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
bun add = bun a
bun install = bun i
bun remove = bun rm
bun x = bunx
yarn = yarnpkg
yarn test = yarn run test
yarn upgrade = yarn up
pnpm install = pnpm i
pnpm remove = pnpm rm = pnpm uninstall = pnpm un = pnpm uni
pnpm update = pnpm up = pnpm upgrade
pnpm run = pnpm run-script
pnpm test = pnpm t = pnpm tst = pnpm run test
pnpm list = pnpm ls = pnpm la = pnpm ll
pnpm dlx = pnpx
nodejs = node
nc = ncat = netcat
mysql = mariadb
conda = mamba = micromamba
conda env remove = mamba env remove
conda remove = conda uninstall = mamba remove = mamba uninstall
poetry remove = poetry rm
pytest = py.test
reboot = systemctl reboot
poweroff = systemctl poweroff
halt = systemctl halt
brew uninstall = brew remove = brew rm
brew list = brew ls
brew install = brew cask install
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
snap remove = snap uninstall
sed = gsed
awk = gawk = mawk = nawk
vim = vi
gpg = gpg2
"""
"""Commands that are called by several names."""

MODULES = """
    alembic ansible assent bandit black build celery coverage flake8 flask gunicorn isort jupyter mypy nox
    pdm pip pip-audit pipx poetry pre_commit pylint pytest ruff tox twine uvicorn venv virtualenv
"""
"""Programs that Python runs as modules, too."""

VERSIONED = """
    pip pypy python
"""
"""Programs that are called by their name and a version, too."""
