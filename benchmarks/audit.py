"""T9: audits: their time, the faults they miss, the sound mechanisms they accuse."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from dpviz.audit.auditor import Finding, alarms, audit
from dpviz.audit.broken import CORRECT, FAULTS, Fault
from dpviz.audit.broken_mechanisms import laplace_noise

SAMPLES = 100_000  # a side
RUNS = 400


def planted() -> list[Fault]:
    """Every fault that an audit can see, and noise a little too small."""
    seen = [fault for fault in FAULTS.values() if "audit" in fault.caught_by]
    for short in (0.05, 0.1):
        truth = 1 / (1 - short)
        weak = partial(laplace_noise, epsilon=truth)
        seen.append(replace(seen[0], name=f"noise {short:.0%} short", mechanism=weak, truth=truth))
    return seen


def look(fault: Fault, seed: int) -> Finding:
    """One audit at full size, sampling included."""
    pair = (fault.data, fault.neighbour)
    return audit(fault.mechanism, *pair, samples=SAMPLES, delta=fault.delta, rng=seed)


def seconds(fault: Fault, runs: int = 5) -> float:
    """Least processor time of several audits, sampling included."""
    times = []
    for seed in range(runs):
        start = time.process_time()
        look(fault, seed)
        times.append(time.process_time() - start)
    return min(times)


def accused() -> int:
    """Alarms in 400 audits of the sound mechanisms, in turn."""
    cases = [list(CORRECT.values())[i % len(CORRECT)] for i in range(RUNS)]
    return sum(alarms(look(fault, i), fault.epsilon) for i, fault in enumerate(cases))


def lines() -> Iterator[dict]:
    """Slowest audit, faults missed, false alarms."""
    from scipy.stats import binom

    times = {fault.name: seconds(fault) for fault in planted()}
    times |= {f"{name}, mended": seconds(fault) for name, fault in CORRECT.items()}
    slowest = max(times, key=times.get)
    missed = [fault.name for fault in planted() if not alarms(look(fault, 0), fault.epsilon)]
    names = ", ".join(missed) or "none"
    allowed = int(binom(RUNS, 0.01).ppf(0.999))
    alarmed = accused()
    for id_, what, value, unit, limit in [
        ("T9", f"slowest audit, 1e5 samples a side ({slowest})", times[slowest], "s", 0.3),
        ("T9b", f"faults missed of {len(planted())} ({names})", len(missed), "", 0),
        ("T9c", f"false alarms in {RUNS} sound runs at the 1 % level", alarmed, "", allowed),
    ]:
        yield {
            "id": id_,
            "what": what,
            "value": value,
            "unit": unit,
            "target": f"<= {limit}",
            "holds": value <= limit,
            "peer": "",
        }
