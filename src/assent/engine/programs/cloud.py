"""Clouds, infrastructure, secrets and environments.

Their clients ask the account that the person is logged in to; flags that name another one are not listed.
"""

from assent.engine.programs.code_files import PULUMI, TERRAFORM
from assent.engine.programs.losses import DELETES_IN_CLOUD, Loss, Losses, LossPattern
from assent.engine.programs.program import (
    FILES,
    NONE,
    READS_TEXT,
    TEXT,
    Operands,
    Program,
    ReadCommands,
    ReadEntry,
    Reads,
    SentFiles,
    SettingFiles,
    add_help_entries,
)
from assent.engine.programs.runs import (
    INPUT_PROMPT,
    RUNS_AFTER_DASHES,
    RUNS_COMMAND,
    RUNS_ON_HOST,
    RUNS_OPTIONS,
    CodeInput,
    InputRule,
    InputUse,
    RestOfWords,
    RunCommands,
    Runs,
    Script,
)

AWS_GLOBAL = """
    --version --output= --query= --region= --profile= --color= --no-paginate --no-cli-pager --no-sign-request
    --cli-read-timeout= --cli-connect-timeout=
"""
AWS_FLAGS = frozenset(
    """
    output query region profile color cli-read-timeout cli-connect-timeout max-items page-size starting-token
    max-results next-token max-records marker limit filter filters dry-run no-dry-run
    instance-ids image-ids owners volume-ids snapshot-ids vpc-ids subnet-ids group-ids group-names key-names
    allocation-ids network-interface-ids route-table-ids nat-gateway-ids internet-gateway-ids region-names
    instance-types instance-type availability-zone-names include-all-instances no-include-all-instances
    load-balancer-arn load-balancer-arns load-balancer-names target-group-arn target-group-arns listener-arn
    listener-arns rule-arns auto-scaling-group-name auto-scaling-group-names
    cluster clusters service services task tasks task-definition family-prefix family status desired-status
    launch-type service-name cluster-name cluster-names nodegroup-name addon-name fargate-profile-name
    container-instances db-instance-identifier db-cluster-identifier db-snapshot-identifier engine
    cache-cluster-id replication-group-id show-cache-node-info function-name qualifier layer-name
    log-group-name log-group-name-prefix log-group-names log-group-name-pattern log-stream-name log-stream-names
    log-stream-name-prefix order-by start-time end-time start-from-head filter-pattern interleaved query-id
    descending no-descending
    stack-name stack-status-filter logical-resource-id change-set-name template-stage
    role-name user-name group-name policy-arn policy-name version-id path-prefix scope only-attached
    instance-profile-name bucket prefix delimiter key max-keys repository-name repository-names registry-id
    image-tags table-name queue-url queue-name queue-name-prefix attribute-names topic-arn hosted-zone-id id ids
    rest-api-id api-id stage-name resource-id http-method secret-id parameter-filters name names path name-prefix
    distribution-id metric-name namespace dimensions period statistics extended-statistics metric-data-queries
    unit time-period granularity metrics group-by project-name build-ids pipeline-name branch-name
    domain-name domain-names arn arns resource-arn resource-arns resource-type resource-types resources owner-ids
    state-machine-arn execution-arn status-filter job-name job-queue jobs database-name catalog-id
    certificate-arn alarm-names alarm-name-prefix state-value rule event-bus-name stream-name
    human-readable summarize recursive
    no-paginate no-cli-pager no-sign-request
    """.split()
)
AWS_SWITCHES = frozenset(
    """
    dry-run no-dry-run include-all-instances no-include-all-instances show-cache-node-info start-from-head
    interleaved descending no-descending only-attached human-readable summarize recursive no-paginate
    no-cli-pager no-sign-request
    """.split()
)
AWS_OPERATIONS = {
    "apigateway": "get-rest-api get-rest-apis get-resource get-resources get-method get-stage get-stages",
    "apigatewayv2": "get-api get-apis get-routes get-stages get-integrations",
    "ce": "get-cost-and-usage get-cost-forecast get-dimension-values",
    "cloudformation": "get-template get-template-summary get-stack-policy",
    "cloudfront": "get-distribution get-distribution-config",
    "cloudwatch": "get-metric-statistics get-metric-data get-dashboard",
    "codebuild": "batch-get-builds batch-get-projects",
    "codecommit": "get-branch get-repository",
    "codepipeline": "get-pipeline get-pipeline-state get-pipeline-execution",
    "configure": "list list-profiles",
    "ecr": "get-lifecycle-policy get-repository-policy batch-get-image",
    "events": "describe-rule",
    "glue": "get-job get-jobs get-job-run get-job-runs get-database get-databases get-table get-tables",
    "iam": "get-user get-role get-role-policy get-user-policy get-group get-group-policy get-policy get-policy-version"
    " get-instance-profile get-account-summary",
    "lambda": "get-policy get-account-settings get-alias",
    "logs": "get-log-events filter-log-events get-query-results",
    "route53": "get-hosted-zone get-change get-health-check-status",
    "s3api": "get-bucket-location get-bucket-policy get-bucket-policy-status get-bucket-acl get-bucket-cors"
    " get-bucket-versioning get-bucket-tagging get-bucket-encryption get-bucket-lifecycle-configuration"
    " get-bucket-logging get-bucket-website get-bucket-notification-configuration get-public-access-block"
    " get-object-acl get-object-tagging get-object-attributes head-bucket head-object",
    "sns": "get-topic-attributes",
    "sqs": "get-queue-attributes get-queue-url",
    "sts": "get-caller-identity",
}
"""Besides `describe-…` and `list-…`: what is known to read, and no secret."""
GCLOUD_FLAGS = """
    --project= --format= --filter= --limit= --sort-by= --page-size= --flatten= --verbosity= --account= --configuration=
    --region= --regions= --zone= --zones= --location= --global --uri --quiet -q --organization= --folder= --instance=
    --cluster= --service= --database= --dataset= --platform= --namespace= --node-pool= --keyring= --key= --repository=
    --network= --router= --topic= --freshness= --order= --type= --show-deleted --all --revision= --environment=
    --version --port= --parent= --instance-group= --long -l
"""
# No word that is also a verb somewhere: `gcloud app deploy list` deploys a file of that name.
GCLOUD_NOUNS = frozenset(
    """
    alpha beta compute instances instance-groups managed unmanaged instance-templates disks disk-types images
    snapshots networks subnets firewall-rules routes routers addresses forwarding-rules backend-services
    backend-buckets health-checks url-maps target-http-proxies target-https-proxies target-pools ssl-certificates
    vpn-tunnels vpn-gateways zones regions machine-types accelerator-types project-info operations resource-policies
    reservations security-policies external-vpn-gateways network-endpoint-groups
    container clusters node-pools fleet memberships hub
    run services revisions jobs executions domain-mappings
    functions app versions builds triggers artifacts repositories packages
    sql backups databases flags tiers users
    storage buckets pubsub topics subscriptions schemas dns managed-zones record-sets policies
    iam service-accounts roles keys workload-identity-pools providers kms keyrings locations secrets
    projects organizations folders billing accounts budgets logging logs sinks metrics views monitoring dashboards
    redis memcache spanner bigtable dataproc dataflow composer environments scheduler tasks queues workflows
    endpoints filestore notebooks ai models ai-platform
    config configurations components auth source repos
    """.split()
)
GCLOUD_EXACT = frozenset(
    {
        "info",
        "version",
        "config list",
        "config get",
        "config get-value",
        "auth list",
        "projects get-iam-policy",
        "logging read",
        "container get-server-config",
        "app logs read",
        "functions logs read",
        "run services logs read",
        "storage ls",
        "compute instances get-serial-port-output",
        "iam service-accounts get-iam-policy",
        "storage buckets get-iam-policy",
        "artifacts docker images list",
    }
)
AZ_FLAGS = """
    -g= --resource-group= -n= --name= -o= --output= --query= --subscription= -l= --location= --ids= --only-show-errors
    --resource-type= --tag= --namespace= --vnet-name= --nsg-name= --server= -s= --cluster-name= --registry= --repository=
    --account-name= --all --include-hidden -d --show-details --size= --zone --offer= --publisher= --sku= -p=
    --scope= --assignee= --id= --top= --version -t= --tenant= --kind= --workspace-name= --project= --pool-id= --status=
"""
AZ_NOUNS = frozenset(
    """
    account group resource vm vmss disk snapshot image sku network vnet subnet nsg rule nic public-ip lb
    application-gateway dns zone record-set private-dns private-endpoint route-table route vpn-connection peering
    storage blob container share queue table aks nodepool acr repository webapp functionapp appservice plan
    deployment operation slot sql server db elastic-pool mysql flexible-server postgres cosmosdb redis
    keyvault monitor metrics activity-log log-profiles diagnostic-settings alert action-group log-analytics workspace
    role assignment definition ad user sp app policy lock tag provider feature identity containerapp env revision
    eventhubs servicebus namespace topic subscription eventgrid iot hub device apim api cdn profile endpoint
    extension cloud bicep devops project team repos pr pipelines runs build boards advisor recommendation
    consumption usage ml job batch pool security
    """.split()
)
AZ_VERBS = frozenset(
    """
    list show list-locations list-sizes list-skus list-usage list-ip-addresses list-vm-resize-options get-versions
    get-upgrades get-instance-view list-instances list-runtimes list-definitions
    """.split()
)
_TERRAFORM_READS: dict[str, ReadEntry] = {
    # What would print values that are marked as sensitive is not here: `show -json`, `state show`, `output`.
    "show": Reads("-no-color", FILES),
    "state": ReadCommands({"list": Reads("-state=< -id=", TEXT)}),
    "providers": Reads("", NONE),
    "validate": Reads("-json -no-color --json", FILES),
    "graph": Reads("-type= -draw-cycles -plan=<", NONE),
    "fmt": Reads(
        "-check -write=false -diff -recursive -no-color -list=false -list=true",
        FILES,
        needs="-check -write=false",
    ),
    "workspace": ReadCommands({"list": Reads("", NONE), "show": Reads("", NONE)}),
    "version": Reads("-json --json", NONE),
}
_TERRAFORM_LIKE = ReadCommands(
    add_help_entries(
        _TERRAFORM_READS,
        "init plan apply destroy import refresh test taint untaint console get login",
        flag="-help",
    ),
    flags="-chdir=< -version --version -help --help",
    trust=True,
    bare=True,
)
_VIRSH: dict[str, ReadEntry] = {
    "list": Reads("--all --inactive --name --uuid --title --state-running --state-shutoff", NONE),
    "net-list": Reads("--all --inactive --name --uuid", NONE),
    "pool-list": Reads("--all --inactive --name --details", NONE),
    "snapshot-list": Reads("--tree --name", TEXT),
    "vol-list": Reads("--details", TEXT),
    **dict.fromkeys(("dominfo", "domstate", "domiflist", "domblklist", "net-info", "pool-info"), READS_TEXT),
    **dict.fromkeys(("nodeinfo", "version", "uri", "hostname"), Reads("", NONE)),
}
_APP = "-a= --app= -c= --config=< -j --json"
_FLY_READS: dict[str, ReadEntry] = {
    "status": Reads(f"{_APP} --all --deployment", NONE),
    "releases": Reads(f"{_APP} --image", NONE),
    "logs": Reads(f"{_APP} -n --no-tail -i= --instance= -r= --region=", NONE),
    "apps": ReadCommands({"list": Reads("-j --json -o= --org= -q --quiet", NONE)}),
    "ips": ReadCommands({"list": Reads(_APP, NONE)}),
    "volumes": ReadCommands({"list": Reads(_APP, NONE)}),
    "secrets": ReadCommands({"list": Reads(_APP, NONE)}),
    "version": Reads("-j --json", NONE),
}
_EXEC_DASHES = RunCommands({"exec": RUNS_AFTER_DASHES})
_EXEC_PROFILE = RunCommands({"exec": Runs(operands=1, options_after_operands=True)})
_RUN_DASHES = RunCommands({"run": Runs("--command=!", marker="--")})
_SOPS = Runs(operands=1, rest=RestOfWords.TEXTS)
_SHELL_DASHES = Runs("-c=! --command=!", marker="--", rest=RestOfWords.FLAGS)
_COMMAND = RUNS_OPTIONS._replace(options="--command=!")
_GCLOUD_SSH = Runs("--command=!", marker="--", rest=RestOfWords.FLAGS, words_before=("ssh", "machine"))
_GCLOUD = {
    "compute": RunCommands(
        {"ssh": _GCLOUD_SSH, "tpus": RunCommands({"tpu-vm": RunCommands({"ssh": _GCLOUD_SSH})})}
    ),
    "cloud-shell": RunCommands({"ssh": _GCLOUD_SSH}),
}
_FLY_RUNS = RunCommands(
    {
        "ssh": RunCommands({"console": RUNS_OPTIONS._replace(options="-C=! --command=!")}),
        **dict.fromkeys(("machine", "machines", "m"), RunCommands({"exec": RUNS_ON_HOST})),
    }
)
_SSM = dict.fromkeys(("send-command", "start-session"), RUNS_OPTIONS._replace(options="--parameters=@"))
_AZ_MACHINES = RunCommands(
    {
        "run-command": RunCommands(
            dict.fromkeys(
                ("invoke", "create", "update"), RUNS_OPTIONS._replace(options="--scripts=! --script=!")
            )
        )
    }
)
_ORB = Runs("-m= --machine= -u= --user= -w= --workdir= -s --shell -p --path", input=CodeInput.SHELL)
_INFRASTRUCTURE = InputRule(
    InputUse.ANSWERS,
    options="-auto-approve; --auto-approve; -y; --yes; -chdir= -var= -var-file= -target= -s= --stack= -C= --cwd=",
    commands="apply destroy up refresh import taint untaint state workspace init cancel down",
)
_TERRAFORM_LOSSES = Losses(
    (
        LossPattern("destroy", Loss.DESTROYS),
        LossPattern("apply", Loss.DESTROYS, flags="-destroy --destroy"),
        LossPattern("run-all|run|stack destroy", Loss.DESTROYS),
        LossPattern("workspace delete", Loss.DELETES, "workspace"),
        LossPattern("state rm", Loss.DELETES, "state entry"),
    ),
    "-chdir -target -var -var-file -state",
    "-target",
)
_PULUMI = Losses(
    (
        LossPattern("destroy|down|dn", Loss.DESTROYS, unless="--preview-only"),
        LossPattern("stack rm", Loss.DELETES, "stack"),
        LossPattern("state delete", Loss.DELETES, "state entry"),
    ),
    "-C --cwd -s --stack -m --message",
    "-s --stack",
)

