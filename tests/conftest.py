"""Hypothesis tries the same examples in every run: a test fails today or not at all.

``make test`` tries 50 of each property that names no number, ``make test-all`` 250.
"""

from hypothesis import settings

settings.register_profile("same", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("thorough", settings.get_profile("same"), max_examples=250)
settings.load_profile("same")
