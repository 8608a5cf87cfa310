"""What was green on this machine before, so that `make test` runs what has changed since."""
