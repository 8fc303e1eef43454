"""The questions a user asks: table in, answer out; pure."""
