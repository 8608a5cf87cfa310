"""Programs that run in the reader's browser: what that takes is fetched, checked and tried before a site has it."""
