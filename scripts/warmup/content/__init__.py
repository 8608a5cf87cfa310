"""What authors wrote: pages, questions, puzzles, snippets and their outputs. Needs neither torch nor MkDocs."""
