"""From source to page."""
