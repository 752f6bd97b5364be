"""Run the due jobs on a graph, by the one worker that holds the lease."""
