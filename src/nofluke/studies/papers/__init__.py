"""One package for each source: its study, and its claims in ``claims.toml``."""
