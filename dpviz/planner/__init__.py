"""The planner: from a question to a mechanism, its error, its n, and the lines that run it.

==============  ===================================================================================
``questions``   what is asked, and public records to try it on
``calls``       the calls of the front door that can answer: what each proves, one run of it
``estimates``   the 1 - beta quantile of runs; the smallest n and epsilon, proved and simulated
``candidates``  what each of them proves, what runs show, which is clearly better
``imports``     mechanisms that are no function of the front door
``verdicts``    the sentences
``plans``       ``dpviz.plan``: the table, the lines, the JSON
``lines``       the lines that run a call, here and in OpenDP
``pictures``    what is proved over n, and what is expected at n
``command``     ``dpviz plan``: words of the terminal to lines of text
==============  ===================================================================================
"""
