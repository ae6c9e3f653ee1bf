"""All that one lesson shows, in a folder of its name: ``start``, ``privacy``, ``learner``,
``distance``, ``embedding``, ``sparse``, ``smooth``, ``cluster``, ``fat_shattering``, ``compare``.

In each stand ``experiments`` (what is computed, with its stored trials), ``figures``,
``explorers``, ``player`` and ``exercises``, as far as the lesson has them; beside the folders:

============  =================================================================================
``registry``  all experiments by name
``source``    code of the package, shown in a lesson
============  =================================================================================
"""
