"""Exercises: what a reader predicts, works out and writes, and how it is judged.

===============  ===================================================================================
``exercise``     **predict, check, hint, reveal**
``declared``     the exercises of a lesson from its ``exercises.toml``
``answers``      what an exercise may ask for, and how an answer is read
``drawn``        a curve that is drawn over a picture, and the truth over it
``program``      exercises that ask for a function, judged by what it does
``formulas``     orders of lines, formulas tested on drawn cases, answers in several parts
``proofs``       proofs to complete, find, repair: a false one, and to design
``predictions``  what is held back until it was predicted
``record``       what was answered, kept beside the lessons in one file
``done``         **what you have done**: that file for its reader; download, marks, erase
``collected``    the files of many readers: a table, and which prediction went wrong how often
``faces``        **on the page**: an exercise as ipywidgets
===============  ===================================================================================
"""
