"""What is handed out with a version agrees with the project; `make release` builds and tries it."""

import shutil
import subprocess

import fresh
import pytest
import release
import yaml


def test_the_recipe_asks_for_what_the_project_asks_for_and_names_no_host():
    text = release.recipe("0" * 64)
    contents = yaml.safe_load(text)
    python = f"python{release.PROJECT['requires-python']}"
    written = [line.replace(" ", "") for line in contents["requirements"]["run"]]
    assert written == [python, *release.PROJECT["dependencies"]]
    assert contents["source"]["path"] == f"dpviz-{release.VERSION}.tar.gz"
    assert contents["build"]["python"]["entry_points"] == ["dpviz = dpviz.__main__:main"]
    assert all((release.ROOT / name).is_file() for name in contents["about"]["license_file"])
    assert text.startswith("# Not tried") and "://" not in text


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="GNU's sha256sum reads the digests")
def test_the_digests_cover_every_file_and_see_a_change(tmp_path):
    for name in ("one.whl", "two.tar.gz"):
        (tmp_path / name).write_text(name)
    (tmp_path / release.SUMS).write_text(release.sums(tmp_path))

    def checked():
        command = ["sha256sum", "--check", "--strict", release.SUMS]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert checked().stdout == "one.whl: OK\ntwo.tar.gz: OK\n"
    (tmp_path / "one.whl").write_text("another")
    assert checked().returncode


@pytest.mark.parametrize("gone", fresh.VERSIONS)
def test_a_release_that_a_python_cannot_try_is_none(monkeypatch, gone):
    monkeypatch.setattr(fresh, "works", lambda python, version: version != gone)
    with pytest.raises(SystemExit, match=f"no python{gone}"):
        fresh.pythons()


def test_a_newer_python_is_tried_where_it_is(monkeypatch):
    monkeypatch.setattr(fresh, "works", lambda python, version: python == f"python{version}")
    assert fresh.pythons() == [f"python{version}" for version in fresh.VERSIONS + fresh.NEWER]
