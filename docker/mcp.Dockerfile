# The MCP server, over stdin and stdout.
#   docker build -f docker/mcp.Dockerfile -t concept-graph/mcp .
#   docker run --rm -i -e TZ -e MEMGRAPH_URI=bolt://host.docker.internal:7687 concept-graph/mcp
#   docker run --rm -i -e TZ -e CONCEPT_GRAPH_EMBEDDED=/data/memory.db -v memory:/data concept-graph/mcp
ARG PYTHON_VERSION=3.13

FROM python:${PYTHON_VERSION}-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY query_modules/ query_modules/
COPY server/ server/
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:${PYTHON_VERSION}-slim
COPY --from=build /wheels/ /wheels/
RUN pip install --no-cache-dir /wheels/*.whl \
    && useradd --uid 10001 --create-home concept-graph \
    && install --directory --owner=concept-graph --group=concept-graph /data

USER concept-graph
WORKDIR /home/concept-graph
ENTRYPOINT ["concept-graph-mcp"]
