"""Stable-Baselines3: `evaluations.npz` of EvalCallback, and the CSV files of Monitor."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nofluke.scores.readers import archives, contents, files, histories
from nofluke.scores.readers.histories import LAST, STEP
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_READING: Final = "reading"
_ALL: Final = "all"
_NEEDED: Final = ("timesteps", "results")
_METRICS: Final = {"results": "reward", "ep_lengths": "episode_length", "successes": "success"}


class Evaluations:
    """Episodes at each of several moments of one training."""

    key = "sb3-evaluations"
    title = "Stable-Baselines3 evaluations"
    tool = "stable-baselines3"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the arrays in it."""
        return {f"{name}.npy" for name in _NEEDED} <= head.members

    def read(self, file: File) -> Iterator[Log]:
        """The episodes of the last evaluation; those of others stand under their step."""
        with archives.opened(file) as archive:
            arrays = {
                name: _array(archive.read(f"{name}.npy"), name, file)
                for name in ("timesteps", *_METRICS)
                if f"{name}.npy" in archive.names
            }
        steps = arrays.pop("timesteps")
        shape = arrays["results"].shape
        if len(shape) != 2 or shape[0] != len(steps) or 0 in shape:
            raise contents.refusal(
                file,
                f"has results of shape {shape} for {steps.shape} timesteps; expected a row "
                "of episodes for each.",
            )
        run = histories.folder_name(file)
        order = [-1, *range(shape[0])]
        n = shape[1]
        yield Log(
            candidate=run,
            example=[f"episode {i}" for _ in order for i in range(n)],
            scores={
                _METRICS[name]: [_plain(v) for at in order for v in array[at]]
                for name, array in arrays.items()
                if array.shape == shape
            },
            alternatives={
                STEP: [t for t in [LAST, *map(_whole, steps)] for _ in range(n)],
            },
            usual_readings={STEP: LAST},
            run=[run] * (len(order) * n),
            better={"reward": "higher", **({"success": "higher"} if "successes" in arrays else {})},
            usual="reward",
            notes=(
                f"NF312: {n} episodes of one trained policy: they say how well this policy does, "
                "and not how well another training of the same algorithm would. Episodes go by "
                "their number: those of two trainings are pairs only if their environments were "
                "seeded alike.",
            ),
        )


class Monitor:
    """Episodes of a training, in the order in which they ended."""

    key = "sb3-monitor"
    title = "Stable-Baselines3 monitor"
    tool = "stable-baselines3"
    rows = False  # where there are evaluations, they and not the training are read
    folders = False

    def knows(self, head: Head) -> bool:
        """By the first line, which is a comment that holds JSON, and the columns r, l, t."""
        if not head.text.startswith("#{") or len(head.lines) < 2:
            return False
        return {"r", "l", "t"} <= set(head.lines[1].split(","))

    def read(self, file: File) -> Iterator[Log]:
        """The last episode as the number of the run; all of them for who asks."""
        rows = list(contents.cells(file, skip=1))
        if not rows:
            raise contents.refusal(file, "has no episode: none had ended when it was written.")
        name = f"{histories.folder_name(file)}/{file.stem.removesuffix('.monitor')}"
        order = [len(rows) - 1, *range(len(rows))]
        metrics = {"r": "reward", "l": "episode_length"}
        metrics |= {c: c for c in rows[0] if c not in {*metrics, "t"}}
        yield Log(
            candidate=histories.folder_name(file),
            example=[histories.EXAMPLE, *(f"{name} episode {i}" for i in range(len(rows)))],
            run=[name] * len(order),
            scores={
                told: [_cell(rows[i], column, i, file) for i in order]
                for column, told in metrics.items()
                if _numbers(rows, column)
            },
            settings=_described(file),
            alternatives={_READING: [LAST, *[_ALL] * len(rows)]},
            usual_readings={_READING: LAST},
            more={"t": [_cell(rows[i], "t", i, file) for i in order]},
            better={"reward": "higher"},
            usual="reward",
            notes=(
                f"NF312: the {len(rows)} episodes are those of a training, whose policy changed "
                "from one to the next, so the run counts with its last episode. Where the policy "
                f"was fixed, where={{{_READING!r}: {_ALL!r}}} reads them all as examples. Files of "
                "one folder (0.monitor.csv, 1.monitor.csv) are of one training.",
            ),
        )


def _array(data: bytes, name: str, file: File) -> NDArray[Any]:
    """An array, of numbers or truth values alone: nothing in it is ever executed."""
    try:
        found = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError, OSError, SyntaxError, TypeError, MemoryError) as error:
        raise contents.refusal(file, f"member {name}.npy cannot be read: {error}.") from None
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "biuf":
        raise contents.refusal(
            file,
            f"member {name}.npy holds no plain numbers; evaluations with different numbers of "
            "episodes are stored as objects, which are not read.",
        )
    return found


def _plain(value: Any) -> float | bool | None:
    if isinstance(value, np.bool_):
        return bool(value)
    number = float(value)
    return None if np.isnan(number) else number


def _whole(step: Any) -> str:
    return str(step.item())


def _described(file: File) -> dict[str, str]:
    """The environment, of the first line."""
    start = files.start(file, 1 << 16).removeprefix(b"\xef\xbb\xbf")
    line = start.split(b"\n", 1)[0]
    try:
        found = json.loads(line[1:])
    except ValueError:
        raise contents.refusal(file, "has a first line that is no JSON.", line=1) from None
    return {"env_id": str(found["env_id"])} if "env_id" in found else {}


def _cell(row: dict[str, str], column: str, i: int, file: File) -> float | bool | None:
    cell = row[column]
    if cell in ("True", "False"):
        return cell == "True"
    return contents.numeral(cell, file, f"{column} of episode {i}")


def _numbers(rows: list[dict[str, str]], column: str) -> bool:
    """Whether a further column holds numbers; r and l must."""
    return column in ("r", "l") or all(
        row[column] in ("", "True", "False") or contents.is_numeral(row[column]) for row in rows
    )


READERS = (Evaluations(), Monitor())
