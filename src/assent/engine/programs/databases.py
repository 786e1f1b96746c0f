"""Databases, queues and their clients."""

from assent.engine.programs.program import (
    Act,
    InputRule,
    InputUse,
    Loss,
    Losses,
    LossesBy,
    Output,
    Program,
    Reads,
    RunCommands,
    Script,
)
from assent.engine.programs.shared import (
    DELETES_IN_CLOUD,
    INPUT_INSTRUCTIONS,
    RUNS_AFTER_DASHES,
    RUNS_AFTER_OPERAND,
)

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
_DATABASE = Losses((Act("", Loss.DELETES, "database"),), "-h --host -p --port -U --username --maintenance-db")

PROGRAMS = (
    Program(
        "psql",
        reads=Reads("--version -V --help", only=True),
        text_options="-c=% --command=%",
        input=(_PSQL,),
        scripts=(
            Script.CLIENT,
            Script.PROGRAM_CLAUSE,
        ),
        output=Output.DATABASE,
        losses_by=LossesBy.SQL,
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
    ),
    Program("redis-server", reads=Reads("--version", only=True)),
    Program(
        "mongosh",
        reads=Reads("--version", only=True),
        never_suggest=True,
        input=(InputRule(options="--eval=; -f=; --file=; --version;", operands=2),),
        scripts=(Script.CALLS,),
        losses_by=LossesBy.MONGO,
    ),
    Program(
        "sqlite3",
        reads=Reads("-version --version", only=True),
        text_options="-cmd=%",
        text_words=(".shell ", ".system ", ".once |", ".output |"),
        input=(_SQLITE,),
        scripts=(Script.CLIENT,),
        output=Output.DATABASE,
        losses_by=LossesBy.SQL,
    ),
    Program(
        "etcdctl",
        runs=RunCommands(
            {"watch": RUNS_AFTER_DASHES, "lock": RUNS_AFTER_OPERAND, "elect": RUNS_AFTER_DASHES}
        ),
        input=(InputRule(commands="txn watch"), InputRule(InputUse.OPERANDS, commands="put", operands=3)),
        losses=Losses((Act("del", Loss.DELETES, "key"),), "--endpoints"),
    ),
    Program(
        "duckdb",
        text_options="-c=% -cmd=% -s=%",
        input=(_SQLITE._replace(options=_SQLITE.options + " -c=; -s=; -f=;"),),
        scripts=(Script.CLIENT,),
        output=Output.DATABASE,
        losses_by=LossesBy.SQL,
    ),
    Program(
        "usql",
        text_options="-c=% --command=%",
        input=(_SQL,),
        scripts=(
            Script.CLIENT,
            Script.PROGRAM_CLAUSE,
        ),
        output=Output.DATABASE,
        losses_by=LossesBy.SQL,
    ),
    Program(
        "mariadb",
        text_options="-e=% --execute=% --pager=!",
        input=(_MYSQL,),
        scripts=(Script.CLIENT,),
        losses_by=LossesBy.SQL,
    ),
    Program(
        "mongo",
        never_suggest=True,
        input=(InputRule(options="--eval=; -f=; --file=; --version;", operands=2),),
        losses_by=LossesBy.MONGO,
    ),
    Program("pgcli", input=(_PSQL,), losses_by=LossesBy.SQL),
    Program("mycli", input=(_MYSQL,), losses_by=LossesBy.SQL),
    Program("mysqlsh", input=(_MYSQL,)),
    Program(
        "sqlite", input=(_SQLITE,), scripts=(Script.CLIENT,), output=Output.DATABASE, losses_by=LossesBy.SQL
    ),
    Program("litecli", input=(_SQLITE,), losses_by=LossesBy.SQL),
    Program("sqlcipher", input=(_SQLITE,)),
    Program(
        """sqlcmd snowsql cqlsh hive beeline impala-shell trino presto isql clickhouse-client clickhouse sqlplus cockroach""",
        input=(_SQL,),
        losses_by=LossesBy.SQL,
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
        losses=Losses((Act("db reset", Loss.EMPTIES, "database"), Act("** delete", Loss.DELETES, "<"))),
        losses_by=LossesBy.SQL,
    ),
    Program("dropdb", losses=_DATABASE),
    Program("dropuser", losses=Losses((Act("", Loss.DELETES, "user"),), "-h --host -p --port -U --username")),
    Program(
        "mysqladmin mariadb-admin",
        losses=Losses((Act("drop", Loss.DELETES, "database"),), "-u --user -h --host -P --port"),
    ),
    Program(
        "rabbitmqctl",
        losses=Losses(
            (
                Act("delete_*", Loss.DELETES, "queue"),
                Act("purge_queue", Loss.EMPTIES, "queue"),
                Act("reset|force_reset", Loss.DESTROYS),
            )
        ),
    ),
    Program(
        "kafka-topics kafka-topics.sh",
        losses=Losses((Act("", Loss.DELETES, "topic", flags="--delete"),), "", "--topic"),
    ),
    Program("mssql-cli spanner-cli", losses_by=LossesBy.SQL),
)
