"""Pictures, explorers, players and exercises: the only room with matplotlib and ipywidgets."""
