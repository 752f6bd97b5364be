#!/bin/sh
# Starts Memgraph, which crashes over a user whose password is empty. Empty variables count as unset.
if [ "$MEMGRAPH_USER" ] && [ -z "$MEMGRAPH_PASSWORD" ]; then
  echo "MEMGRAPH_USER is set but MEMGRAPH_PASSWORD is not: set both or none" >&2
  exit 1
fi
[ "$MEMGRAPH_USER" ] || unset MEMGRAPH_USER MEMGRAPH_PASSWORD
exec /usr/lib/memgraph/memgraph "$@"
