"""The manifests of docker/kubernetes, as far as they can be checked without a cluster."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from concept_graph_mcp import settings
from concept_graph_mcp.__main__ import main
from concept_graph_mcp.http.limits import Limits

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docker/kubernetes"
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
MANIFESTS = [
    manifest
    for file in sorted(FOLDER.glob("*.yaml"))
    for manifest in yaml.safe_load_all(file.read_text(encoding="utf-8"))
]
# The oldest version of Kubernetes that the manifests are for; the newest is the newest known.
OLDEST = "1.29"
# The page tells its reader to create these.
SECRETS = {"memory-database": {"user", "password"}, "memory-tokens": {"tokens.db"}}
CLIENT = {"memgraph-client": "true"}


def called(manifest: dict[str, Any]) -> str:
    return f"{manifest['kind']} {manifest['metadata']['name']}"


def of_kind(*kinds: str) -> list[dict[str, Any]]:
    return [manifest for manifest in MANIFESTS if manifest["kind"] in kinds]


WORKLOADS = of_kind("StatefulSet", "Deployment", "Job")
each_workload = pytest.mark.parametrize("workload", WORKLOADS, ids=called)


def pod(workload: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = workload["spec"]["template"]["spec"]
    return found


def labels(workload: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = workload["spec"]["template"]["metadata"]["labels"]
    return found


def containers(workload: dict[str, Any]) -> list[dict[str, Any]]:
    return [*pod(workload).get("initContainers", ()), *pod(workload)["containers"]]


def environment(container: dict[str, Any]) -> dict[str, str]:
    """Return the variables of *container*, those of secrets with a text in place of theirs."""
    return {one["name"]: one.get("value", "secret") for one in container.get("env", ())}


def references(value: Any, key: str) -> Iterator[Any]:
    """Iterate over what is called *key* anywhere in *value*."""
    if isinstance(value, dict):
        yield from (value[key],) if key in value else ()
        value = list(value.values())
    for one in value if isinstance(value, list) else ():
        yield from references(one, key)


def mebibytes(amount: str) -> int:
    number, unit = re.fullmatch(r"(\d+)(Mi|Gi)", amount).groups()  # type: ignore[union-attr]
    return int(number) * (1024 if unit == "Gi" else 1)


@pytest.mark.parametrize("newest", [False, True])
@pytest.mark.parametrize("manifest", MANIFESTS, ids=called)
def test_kubernetes_knows_every_field(manifest: dict[str, Any], newest: bool) -> None:
    validator = pytest.importorskip("kubernetes_validate")
    version = validator.latest_version() if newest else OLDEST
    validator.validate(manifest, version, strict=True)


def test_a_field_that_kubernetes_does_not_know_would_be_noticed() -> None:
    validator = pytest.importorskip("kubernetes_validate")
    (main_service,) = [one for one in MANIFESTS if called(one) == "Service memgraph-main"]
    wrong = main_service | {"spec": main_service["spec"] | {"selectors": {}}}
    with pytest.raises(validator.ValidationError):
        validator.validate(wrong, OLDEST, strict=True)


def test_no_manifest_has_the_name_of_another() -> None:
    names = [called(manifest) for manifest in MANIFESTS]
    assert sorted(set(names)) == sorted(names)


@each_workload
def test_the_pods_are_what_a_restricted_namespace_admits(workload: dict[str, Any]) -> None:
    spec = pod(workload)
    assert spec["automountServiceAccountToken"] is False
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["runAsUser"] != 0
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in containers(workload):
        assert container["securityContext"] == {
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        }


@each_workload
def test_the_images_are_ours_and_their_users_those_of_the_images(workload: dict[str, Any]) -> None:
    user = pod(workload)["securityContext"]["runAsUser"]
    for container in containers(workload):
        assert container["image"] in {service["image"] for service in COMPOSE.values()}
        mcp = (ROOT / "docker/mcp.Dockerfile").read_text(encoding="utf-8")
        if container["image"] == COMPOSE["mcp"]["image"]:
            assert re.findall(r"^USER (.+)$", mcp, re.M) == [str(user)]
            assert f"--uid {user} " in mcp


@each_workload
def test_every_container_has_a_limit_of_memory(workload: dict[str, Any]) -> None:
    for container in containers(workload):
        resources = container["resources"]
        limit = mebibytes(resources["limits"]["memory"])
        assert mebibytes(resources["requests"]["memory"]) <= limit
        for flag in container.get("args", ()):
            if flag.startswith("--memory-limit="):
                assert limit >= int(flag.partition("=")[2]) * 1.5 + 256


@each_workload
def test_what_a_pod_mounts_and_reads_is_there(workload: dict[str, Any]) -> None:
    claimed = workload["spec"].get("volumeClaimTemplates", ())
    volumes = {one["name"] for one in pod(workload).get("volumes", ())}
    volumes |= {one["metadata"]["name"] for one in claimed}
    mounted = {
        mount["name"] for one in containers(workload) for mount in one.get("volumeMounts", ())
    }
    assert mounted == volumes
    for wanted in references(pod(workload), "secretKeyRef"):
        assert wanted["key"] in SECRETS[wanted["name"]]
    for name in references(pod(workload), "secretName"):
        assert name in SECRETS


@each_workload
def test_the_program_takes_what_it_is_given(workload: dict[str, Any]) -> None:
    for container in containers(workload):
        if container["image"] != COMPOSE["mcp"]["image"]:
            continue
        command, *arguments = container["args"]
        # With the program's settings: click keeps a command's first help option.
        program = click.Context(main, **main.context_settings)
        found = main.get_command(program, command)
        assert found is not None
        found.make_context(command, arguments, parent=program, resilient_parsing=False)
        given = environment(container)
        assert set(given) <= set(COMPOSE["http"]["environment"])
        assert settings.read(given).uri == "bolt://memgraph-main:7687"


def test_the_servers_over_http_read_the_tokens_and_the_replicas() -> None:
    (server,) = [one for one in WORKLOADS if called(one) == "Deployment memory"]
    (container,) = containers(server)
    given = environment(container)
    (volume,) = [one for one in pod(server)["volumes"] if "secret" in one]
    (mount,) = [one for one in container["volumeMounts"] if one["name"] == volume["name"]]
    (key,) = SECRETS[volume["secret"]["secretName"]]
    assert given["CONCEPT_GRAPH_TOKENS"] == f"{mount['mountPath']}/{key}"
    (memgraph,) = of_kind("StatefulSet")
    replicas = [
        f"bolt://memgraph-{n}.memgraph:7687" for n in range(1, memgraph["spec"]["replicas"])
    ]
    assert list(settings.read(given).read_uris) == replicas
    (port,) = container["ports"]
    assert f"--http=0.0.0.0:{port['containerPort']}" in container["args"]
    for probe, path in (("readinessProbe", "/ready"), ("livenessProbe", "/health")):
        assert container[probe]["httpGet"] == {"path": path, "port": port["name"]}
    assert pod(server)["terminationGracePeriodSeconds"] > Limits().timeout_s


@pytest.mark.parametrize("service", of_kind("Service"), ids=called)
def test_a_service_finds_pods_and_their_ports(service: dict[str, Any]) -> None:
    selector = dict(service["spec"]["selector"])
    one_pod = selector.pop("statefulset.kubernetes.io/pod-name", None)
    (workload,) = [one for one in WORKLOADS if selector.items() <= labels(one).items()]
    ports = [port for one in containers(workload) for port in one.get("ports", ())]
    for port in service["spec"]["ports"]:
        target = port.get("targetPort", port["port"])
        assert target in {value for one in ports for value in one.values()}
    if one_pod is not None:
        name, _, number = one_pod.rpartition("-")
        assert name == workload["metadata"]["name"]
        assert int(number) < workload["spec"]["replicas"]


@pytest.mark.parametrize("workload", of_kind("StatefulSet", "Deployment"), ids=called)
def test_a_selector_finds_its_own_pods(workload: dict[str, Any]) -> None:
    for selector in references(workload["spec"], "matchLabels"):
        assert selector.items() <= labels(workload).items()


@each_workload
def test_only_clients_reach_the_database(workload: dict[str, Any]) -> None:
    (policy,) = of_kind("NetworkPolicy")
    clients, instances = policy["spec"]["ingress"]
    assert clients["from"] == [{"podSelector": {"matchLabels": CLIENT}}]
    assert clients["ports"] == [{"port": "bolt"}]
    assert instances["from"] == [{"podSelector": policy["spec"]["podSelector"]}]
    connects = workload["kind"] != "StatefulSet"
    assert (CLIENT.items() <= labels(workload).items()) == connects


def test_ready_is_what_healthy_is_with_compose() -> None:
    (memgraph,) = of_kind("StatefulSet")
    (container,) = pod(memgraph)["containers"]
    command = COMPOSE["memgraph"]["healthcheck"]["test"][1].replace("$$", "$")
    for probe in ("readinessProbe", "startupProbe"):
        assert container[probe]["exec"]["command"] == ["sh", "-c", command]


def test_no_module_file_is_the_server_s_to_write() -> None:
    (memgraph,) = of_kind("StatefulSet")
    (container,) = pod(memgraph)["containers"]
    mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
    (data,) = [arg.partition("=")[2] for arg in container["args"] if "data-directory" in arg]
    assert mounts[f"{data}/internal_modules"]["readOnly"] is True
    # Made by the user that the server runs as, which it insists on.
    (made,) = pod(memgraph)["initContainers"]
    assert made["command"] == ["mkdir", "-p", f"{data}/internal_modules"]


def test_the_replicas_are_registered_where_they_are() -> None:
    (memgraph,) = of_kind("StatefulSet")
    (job,) = of_kind("Job")
    script = pod(job)["containers"][0]["command"][-1]
    name, replicas = memgraph["metadata"]["name"], memgraph["spec"]["replicas"]
    instances = [f"{name}-{number}" for number in range(replicas)]
    (main_service,) = [one for one in MANIFESTS if called(one) == "Service memgraph-main"]
    chosen = main_service["spec"]["selector"]["statefulset.kubernetes.io/pod-name"]
    assert re.findall(r"main=(\S+)", script) == [chosen]
    assert re.findall(r"for replica in (.+);", script) == [" ".join(instances[1:])]
    assert chosen == instances[0]
    (container,) = pod(memgraph)["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert f"TO REPLICA WITH PORT {ports['replication']};" in script
    where = f"$replica.{memgraph['spec']['serviceName']}:{ports['replication']}"
    assert f"SYNC TO '{where}';" in script
