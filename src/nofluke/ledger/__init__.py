"""What was looked at, when, and what it cost."""
