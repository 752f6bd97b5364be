"""What needs a package that is not installed by default, each in a file of its own."""
