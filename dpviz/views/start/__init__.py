"""Lesson 00: its picture, explorer, player and exercises."""

from dpviz.views.start.explore import explore_averages
from dpviz.views.start.pictures import figure_recovered
from dpviz.views.start.play import play_publication

__all__ = ["explore_averages", "figure_recovered", "play_publication"]
