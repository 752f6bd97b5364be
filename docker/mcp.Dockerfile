# The MCP server, over stdin and stdout.
#   docker build -f docker/mcp.Dockerfile -t concept-graph/mcp .
#   docker run --rm -i -e TZ -e MEMGRAPH_URI=bolt://host.docker.internal:7687 concept-graph/mcp
#   docker run --rm -i -e TZ -e CONCEPT_GRAPH_EMBEDDED=/data/memory.db -v memory:/data concept-graph/mcp
ARG PYTHON_VERSION=3.13

FROM python:${PYTHON_VERSION}-slim AS build
WORKDIR /src
COPY docker/constraints.txt docker/constraints.txt
# For what builds the wheel too, which pip installs in a place of its own.
ENV PIP_CONSTRAINT=/src/docker/constraints.txt
COPY pyproject.toml README.md LICENSE ./
COPY query_modules/ query_modules/
COPY server/ server/
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:${PYTHON_VERSION}-slim
LABEL org.opencontainers.image.title="concept-graph-mcp" \
      org.opencontainers.image.description="Associative memory for LLM agents, served over MCP" \
      org.opencontainers.image.version="0.4.0" \
      org.opencontainers.image.authors="the concept-graph-mcp authors" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.url="https://github.com/concept-graph/concept-graph-mcp" \
      org.opencontainers.image.source="https://github.com/concept-graph/concept-graph-mcp" \
      org.opencontainers.image.documentation="https://github.com/concept-graph/concept-graph-mcp/tree/main/docs" \
      io.modelcontextprotocol.server.name="io.github.concept-graph/concept-graph-mcp"

COPY --from=build /wheels/ /wheels/
COPY docker/constraints.txt /wheels/
# Of the package, with commas between them: openai, model2vec, backfill. None is needed: the
# model use-multilingual is in it.
ARG EXTRAS
RUN pip install --no-cache-dir --constraint /wheels/constraints.txt \
        "$(echo /wheels/*.whl)[http,memgraph${EXTRAS:+,${EXTRAS}}]" \
    && useradd --uid 10001 --create-home concept-graph \
    && install --directory --owner=concept-graph --group=concept-graph \
        /data /home/concept-graph/backup

# By its number, by which Kubernetes sees that it is not root.
USER 10001
WORKDIR /home/concept-graph
ENTRYPOINT ["concept-graph-mcp"]
