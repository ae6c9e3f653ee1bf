"""What keeps a random stream single: no copy, no second process, one thread at a time.

Two copies of a stream give its noise away: one copy answers a private question, the other
the question 0, and the difference is the truth. So what holds a stream refuses to be copied,
pickled and used in a forked process. And a budget is checked and entered in one turn, or two
threads would both find the same money.
"""

from __future__ import annotations

import os
import threading
from typing import NoReturn


class Single:
    """Base of all that holds a curator's random stream.

    >>> import copy
    >>> copy.copy(Single())
    Traceback (most recent call last):
    ...
    TypeError: a Single cannot be copied or pickled: its twin would have the same noise
    """

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f"a {name} cannot be copied or pickled: its twin would have the same noise")


class Turn:
    """A lock for a curator and all its parts, in the process that made it.

    A thread that has it may take it again.

    >>> turn = Turn()
    >>> with turn, turn:
    ...     pass
    """

    __slots__ = ("_lock", "_process")

    def __init__(self) -> None:
        self._lock, self._process = threading.RLock(), os.getpid()

    def __enter__(self) -> None:
        if os.getpid() != self._process:
            raise RuntimeError(
                "this curator belongs to another process: make one there, with a seed of its own"
            )
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
