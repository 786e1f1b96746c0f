"""Package managers and build tools: commands that only read, and commands that never run without asking."""

import pytest

from tests.engine.programs.lines import files_read_by, find_line_reads, split_lines

READS = split_lines(r"""
    # JavaScript
    npm --version
    npm -v
    npm ls
    npm ls --depth=0
    npm ls --depth 0
    npm list -g --depth=0
    npm -g ls
    npm ls --json --all
    npm ls lodash
    npm ls --prod --parseable
    npm ls -w packages/a
    npm la
    npm view react
    npm view react version
    npm view react versions --json
    npm view react@latest dependencies
    npm view @types/node version
    npm info express dist-tags.latest
    npm show typescript time
    npm why lodash
    npm explain lodash --json
    npm outdated
    npm outdated --json
    npm outdated -g
    npm audit
    npm audit --json --omit=dev
    npm audit --audit-level=high
    npm run
    npm run-script
    npm root
    npm root -g
    npm prefix
    npm config get registry
    npm config list
    npm config ls -l
    npm pkg get scripts
    npm pkg get name version
    npm query ':root > *'
    npm fund
    npm search left pad
    npm s left
    npm org ls acme
    npm owner ls react
    npm dist-tag ls react
    npm whoami
    npm version
    npm version --json
    pnpm --version
    pnpm -v
    pnpm ls
    pnpm list --depth=0
    pnpm list --depth -1 -r --json
    pnpm -r list
    pnpm --filter web list
    pnpm why react
    pnpm why react --json
    pnpm outdated
    pnpm outdated -r
    pnpm view react version
    pnpm audit --prod
    pnpm root -g
    pnpm bin
    pnpm config get registry
    pnpm store path
    pnpm run
    yarn --version
    yarn -v
    yarn why lodash
    yarn why lodash --json
    yarn info react
    yarn config get registry
    yarn workspaces list --json
    yarn bin
    bun --version
    bun -v
    bun pm ls
    bun pm ls --all
    bun pm bin
    fnm list
    fnm current
    volta list
    # Python
    pip --version
    pip -V
    pip list
    pip list --outdated
    pip list -o --format=json
    pip list --format columns
    pip list --user
    pip --disable-pip-version-check list
    pip3 list
    pip show requests
    pip show -f requests
    pip freeze
    pip freeze --all
    pip freeze -r requirements.txt
    pip check
    pip config list
    pip config debug
    pip index versions requests
    pip cache dir
    pip cache list
    pip inspect
    pip hash dist/a.whl
    pip debug --verbose
    pip help install
    pipx list
    pipx list --short
    pipdeptree
    pipdeptree -p requests -r
    uv --version
    uv pip list
    uv pip list --outdated --format=json
    uv pip show requests
    uv pip freeze
    uv pip tree
    uv pip check
    uv tree --frozen
    uv tree --frozen --depth 1
    uv export --frozen --no-hashes
    uv python list
    uv python list --only-installed
    uv python find 3.12
    uv python find cpython@3.13
    uv python find pypy3.10
    uv python list '>=3.11,<3.14' --output-format json
    uv tool list
    uv cache dir
    uv version
    uv version --short
    uv self version
    poetry --version
    poetry show
    poetry show --tree
    poetry show requests
    poetry show -o
    poetry show --only main
    poetry version
    poetry version -s
    poetry env info
    poetry env info --path
    poetry env list
    poetry check
    poetry config --list
    poetry about
    pipenv --version
    pipenv --venv
    pipenv graph
    pipenv graph --json
    conda --version
    conda list
    conda list -n base
    conda list --export
    conda env list
    conda info
    conda info --envs
    conda config --show
    conda config --show channels
    conda search numpy
    mamba list
    pyenv versions
    pyenv version
    pyenv which python
    pyenv install --list
    pyenv install -l
    pyenv local
    pyenv global
    pyenv root
    # Rust, Go
    cargo --version
    cargo -V
    cargo --list
    cargo version
    cargo tree --locked
    cargo tree -i serde --locked
    cargo tree --frozen --invert serde --depth 2
    cargo tree --locked -e features -d
    cargo tree --locked -p mycrate --prefix none --target all
    cargo metadata --locked
    cargo metadata --format-version=1 --frozen
    cargo tree --locked
    cargo metadata --format-version 1 --no-deps
    cargo pkgid
    cargo search serde
    cargo search serde --limit 5
    cargo info serde
    cargo locate-project
    cargo read-manifest
    cargo package --list
    cargo install --list
    cargo owner -l serde
    cargo verify-project
    rustup --version
    rustup show
    rustup show active-toolchain
    rustup toolchain list
    rustup target list --installed
    rustup component list
    rustup which cargo
    rustup check
    rustc --version
    rustc -V
    rustc -vV
    rustfmt --check src/main.rs
    go version
    go version -m ./bin/app
    go env
    go env GOPATH GOROOT
    go env -json
    go list ./...
    go list -m all
    go list -m -u all
    go list -m golang.org/x/text
    go list -json ./...
    go list -f '{{.ImportPath}}' ./...
    go list -deps -test ./...
    go list -mod=readonly -m all
    go doc fmt
    go doc -all net/http
    go doc fmt.Println
    go mod graph
    go mod why golang.org/x/text
    go mod why -m golang.org/x/text
    go mod verify
    go mod edit -json
    go help build
    go tool
    go tool cover -func=cover.out
    go tool dist list
    gofmt -l .
    gofmt -d main.go
    gofmt -l -s cmd
    # Ruby, PHP, Java, .NET, build tools
    gem list
    gem list rails
    gem list --local -d
    gem search ^rails$ -r
    gem --version
    gem -v
    gem env
    gem environment gemdir
    gem which json
    gem contents rake
    gem dependency rails -v 7.0
    gem outdated
    gem info rake
    gem sources -l
    bundle --version
    bundle -v
    bundle config
    bundle config list
    composer --version
    composer show --no-plugins
    composer show --no-plugins --no-ansi laravel/framework
    composer outdated --direct --no-plugins
    composer why-not --no-plugins php 8.3
    composer validate --no-plugins --strict
    dotnet --version
    dotnet --info
    dotnet --list-sdks
    dotnet --list-runtimes
    dotnet sln list
    dotnet nuget list source
    dotnet tool list -g
    pkg-config --modversion openssl
    pkg-config --cflags --libs gtk+-3.0
    pkg-config --list-all
    just --list
    just -l
    just --summary
    rbenv versions
    rbenv version
    rbenv install -l
    nodenv versions
    asdf list
    asdf list all python
    asdf current
    asdf plugin list
    asdf which node
    mise ls
    mise current
    mise which node
    # packages of the operating system
    brew list
    brew list --versions
    brew list --cask
    brew ls wget
    brew info wget
    brew info --json=v2 wget
    brew search post
    brew outdated
    brew deps --tree wget
    brew uses --installed openssl@3
    brew leaves
    brew config
    brew doctor
    brew tap
    brew services list
    brew services
    brew desc wget
    brew cat wget
    brew --version
    brew --prefix
    apt list
    apt list --installed
    apt list --upgradable
    apt list -a curl
    apt show curl
    apt show curl -a
    apt search nginx
    apt search --names-only nginx
    apt policy curl
    apt depends curl
    apt rdepends --installed curl
    apt --version
    apt-cache search nginx
    apt-cache show curl
    apt-cache policy
    apt-cache policy curl
    apt-cache madison curl
    apt-cache depends curl
    apt-cache pkgnames
    apt-mark showhold
    apt-mark showmanual
    apt-config dump
    apt-file search bin/ls
    dpkg -l
    dpkg -l 'lib*'
    dpkg --list curl
    dpkg -L curl
    dpkg -s curl
    dpkg -S /bin/ls
    dpkg --get-selections
    dpkg --print-architecture
    dpkg --compare-versions 1 lt 2
    dpkg --version
    dpkg-query -W
    dpkg-query -W -f '${Package} ${Version}\n' curl
    dpkg-query -l
    dpkg-query --show --showformat='${Version}' curl
    dpkg-deb -c a.deb
    dpkg-deb --info a.deb
    update-alternatives --list java
    update-alternatives --display editor
    rpm -qa
    rpm -q curl
    rpm -qi curl
    rpm -ql curl
    rpm -qf /bin/ls
    rpm -q --changelog curl
    rpm -qa --last
    rpm -qa --qf '%{NAME}\n'
    rpm -q --whatprovides /bin/sh
    dnf list
    dnf list installed
    dnf list --installed
    dnf info curl
    dnf search nginx
    dnf provides /bin/ls
    dnf repolist
    dnf repoquery -l curl
    dnf check-update
    dnf history
    dnf history info 3
    dnf -q list
    yum list installed
    pacman -Q
    pacman -Qi curl
    pacman -Ql curl
    pacman -Qo /usr/bin/ls
    pacman -Qdt
    pacman -Qm
    pacman -Ss nginx
    pacman -Si curl
    pacman -Sl core
    zypper search nginx
    zypper lr -u
    apk info
    apk info -L curl
    apk info -vv
    apk list --installed
    apk search nginx
    apk policy curl
    snap list
    snap info core
    snap find editor
    snap refresh --list
    flatpak list
    flatpak list --app --columns=application
    flatpak remotes -d
    nix --version
    nix profile list
    nix-channel --list
    nix-env -q
    xcode-select -p
    xcodebuild -version
""")

