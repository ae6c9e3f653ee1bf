"""The workflows: what they use is held by hash, what they may do is little, what they run is make.

They were never run where they are meant to run; what is tested is what can be read off them.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"\s*(?:- )?uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
# Who may write, and what: the rest may read the repository.
WRITES = {
    ("release.yml", "draft"): {
        "attestations": "write",
        "contents": "write",
        "id-token": "write",
    },
    ("site.yml", "publish"): {"pages": "write", "id-token": "write"},
}
# What a job may do besides make: bring what the system lacks, and what only its host can do.
BESIDES = re.compile(r"(?:sudo )?apt-get |mkdir |cp |gh release create |version=")
UNTRIED = {"macos", "windows"}


def text_of(path):
    return path.read_text(encoding="utf-8")


def uses_faults(text):
    """Lines that use an action by anything but its hash, with its version beside it."""
    lines = [line for line in text.splitlines() if re.match(r"\s*(?:- )?uses:", line)]
    return [line for line in lines if not PINNED.fullmatch(line)]


def rights_faults(text, name):
    """Jobs that may do more than they must."""
    told = yaml.safe_load(text)
    faults = [] if told.get("permissions") == {"contents": "read"} else ["the workflow"]
    for job, what in told["jobs"].items():
        if what.get("permissions") != WRITES.get((name, job)):
            faults.append(job)
        for step in what["steps"]:
            fetches = step.get("uses", "").startswith("actions/checkout@")
            if fetches and step.get("with", {}).get("persist-credentials") is not False:
                faults.append(f"{job} keeps its credentials")
    return faults


def end_faults(text):
    """Jobs without an end, and a workflow of which two runs may be under way at once."""
    told = yaml.safe_load(text)
    faults = [] if set(told.get("concurrency", {})) == {"group", "cancel-in-progress"} else ["runs"]
    return faults + [job for job, what in told["jobs"].items() if "timeout-minutes" not in what]


def commands(job):
    """What the steps of a job run."""
    return [step["run"] for step in job["steps"] if "run" in step]


def copies(text):
    """Commands that repeat what stands in the Makefile, in jobs that can call make."""
    jobs = yaml.safe_load(text)["jobs"]
    tried = [job for name, job in jobs.items() if name not in UNTRIED]
    runs = [command for job in tried for command in commands(job)]
    return [run for run in runs if not re.match(r"make |\.venv/", run) and not BESIDES.match(run)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_has_no_fault(path):
    text = text_of(path)
    assert uses_faults(text) == []
    assert rights_faults(text, path.name) == []
    assert end_faults(text) == []
    assert copies(text) == []


CI = text_of(ROOT / ".github" / "workflows" / "ci.yml")


@pytest.mark.parametrize(
    ("find", "old", "new"),
    [
        (uses_faults, r"@[0-9a-f]{40} # v7\.0\.1", "@v7"),
        (uses_faults, r" # v7\.0\.1", ""),
        (uses_faults, r"@([0-9a-f]{39})[0-9a-f] ", r"@\1 "),
        (rights_faults, "contents: read", "contents: write"),
        (rights_faults, r"permissions:\n  contents: read\n", ""),
        (rights_faults, "persist-credentials: false", "persist-credentials: true"),
        (rights_faults, "    runs-on:", "    permissions: write-all\n    runs-on:"),
        (end_faults, "    timeout-minutes: 90\n", ""),
        (end_faults, "concurrency:", "env:"),
        (copies, "run: make test", "run: python -m pytest -n 2"),
    ],
)
def test_each_fault_is_caught(find, old, new):
    more = ["ci.yml"] if find is rights_faults else []
    planted = re.sub(old, new, CI, count=1)
    assert planted != CI
    assert not find(CI, *more)
    assert find(planted, *more)


def test_ci_is_make_test_on_the_oldest_the_newest_and_the_lowest():
    jobs = yaml.safe_load(CI)["jobs"]
    matrix = jobs["linux"]["strategy"]["matrix"]
    rows = [(python, "locked") for python in matrix["python"]]
    rows += [(row["python"], row["versions"]) for row in matrix["include"]]
    assert rows == [("3.11", "locked"), ("3.13", "locked"), ("3.11", "lowest")]
    for name in ("linux", "macos"):
        assert commands(jobs[name])[-1] == "make test"
    assert "continue-on-error" not in jobs["linux"]
    for name in UNTRIED:
        assert jobs[name]["continue-on-error"] is True
        assert "not tried" in jobs[name]["name"]


def test_every_target_that_a_workflow_makes_is_in_the_makefile():
    targets = re.findall(r"^([\w./ -]+):", text_of(ROOT / "Makefile"), re.M)
    jobs = [job for path in WORKFLOWS for job in yaml.safe_load(text_of(path))["jobs"].values()]
    runs = [run.split(" && ")[0] for job in jobs for run in commands(job)]
    words = {word for run in runs if run.startswith("make ") for word in run.split()[1:]}
    asked = {word for word in words if "=" not in word}
    assert {"test", "nightly", "release", "site", "lock"} <= asked
    assert asked <= set(" ".join(targets).split())


@pytest.mark.skipif(os.name == "nt", reason="a step for a POSIX shell")
@pytest.mark.parametrize(
    ("ref", "version", "status"),
    [
        ("refs/tags/v1.2.3", "1.2.3", 0),
        ("refs/tags/v1.2.3rc1", "1.2.3rc1", 0),
        ("refs/tags/v1.2.3", "1.2.3rc1", 1),
        ("refs/tags/v1.2.3rc", "1.2.3rc", 1),
        ("refs/heads/main", "1.2.3", 1),
        ("refs/heads/v1.2.3", "1.2.3", 1),
        ("refs/tags/1.2.3", "1.2.3", 1),
        ("refs/tags/v1.2.4", "1.2.3", 1),
        ("refs/tags/v1.2.30", "1.2.3", 1),
        ("refs/tags/v1.2", "1.2", 1),
        ("refs/tags/v1.2.3.dev1", "1.2.3.dev1", 1),
    ],
)
def test_a_release_is_the_tag_of_its_version(tmp_path, ref, version, status):
    (tmp_path / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')
    build = yaml.safe_load(text_of(ROOT / ".github" / "workflows" / "release.yml"))["jobs"]["build"]
    step = next(run for run in commands(build) if "GITHUB_REF" in run)
    (tmp_path / "python3.11").symlink_to(os.sys.executable)
    places = {"GITHUB_REF": ref, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    # As GitHub runs it.
    done = subprocess.run(["bash", "-e", "-c", step], cwd=tmp_path, env=places, check=False)
    assert done.returncode == status


def test_every_folder_and_file_that_the_makefile_names_is_there():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w/])((?:tests|benchmarks|binder|dpviz)/[\w/.]+)", makefile))
    assert len(named) >= 15
    assert [
        path for path in sorted(named) if not path.endswith("_") and not (ROOT / path).exists()
    ] == []


def test_a_release_is_signed_after_every_file_is_there_and_before_it_is_handed_out():
    jobs = yaml.safe_load(text_of(ROOT / ".github" / "workflows" / "release.yml"))["jobs"]
    builds = commands(jobs["build"])
    ends = [run.split()[-1] for run in builds]
    assert ends[-3:] == ["site", "site", "release"] and "dist/dpviz-site.tar.gz" in builds[-2]
    steps = jobs["draft"]["steps"]
    uses = [step.get("uses", step.get("run", "")).partition("@")[0] for step in steps]
    assert uses[1] == "actions/attest-build-provenance" and uses[-1].startswith("gh release")
    assert steps[1]["with"] == {"subject-path": "dist/*"}
