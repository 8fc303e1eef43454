"""The keeper: a test set that stays honest while a team looks at it.

Owners open a board over labelled rows, members hand in predictions, every look is an entry of the
board's ledger before its answer is shown, and nothing leaves but what the release rule tells.
"""
