"""Pictures: the only room with matplotlib (and, later, widgets)."""
