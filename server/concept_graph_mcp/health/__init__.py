"""Say how a store and its deployment are: for `doctor`, `check` and the page of `view`."""
