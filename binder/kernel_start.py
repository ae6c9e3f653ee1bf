"""What a kernel does when it starts in the lab: after a NameError it says which cells to run first.

Python's message stays as it is; one sentence follows. A name may also be misspelt, so it says "if".
"""


def _advise(shell):
    def missing(self, kind, error, trace, tb_offset=None):
        self.showtraceback((kind, error, trace), tb_offset=tb_offset)
        from dpviz.words import say

        print(say("instrument.above", name=repr(error.name), advice=say("instrument.advice")))

    shell.set_custom_exc((NameError,), missing)


if "get_ipython" in globals():  # a plain Python in one of the lab's terminals has none
    _advise(get_ipython())  # noqa: F821
del _advise
