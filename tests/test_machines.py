"""Other processors are simulated honestly: what is switched off is off, or it is said."""

import machines
import pytest

NEW = ["X86_V3", "X86_V4", "AVX512_ICL", "AVX512_SPR"]
OLD = ["SSSE3", "SSE42", "AVX", "F16C", "FMA3", "AVX2", "AVX512F", "AVX512_SKX", "AVX512_ICL"]


def real(kernel, dispatched, on):
    return {"kernels": [kernel] if kernel else [], "dispatched": dispatched, "on": on}


@pytest.mark.parametrize(
    ("here", "wanted"),
    [
        (
            real("SkylakeX", NEW, ["X86_V2", *NEW[:3]]),
            {"Nehalem": NEW[:3], "Haswell": NEW[1:3], "SkylakeX": NEW[2:3]},
        ),
        (real("Haswell", NEW, ["X86_V2", "X86_V3"]), {"Nehalem": ["X86_V3"]}),
        (real("Nehalem", NEW, ["X86_V2"]), {}),
        (
            real("SkylakeX", OLD, OLD),
            {"Nehalem": OLD[2:], "Haswell": OLD[6:], "SkylakeX": OLD[8:]},
        ),
        (real("neoversen1", ["ASIMDHP", "SVE"], ["NEON", "ASIMDHP"]), {"": ["ASIMDHP"]}),
        (real("", NEW, ["X86_V2", "X86_V3"]), {"": ["X86_V3"]}),  # another BLAS
        (real("", ["VSX2"], []), {}),
    ],
    ids=["wide", "usual", "oldest", "older numpy", "ARM", "no OpenBLAS", "plain"],
)
def test_nothing_above_the_real_processor_is_asked_for(here, wanted):
    found = {variant.kernel: list(variant.off) for variant in machines.variants(here)}
    assert found == wanted


def test_a_name_that_is_ignored_in_silence_is_noticed():
    now = machines.look()
    if now["kernels"]:
        with pytest.raises(RuntimeError, match="not Pentium"):
            machines.check(machines.Variant("Pentium", ()))
    with pytest.raises(RuntimeError, match="had no effect"):
        machines.check(machines.Variant("", (now["on"][0],)))  # a baseline stays on


def test_every_variant_of_this_machine_works():
    for variant in machines.variants(machines.look()):
        machines.check(variant)


def test_the_command_sees_the_variant_and_its_failure_is_ours(monkeypatch, capfd):
    told = machines.Variant("", ())
    monkeypatch.setattr(machines, "check", lambda variant: None)
    assert machines.run(told, [machines.sys.executable, "-c", "raise SystemExit(3)"]) == 3
    show = "import os; print(os.environ['OPENBLAS_CORETYPE'])"
    assert machines.run(machines.Variant("Old", ()), [machines.sys.executable, "-c", show]) == 0
    assert "Old\n" in capfd.readouterr().out


@pytest.mark.parametrize("chosen", [[], [machines.Variant("Old", ())]])
def test_both_run_the_command_once_on_the_processor_whatever_becomes_of_the_blas(
    monkeypatch, capfd, chosen
):
    monkeypatch.setattr(machines, "check", lambda variant: None)
    monkeypatch.setattr(machines.contrary, "fresh", lambda program, **more: {"system": "win32"})
    monkeypatch.setenv(machines.KERNEL, "real")
    show = "import os; print(os.environ['OPENBLAS_CORETYPE']); raise SystemExit(3)"
    status = machines.run_both(chosen, [machines.sys.executable, "-c", show])
    words = capfd.readouterr().out
    assert status == (3 if chosen else 0)
    assert words.count("Contrary BLAS: not tried") == 1
    assert words.count("Old\n") == ("Which of the two" in words) == len(chosen)
