"""Tables as files."""

from pathlib import Path


def write_table(file, columns, rows):
    """Write a table as CSV with a line of names."""
    lines = [",".join(columns), *(",".join(f"{x:.17g}" for x in row) for row in rows)]
    Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")
