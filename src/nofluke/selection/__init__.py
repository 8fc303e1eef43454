"""How a shortlist came to be: rules of choosing, and splitting the data instead."""
