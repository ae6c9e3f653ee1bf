"""Exam questions whose numbers are drawn, with solutions by two ways.

===================  =====================================================
``exam``             an exam: lessons, a level, a seed
``question``         a question, its steps and marks; integrals and minima
``start``            lesson 00
``privacy``          lesson 01
``learner``          lesson 02
``distance``         lesson 03
``embedding``        lesson 04
``sparse``           lesson 05
``smooth``           lesson 06
``cluster``          lesson 07
``fat_shattering``   lesson 08
``compare``          lesson 09
===================  =====================================================
"""
