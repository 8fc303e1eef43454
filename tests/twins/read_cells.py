"""What was read, cell by cell."""

from pathlib import Path

LOGS = Path(__file__).parents[1] / "contracts" / "logs"


def cells(scores):
    """Scores by candidate, example and run (where there are runs)."""
    found = {}
    for k, candidate in enumerate(scores.candidates):
        for at in range(int(scores.starts[k]), int(scores.starts[k + 1])):
            example = scores.examples[int(scores.places(k)[at - int(scores.starts[k])])]
            key = (candidate, example)
            if scores.run is not None:
                key += (scores.run.names[int(scores.run.codes[at])],)
            assert key not in found
            found[key] = float(scores.values[at])
    return found


def noted(scores, code):
    """The notes of one code."""
    return [note for note in scores.notes if note.startswith(f"{code}: ")]
