"""Simulations that check what the methods and their sources claim."""
