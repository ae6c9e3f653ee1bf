"""One trial over a grid, many times.

==============  ==========================================================================
``sweep``       reproducible, parallel, resumable
``running``     where trials run: here, in processes, on any executor
``cluster``     a Dask cluster that runs, here or under SLURM
``call``        what makes two sweeps the same: a name, parameters by name, seed
``journal``     the file of a sweep
``experiment``  one named experiment: what it shows, its call, its stored trials
``slope``       fitted exponents with their uncertainty
``seeds``       the seed of a lesson, and independent streams made from it
==============  ==========================================================================
"""
