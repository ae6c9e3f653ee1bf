"""Explorers and players: what a reader takes hold of.

==============  ====================================================================================
``explorer``    **controls, compute, picture**: a slider is moved and something changes
``controls``    its sliders and lists of words
``player``      **step by step** through what an algorithm recorded
``faces``       **on the page**: both as ipywidgets
``instrument``  what a notebook keeps of a widget: its picture and its words
==============  ====================================================================================
"""
