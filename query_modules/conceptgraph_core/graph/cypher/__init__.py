"""Write the Cypher of look-ups, for the server and for calls by hand. Imports no Memgraph."""
