"""The kinds of content, a module for each: what its files hold, how they are read, and what may be wrong with them."""
