"""One trial over a grid, many times.

===========  ===========================================================================
``sweep``    reproducible, parallel, resumable
``journal``  the file of a sweep
``slope``    fitted exponents with their uncertainty
``seeds``    the seed of a lesson, and independent streams made from it
===========  ===========================================================================
"""
