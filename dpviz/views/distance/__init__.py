"""Lesson 03: the private distance mechanism, what it costs, and what beats it."""
