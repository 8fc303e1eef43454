"""Numbers: arrays in, arrays out, in the papers' notation. Nothing here checks its input."""
