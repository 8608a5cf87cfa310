"""What is wrong with the content, as a list of problems."""