NEVER = split_lines(r"""
    # installs, builds, publishes, runs
    npm
    npm install
    npm i lodash
    npm ci
    npm add x
    npm update
    npm uninstall x
    npm rm x
    npm run build
    npm run build -- --x
    npm run-script test
    npm run --script-shell=./x
    npm test
    npm t
    npm start
    npm exec x
    npm x y
    npm init
    npm create vite
    npm publish
    npm publish --dry-run
    npm pack
    npm pack --dry-run
    npm link
    npm rebuild
    npm prune
    npm dedupe
    npm audit fix
    npm audit --fix
    npm audit signatures
    npm version patch
    npm version 1.2.3
    npm pkg set a=b
    npm pkg fix
    npm config set a b
    npm config edit
    npm config delete a
    npm set a b
    npm cache clean --force
    npm cache verify
    npm login
    npm token list
    npm owner add x y
    npm dist-tag add x y
    npm deprecate x y
    npm unpublish x
    npm help install
    npm docs react
    npm bugs react
    npm repo react
    npm home react
    npm fund react
    npm edit x
    npm explore x -- ls
    npm shrinkwrap
    npm doctor
    npm ls --prefix /tmp/x
    npm ls --userconfig=./x
    npm ls --node-options=--require=./x
    npm ls --cache ./x
    npm view x --registry=http://evil.example
    npm --prefix /tmp/x ls
    npm view git+ssh://evil.example/x
    npm view https://evil.example/x.tgz
    npm view evil/repository
    npm view ./x
    npm view x@github:evil/x
    npm view x@npm:y
    npm view $X
    npm config get //evil.example/:_authToken
    npm config get _auth
    npm RUN
    npm ls $*
    pnpm
    pnpm install
    pnpm i
    pnpm add x
    pnpm build
    pnpm run build
    pnpm exec x
    pnpm dlx x
    pnpm test
    pnpm audit --fix
    pnpm store prune
    pnpm config set a b
    pnpm licenses list
    pnpm -C /tmp/x ls
    pnpm --dir /tmp/x ls
    pnpm -r exec ls
    pnpm --filter x build
    pnpm --filter $* ls
    yarn
    yarn install
    yarn --json
    yarn add x
    yarn build
    yarn run
    yarn run build
    yarn test
    yarn dlx x
    yarn exec x
    yarn node x
    yarn list
    yarn outdated
    yarn audit
    yarn npm info x
    yarn global add x
    yarn global list
    yarn config set a b
    yarn config list
    yarn upgrade
    yarn cache clean
    yarn cache dir
    yarn workspaces foreach run x
    yarn workspace a why b
    yarn --cwd /tmp/x why y
    yarn why
    yarn set version latest
    bun
    bun install
    bun add x
    bun run x
    bun x y
    bun index.ts
    bun test
    bun outdated
    bun why x
    bun pm cache rm
    bun pm trust x
    bun pm version patch
    bun pm pack
    npx cowsay
    npx --version cowsay
    npx -y x
    tsc
    tsc --noEmit
    tsc --version --outFile x
    eslint .
    eslint --fix .
    eslint --version .
    prettier --check .
    prettier --write .
    fnm use 20
    volta install node
    # Python
    pip
    pip install x
    pip install --dry-run x
    pip uninstall x
    pip download x
    pip wheel x
    pip config set a b
    pip config edit
    pip config unset a
    pip config get global.index-url
    pip config --editor=./x list
    pip cache purge
    pip cache remove x
    pip list -i http://evil.example
    pip list --index-url=http://evil.example
    pip list --extra-index-url http://evil.example -o
    pip list -f ./links
    pip list --log x
    pip list --python ./x
    pip --python ./x list
    pip --proxy http://evil.example list -o
    pip --cache-dir=x list
    pip --log=x list
    pip list --outd
    pip freeze -r http://evil.example/x
    pip show $*
    pipx run x
    pipx install x
    pipdeptree --python ./x
    uv
    uv sync
    uv lock
    uv run x
    uv add x
    uv tree
    uv tree --locked
    uv export
    uv export --frozen -o x
    uv pip install x
    uv pip sync x
    uv pip compile x
    uv pip list --python ./x
    uv pip list --index-url http://evil.example
    uv pip list --directory /tmp/x
    uv venv
    uv build
    uv tool run x
    uv tool install x
    uv python install
    uv python find ./evil
    uv python find evil
    uv python list ./evil
    uv python find /tmp/x/bin/python
    uv python find $X
    uv python list --python-downloads-json-url http://evil.example
    uv cache clean
    uv version 1.2.3
    uv version --bump patch
    uv self update
    uvx ruff
    poetry install
    poetry add x
    poetry lock
    poetry run x
    poetry shell
    poetry build
    poetry version patch
    poetry version 1.2.3
    poetry config a b
    poetry config a
    poetry config --unset a
    poetry env use 3.12
    poetry env remove x
    poetry -C /tmp/x show
    poetry self add x
    poetry source add x y
    pipenv
    pipenv install
    pipenv run x
    pipenv shell
    pipenv lock
    pipenv --rm
    pipenv --python 3.12
    conda install x
    conda create -n x
    conda env create
    conda env remove -n x
    conda env export -f x.yml
    conda update x
    conda remove x
    conda clean -a
    conda run x
    conda activate x
    conda config
    conda config --add channels x
    conda config --set a b
    conda config --show --add channels x
    conda search -c http://evil.example x
    conda search http://evil.example::x
    conda info --unsafe-channels
    pyenv install 3.12
    pyenv install
    pyenv install -l -f
    pyenv local 3.12
    pyenv global 3.12
    pyenv local --unset
    pyenv exec x
    pyenv uninstall 3.12
    pyenv rehash
    pyenv init
    pytest
    pytest --collect-only
    tox -l
    black .
    black --check .
    ruff check .
    ruff --version check
    mypy .
    # Rust, Go
    cargo
    cargo build
    cargo tree -d
    cargo tree -i serde
    cargo metadata
    cargo metadata --format-version=1
    cargo tree --offline
    cargo check
    cargo run
    cargo test
    cargo test --no-run
    cargo clippy
    cargo fmt
    cargo fmt --check
    cargo doc
    cargo install x
    cargo install
    cargo install --list x
    cargo owner --add x
    cargo add x
    cargo update
    cargo update --dry-run
    cargo clean
    cargo fix
    cargo publish --dry-run
    cargo package
    cargo vendor
    cargo fetch
    cargo generate-lockfile
    cargo new x
    cargo yank x
    cargo login
    cargo help build
    cargo audit
    cargo +nightly tree
    cargo tree --config build.rustc=./x
    cargo tree -i --config=build.rustc=./x
    cargo tree -p --config build.rustc=./x
    cargo tree --target --config=x
    cargo tree -Z unstable-options
    cargo --config x tree
    cargo -C /tmp/x tree
    cargo search --index http://evil.example x
    cargo info --index=http://evil.example x
    cargo metadata --config x
    rustup update
    rustup install nightly
    rustup default nightly
    rustup toolchain install x
    rustup toolchain link x y
    rustup component add x
    rustup target add x
    rustup override set x
    rustup run nightly x
    rustup doc
    rustup self update
    rustup which
    rustc main.rs
    rustc --version main.rs
    rustfmt src/main.rs
    rustfmt --check --config-path x a.rs
    go
    go build
    go run .
    go test
    go test -list .
    go vet
    go generate
    go get x
    go install x
    go fmt
    go fix
    go clean
    go bug
    go telemetry on
    go work sync
    go env -w A=b
    go env -u A
    go env -json -w A=b
    go list -export ./...
    go list -m -versions golang.org/x/text
    go list -m -u evil.example/x
    go list -m -retracted evil.example/x all
    go list -m evil.example/x@latest
    go list -m evil.example/$X
    go list evil.example/x@v1
    go doc evil.example/x@latest
    go list -compiled ./...
    go list -toolexec ./x ./...
    go list -toolexec=./x ./...
    go list -mod=mod ./...
    go list -mod mod ./...
    go list -modfile=x ./...
    go list -overlay=x ./...
    go list -exec ./x
    go list -C /tmp/x ./...
    go list -vettool=x
    go mod tidy
    go mod download
    go mod init x
    go mod vendor
    go mod edit -require=x
    go mod edit
    go mod edit -json -require=x
    go mod edit -fmt
    go tool pprof x
    go tool trace x
    go tool cover -html=cover.out
    go tool cover -html=cover.out -o x
    go tool cover -func=c.out -o x
    go tool compile x
    go tool dist banner
    go doc -http
    gofmt -w .
    gofmt -l -w .
    gofmt -cpuprofile x .
    # Ruby, PHP, Java, .NET, build tools
    gem install x
    gem uninstall x
    gem update
    gem push x
    gem build x
    gem cleanup
    gem fetch x
    gem open x
    gem server
    gem sources -a http://evil.example
    gem sources --add http://evil.example -l
    gem sources
    gem search -s http://evil.example x
    gem list --config-file x
    gem specification x.gem
    gem exec x
    bundle
    bundle install
    bundle exec x
    bundle list
    bundle show
    bundle info rails
    bundle outdated
    bundle check
    bundle update
    bundle add x
    bundle open x
    bundle config a b
    bundle config set a b
    bundle config get a
    bundle console
    rake -T
    composer
    composer show
    composer -n
    composer --no-plugins
    composer install --no-plugins
    composer update
    composer require x
    composer run x
    composer exec x
    composer dump-autoload
    composer create-project x
    composer config a b
    composer config --list
    composer self-update
    composer show --no-plugins -d /tmp/x
    composer audit --no-plugins
    dotnet
    dotnet build
    dotnet run
    dotnet test
    dotnet restore
    dotnet publish
    dotnet list package
    dotnet add package x
    dotnet new console
    dotnet sln add x
    dotnet nuget push x
    dotnet nuget locals all --clear
    dotnet nuget locals all --list --clear
    dotnet tool install x
    dotnet exec x.dll
    dotnet x.dll
    mvn
    mvn package
    mvn dependency:tree
    mvn -v -f x
    mvn help:effective-pom
    gradle tasks
    gradle dependencies
    gradle build
    gradle -v build
    ./gradlew --version
    javac A.java
    javac -version A.java
    make
    make -n
    make --dry-run
    make -p
    make -f x
    make --version -f x
    cmake .
    cmake -E echo x
    cmake --build .
    cmake -P x.cmake
    ninja
    ninja -t commands
    gcc a.c
    gcc -v a.c
    gcc -E a.c
    pkg-config --define-variable=a=b x
    just
    just build
    just --evaluate
    just --list -f x
    just --choose
    rbenv install 3.3
    rbenv exec x
    asdf install
    asdf plugin add x
    asdf exec x
    asdf reshim
    asdf set node 20
    mise install
    mise use node
    mise exec x
    mise run x
    mise trust
    mise env
    vagrant status
    vagrant up
    # packages of the operating system
    brew
    brew install wget
    brew uninstall wget
    brew upgrade
    brew update
    brew cleanup
    brew tap a/b
    brew untap a/b
    brew link x
    brew edit wget
    brew home wget
    brew services start x
    brew services run x
    brew bundle
    brew bundle list
    brew info ./x.rb
    brew info x.rb
    brew info evil/tap/x
    brew info https://evil.example/x.rb
    brew info --github wget
    brew deps $X
    brew list -v /tmp/x
    brew cat
    brew sh
    brew ruby x
    brew irb
    brew --prefix /tmp/x
    apt install x
    apt remove x
    apt update
    apt upgrade
    apt autoremove
    apt full-upgrade
    apt edit-sources
    apt download x
    apt source x
    apt changelog x
    apt moo
    apt list -o APT::Update::Pre-Invoke::=sh
    apt list -c x
    apt show --config-file=x y
    apt -o x list
    apt-cache gencaches
    apt-cache -o x=y show z
    apt-get install x
    apt-get update
    apt-get -s install x
    apt-get --version install x
    apt-get changelog x
    apt-mark hold x
    apt-mark auto x
    apt-config shell A b
    apt-file update
    dpkg
    dpkg -i a.deb
    dpkg -r x
    dpkg -P x
    dpkg --configure -a
    dpkg --unpack a.deb
    dpkg -l -i a.deb
    dpkg --set-selections
    dpkg --add-architecture i386
    dpkg --pre-invoke=./x -l
    dpkg --admindir=x -l
    dpkg --root=x -l
    dpkg-query
    dpkg-query --admindir x -l
    dpkg-deb -x a.deb out
    dpkg-deb -e a.deb
    dpkg-deb -b dir
    dpkg-deb -R a.deb out
    dpkg-deb --fsys-tarfile a.deb
    update-alternatives --set java x
    update-alternatives --config java
    update-alternatives --install a b c 1
    update-alternatives --list java --set java x
    update-alternatives
    rpm
    rpm -i a.rpm
    rpm -U a.rpm
    rpm -e x
    rpm -a
    rpm -l x
    rpm -qp a.rpm
    rpm -qp http://evil.example/a.rpm
    rpm -q --specfile x.spec
    rpm -qa --pipe ./x
    rpm -q --define '_x y' z
    rpm --eval '%(id)'
    rpm -q --eval '%(id)'
    rpm -E '%(id)'
    rpm -q -U a.rpm
    rpm -qa --root=/x
    rpm --import key
    rpm --rebuilddb
    rpm -V x
    dnf install x
    dnf remove x
    dnf update
    dnf upgrade
    dnf clean all
    dnf makecache
    dnf download x
    dnf history undo 3
    dnf history rollback 3
    dnf group install x
    dnf module enable x
    dnf list --repofrompath=x,http://evil.example
    dnf -c x list
    dnf list --setopt=x=y
    dnf --installroot=/x list
    yum install x
    pacman
    pacman -S x
    pacman -Sy
    pacman -Syu
    pacman -Ssy x
    pacman -Su
    pacman -R x
    pacman -U x
    pacman -Sc
    pacman -Sw x
    pacman -Qp x
    pacman -Q --config x
    pacman -Qi -r /x
    pacman -Q $*
    pacman -D x
    pacman -F x
    zypper install x
    zypper refresh
    apk add x
    apk del x
    apk update
    apk upgrade
    apk info --root /x
    apk info -p /x
    apk search -X http://evil.example y
    apk list --repository http://evil.example
    snap install x
    snap remove x
    snap refresh
    snap run x
    snap set x a=b
    flatpak install x
    flatpak run x
    flatpak update
    nix build
    nix run x
    nix eval x
    nix flake show
    nix develop
    nix-shell
    nix-env -i x
    nix-env -q -i x
    nix-env -qa
    nix-env -e x
    nix-channel --add x
    nix-channel --list --add x
    xcode-select -s x
    xcode-select --install
    xcodebuild
    xcodebuild -list
""")

