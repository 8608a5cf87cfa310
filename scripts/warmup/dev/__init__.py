"""For those who work on the project: bench, browser, scaffold."""
