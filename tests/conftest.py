"""Hypothesis tries the same examples in every run: a test fails today or not at all."""

from hypothesis import settings

settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile("same")