TRUSTING = split_lines("""
    npm view react
    npm outdated
    npm audit
    pnpm why react
    yarn why lodash
    yarn --version
    uv pip list
    poetry show
    pipenv graph
    cargo tree --locked
    cargo --version
    rustc --version
    rustup show
    go list ./...
    bundle --version
    dotnet --version
    mise ls
""")


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("line", READS)
def test_a_listed_command_only_reads(line: str) -> None:
    assert find_line_reads(line) is not None


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("line", NEVER)
def test_another_command_may_do_more_than_read(line: str) -> None:
    assert find_line_reads(line) is None


@pytest.mark.proves("T-32")
@pytest.mark.parametrize("line", TRUSTING)
def test_a_command_that_runs_project_code_needs_a_trusted_repository(line: str) -> None:
    found = find_line_reads(line)

    assert found is not None
    assert found.needs_trust


@pytest.mark.proves("D-6")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pip hash /etc/passwd", "/etc/passwd"),
        ("pip list --path /etc", "/etc"),
        ("pip freeze -r /etc/passwd", "/etc/passwd"),
        ("cargo tree --locked --manifest-path /tmp/x/Cargo.toml", "/tmp/x/Cargo.toml"),
        ("go list /tmp/x", "/tmp/x"),
        ("go version -m /bin/ls", "/bin/ls"),
        ("go tool cover -func=/etc/passwd", "/etc/passwd"),
        ("gofmt -d ../x.go", "../x.go"),
        ("dpkg-deb -c /tmp/a.deb", "/tmp/a.deb"),
        ("apt show /tmp/a.deb", "/tmp/a.deb"),
        ("conda list -p /tmp/x", "/tmp/x"),
    ],
)  # fmt: skip
def test_the_files_that_a_command_reads_are_known(line: str, expected: str) -> None:
    assert files_read_by(line) == [expected]


@pytest.mark.parametrize(
    "line",
    [
        "npm --help", "npm install --help", "npm ls --help", "npm run --help", "npm config --help",
        "pip --help", "pip install --help", "pip list --help", "pip3 download --help", "uv --help",
        "uv run --help", "uv pip --help", "uv pip list --help", "poetry add --help", "cargo --help",
        "cargo build --help", "cargo tree --help",
    ],
)  # fmt: skip
def test_printing_help_only_reads(line: str) -> None:
    assert files_read_by(line) == []


@pytest.mark.proves("T-21")
@pytest.mark.parametrize(
    "line",
    [
        "npm run build --help", "npm exec x --help", "npm x --help", "uv run x --help",
        "uv tool run x --help",
        "poetry run x --help", "cargo run x --help", "cargo plugin-of-mine --help", "yarn build --help",
        "pnpm build --help", "bun run --help", "pip install --help x",
    ],
)  # fmt: skip
def test_other_words_besides_the_help_flag_may_run(line: str) -> None:
    assert find_line_reads(line) is None
