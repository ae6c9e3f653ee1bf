"""Is it private? Two tests of a mechanism, and what they find.

=========================  =============================================================
``transcript``             privacy without statistics: one record replaced, the same replies
``auditor``                a lower bound on epsilon from samples alone
``broken``                 the catalogue of faults, each with neighbours that show it
``broken_mechanisms``      what it lists: mechanisms, right and wrong
=========================  =============================================================

Called, the room is the front door's function: ``dpviz.audit(mechanism, x, y)``.
"""

from dpviz.doors import call

call(__name__, "dpviz.door.audits", "audit")
