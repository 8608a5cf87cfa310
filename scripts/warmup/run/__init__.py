"""Running snippets: once, on emulated machines, and broken on purpose."""
