"""The harmless flags and words of container and cloud clients that their checks need to know, too."""

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

COMPOSE_ANY = "-f= --file= -p= --project-name= --profile= --env-file= --project-directory= --ansi= --progress="
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

# ---- Amazon -----------------------------------------------------------------------------------------------

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

# ---- Google -----------------------------------------------------------------------------------------------

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
GCLOUD_EXACT = frozenset({
    "info", "version", "config list", "config get", "config get-value", "auth list", "projects get-iam-policy",
    "logging read", "container get-server-config", "app logs read", "functions logs read", "run services logs read",
    "storage ls", "compute instances get-serial-port-output", "iam service-accounts get-iam-policy",
    "storage buckets get-iam-policy", "artifacts docker images list",
})

# ---- Azure ------------------------------------------------------------------------------------------------

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

HELM_ANY = "-n= --namespace= --kube-context= --debug"
HELM_SHOW = f"{HELM_ANY} --version= --devel"
# Not --name-template, whose text may print the environment.
HELM_TEMPLATE = f"""
    {HELM_ANY} -f=< --values=< --set= --set-string= --set-json= --version= -s= --show-only= --include-crds --skip-crds
    --skip-tests --no-hooks --kube-version= -a= --api-versions= --is-upgrade -g --generate-name
"""
