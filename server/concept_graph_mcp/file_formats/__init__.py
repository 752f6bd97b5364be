"""Read and write graph files in several formats; `histories.formats` has the table of all."""
