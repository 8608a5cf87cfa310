"""`make live`: the site with programs that run, on the reader's own machine and for its reader only."""
