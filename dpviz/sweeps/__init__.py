"""One trial over a grid, many times.

============  ==========================================================================
``sweep``     reproducible, parallel, resumable
``running``   where trials run: here, in processes, on any executor
``cluster``   a Dask cluster that runs, here or under SLURM
``journal``   the file of a sweep, and what makes two sweeps the same
``slope``     fitted exponents with their uncertainty
``seeds``     the seed of a lesson, and independent streams made from it
============  ==========================================================================
"""
