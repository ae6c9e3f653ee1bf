"""One trial over a grid, many times.

============  ==========================================================================
``sweep``     reproducible, parallel, resumable
``running``   where trials run: here, in processes, on any executor
``cluster``   a Dask cluster that runs, here or under SLURM
``identity``  what makes two sweeps the same
``journal``   the file of a sweep
``slope``     fitted exponents with their uncertainty
``seeds``     the seed of a lesson, and independent streams made from it
============  ==========================================================================
"""
