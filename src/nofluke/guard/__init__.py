"""Hidden rows behind a release rule: what may be handed in, what is told, and what is left.

Everything here is pure: rows, submissions and states come in, answers and new states go out. Who
asks, and where all that is kept, is the server's business.
"""
