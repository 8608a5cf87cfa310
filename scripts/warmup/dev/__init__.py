"""For those who work on the project: figures of `make bench`, a browser, new questions, pins of packages."""