PROGRAMS = (
    Program(
        "terraform",
        reads=_TERRAFORM_LIKE,
        input=(InputRule(commands="console"), _INFRASTRUCTURE),
        losses=_TERRAFORM_LOSSES,
        same_as=(
            "terraform = tofu",
            "terraform destroy = terraform apply -destroy = tofu destroy",
        ),
        can_suggest_commands=True,
        code_files=TERRAFORM,
    ),
    Program(
        "tofu",
        reads=_TERRAFORM_LIKE,
        input=(InputRule(commands="console"), _INFRASTRUCTURE),
        losses=_TERRAFORM_LOSSES,
        code_files=TERRAFORM,
    ),
    Program(
        "pulumi",
        reads=ReadCommands(
            {
                "stack": ReadCommands(
                    {"ls": Reads("-a --all -j --json -p= --project= -o= --organization=", NONE)}
                ),
                "whoami": Reads("-v --verbose -j --json", NONE),
                "version": Reads("", NONE),
            },
            trust=True,
        ),
        input=(_INFRASTRUCTURE,),
        losses=_PULUMI,
        same_as=(
            "pulumi destroy = pulumi down",
            "pulumi up = pulumi update",
        ),
        code_files=PULUMI,
    ),
    Program("virsh", reads=ReadCommands(_VIRSH, flags="--version -v", bare=True), input=(INPUT_PROMPT,)),
    Program(
        "vagrant",
        reads=Reads("-v --version", NONE, only=True),
        runs=RunCommands(
            {
                "ssh": Runs(
                    "-c=! --command=! -p --plain -t --tty --no-tty",
                    operands=1,
                    options_after_operands=True,
                    rest=RestOfWords.TEXT,
                    input=CodeInput.SHELL,
                )
            }
        ),
        losses=Losses(
            (LossPattern("destroy|remove", Loss.DESTROYS), LossPattern("delete", Loss.DELETES, ">")),
            "--profile -p --context -f --name",
        ),
    ),
    Program("fly flyctl", reads=ReadCommands(_FLY_READS), runs=_FLY_RUNS, losses=DELETES_IN_CLOUD),
    Program(
        "aws",
        reads=Reads(check="aws"),
        runs=RunCommands(
            {"ecs": RunCommands({"execute-command": _COMMAND}), "ssm": RunCommands({**_SSM})},
            "--profile= --region= --output= --query= --endpoint-url= --no-cli-pager --debug --no-verify-ssl",
        ),
        takes_data=True,
        losses=DELETES_IN_CLOUD,
        scripts=(Script.JSON_COMMANDS,),
        sends=SentFiles.EVERY_WORD,
    ),
    Program(
        "gcloud",
        input=(InputRule(InputUse.OPERANDS, only="-I --read-paths-from-stdin"),),
        reads=Reads(check="gcloud"),
        runs=RunCommands({**_GCLOUD, **dict.fromkeys(("alpha", "beta"), RunCommands({**_GCLOUD}))}),
        takes_data=True,
        losses=DELETES_IN_CLOUD,
        same_as=("gcloud compute = gcloud beta compute = gcloud alpha compute",),
    ),
    Program(
        "az",
        reads=Reads(check="az"),
        runs=RunCommands(
            {
                "vm": _AZ_MACHINES,
                "vmss": _AZ_MACHINES,
                "aks": RunCommands(
                    {"command": RunCommands({"invoke": RUNS_OPTIONS._replace(options="-c=! --command=!")})}
                ),
                "container": RunCommands({"exec": RUNS_OPTIONS._replace(options="--exec-command=!")}),
                "containerapp": RunCommands({"exec": _COMMAND}),
                "ssh": RunCommands({"vm": RUNS_AFTER_DASHES, "arc": RUNS_AFTER_DASHES}),
            }
        ),
        takes_data=True,
        losses=DELETES_IN_CLOUD,
    ),
    Program(
        "gsutil",
        input=(InputRule(InputUse.OPERANDS, only="-I"),),
        reads=ReadCommands(
            {
                "ls": Reads("-l -h -r -R -a -b -L -d", Operands.NAMES),
                "stat": Reads("", Operands.NAMES),
                "version": Reads("-l", NONE),
            }
        ),
        takes_data=True,
        losses=DELETES_IN_CLOUD,
        sends=SentFiles.EVERY_WORD,
    ),
    Program(
        "kamal",
        runs=RunCommands(
            {
                group: RunCommands({"exec": Runs("-r= -h= -d= -c=", rest=RestOfWords.TEXT)})
                for group in ("app", "server", "accessory")
            }
        ),
    ),
    Program("dotenvx op doppler infisical teller phase varlock secretspec", runs=_RUN_DASHES),
    Program("aws-vault aws-okta", runs=_EXEC_PROFILE),
    Program("chamber saml2aws berglas", runs=_EXEC_DASHES),
    Program("assume", runs=RUNS_AFTER_DASHES),
    Program("summon", runs=Runs("-f= -p= -D= -e=")),
    Program("envchain", runs=Runs("--noecho", operands=1)),
    Program("envconsul", runs=RUNS_COMMAND),
    Program("sops", runs=RunCommands({"exec-env": _SOPS, "exec-file": _SOPS})),
    Program(
        "consul",
        runs=RunCommands({"lock": Runs(operands=1), "watch": Runs("-type= -key= -prefix= -service=")}),
        losses=Losses((LossPattern("kv delete", Loss.DELETES, "key"),)),
    ),
    Program(
        "direnv",
        runs=RunCommands({"exec": Runs(operands=1)}),
        settings=SettingFiles("allow permit grant", ".envrc"),
    ),
    Program("devbox", runs=RunCommands({"run": Runs("-c= --config= -e= --env= --pure")})),
    Program("flox", runs=RunCommands({"activate": _SHELL_DASHES})),
    Program(
        "heroku",
        runs=RunCommands(
            {
                **dict.fromkeys(
                    ("run", "run:detached", "run:inside"),
                    Runs("-a= --app= -e= --env= -s= --size= --type= -r= --remote=", rest=RestOfWords.TEXT),
                ),
                "ps:exec": Runs("-a= --app= -d= --dyno= -r= --remote= --ssh", rest=RestOfWords.TEXT),
            }
        ),
        losses=DELETES_IN_CLOUD,
    ),
    Program(
        "railway",
        runs=RunCommands(
            {
                "run": Runs("-s= --service= -e= --environment= -p= --project="),
                "ssh": Runs("-s= --service= -e= --environment= -p= --project= -d=", rest=RestOfWords.TEXT),
            }
        ),
        losses=DELETES_IN_CLOUD,
    ),
    Program(
        "vercel", runs=RunCommands({"env": RunCommands({"run": RUNS_AFTER_DASHES})}), losses=DELETES_IN_CLOUD
    ),
    Program(
        "cf",
        runs=RunCommands({"ssh": RUNS_OPTIONS._replace(options="-c=! --command=!"), "run-task": _COMMAND}),
    ),
    Program(
        "doctl",
        runs=RunCommands({"compute": RunCommands({"ssh": RUNS_OPTIONS._replace(options="--ssh-command=!")})}),
        losses=DELETES_IN_CLOUD,
    ),
    Program(
        "hcloud", runs=RunCommands({"server": RunCommands({"ssh": RUNS_ON_HOST})}), losses=DELETES_IN_CLOUD
    ),
    Program("coder", runs=RunCommands({"ssh": RUNS_ON_HOST})),
    Program("devpod", runs=RunCommands({"ssh": _COMMAND})),
    Program("gitpod", runs=RunCommands({"workspace": RunCommands({"ssh": RUNS_AFTER_DASHES})})),
    Program("boundary", runs=RunCommands({"connect": RunCommands({"ssh": RUNS_AFTER_DASHES})})),
    Program("orb", runs=RunCommands({"run": _ORB}, default=_ORB)),
    Program("orbctl", runs=RunCommands({"run": _ORB})),
    Program("VBoxManage", runs=RunCommands({"guestcontrol": RUNS_AFTER_DASHES})),
    Program(
        "eb",
        runs=RunCommands({"ssh": RUNS_OPTIONS._replace(options="-c=! --command=!")}),
        losses=DELETES_IN_CLOUD,
    ),
    Program("devenv", runs=RunCommands({"shell": RUNS_COMMAND})),
    Program(
        "restic",
        text_options="--password-command=! -o=@ --option=@",
        losses=Losses(
            (LossPattern("forget", Loss.DELETES, "snapshot"), LossPattern("prune", Loss.ERASES_HISTORY))
        ),
    ),
    Program(
        "borg", text_options="--rsh=!", losses=Losses((LossPattern("delete|prune", Loss.DELETES, "archive"),))
    ),
    Program(
        "vault",
        text_options="-exec=!",
        input=(InputRule(only="-"),),
        losses=Losses(
            (
                LossPattern("delete", Loss.DELETES, "secret"),
                LossPattern("kv destroy|delete", Loss.DELETES, "secret"),
                LossPattern("kv metadata delete", Loss.DELETES, "secret"),
                LossPattern("secrets|auth disable", Loss.DELETES, "secret"),
            )
        ),
    ),
    Program(
        "rclone",
        text_options="--sftp-ssh=! --password-command=!",
        losses=DELETES_IN_CLOUD,
        sends=SentFiles.EVERY_WORD,
    ),
    Program("terragrunt", input=(_INFRASTRUCTURE,), losses=_TERRAFORM_LOSSES),
    Program("opentofu", losses=_TERRAFORM_LOSSES),
    Program(
        "cdk cdktf sst",
        losses=Losses(
            (LossPattern("destroy|remove", Loss.DESTROYS), LossPattern("delete", Loss.DELETES, ">")),
            "--profile -p --context -f --name",
        ),
    ),
    Program(
        "serverless sls sam",
        losses=Losses((LossPattern("remove|delete", Loss.DESTROYS),), "--stage -s --region -r --stack-name"),
    ),
    Program(
        """linode-cli scw ibmcloud oci aliyun openstack netlify wrangler firebase s4cmd mc copilot upsun platform""",
        losses=DELETES_IN_CLOUD,
    ),
    Program("s3cmd", losses=DELETES_IN_CLOUD, sends=SentFiles.EVERY_WORD),
    Program(
        "bao",
        losses=Losses(
            (
                LossPattern("delete", Loss.DELETES, "secret"),
                LossPattern("kv destroy|delete", Loss.DELETES, "secret"),
                LossPattern("kv metadata delete", Loss.DELETES, "secret"),
                LossPattern("secrets|auth disable", Loss.DELETES, "secret"),
            )
        ),
    ),
    Program("pass gopass", losses=Losses((LossPattern("rm|remove|delete", Loss.DELETES, "secret"),))),
)
