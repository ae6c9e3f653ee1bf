"""What the lab and its pages say: a file of messages for each language, English the source."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files

SOURCE = "en"
FOLDER = files("lite_kernel").joinpath("languages")


def messages(own: Mapping[str, Mapping[str, str]] | None = None) -> dict[str, dict[str, str]]:
    """All messages by language and name, each language whole: what it lacks is English.

    Parameters
    ----------
    own : messages of a site, by language and name, in the place of ours or beside them

    Raises
    ------
    ValueError
        If ``own`` has a message that nobody says.

    >>> messages()["de"]["reset"], messages({"fr": {"load": "Charger"}})["fr"]["reset"]
    ('Zurücksetzen', 'Reset')
    """
    own = own or {}
    ours = {
        path.name.removesuffix(".toml"): tomllib.loads(path.read_text("utf-8"))
        for path in FOLDER.iterdir()
        if path.name.endswith(".toml")
    }
    source = ours[SOURCE]
    for code, table in own.items():
        if unknown := sorted(table.keys() - source.keys()):
            raise ValueError(f"words[{code!r}] has {unknown[0]!r}, which is no message of the lab")
    source = {**source, **own.get(SOURCE, {})}
    codes = sorted(ours.keys() | own.keys())
    return {code: {**source, **ours.get(code, {}), **own.get(code, {})} for code in codes}
