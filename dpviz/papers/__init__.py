"""One folder per paper: the whole mechanism, its theorem and its trial."""
