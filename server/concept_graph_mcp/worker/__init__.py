"""What time does to a graph: jobs, run when they are due by the one worker that has the lease."""
