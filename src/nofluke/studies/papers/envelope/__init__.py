"""Is B better? A note that proposes a paired upper envelope, and what is done beside it."""
