"""Write docs/data/tumours.csv: two models that tell malignant tumours from benign ones.

Scikit-learn's breast cancer data (569 tumours, Wolberg, Street & Mangasarian 1995): half of them
train a logistic regression and a random forest, the other half are scored. ``size`` parts those by
the thirds of the mean area among the training tumours.

Run: python examples/tumours/train.py docs/data/tumours.csv
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SEED = 20240229
MODELS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": RandomForestClassifier(n_estimators=100, min_samples_leaf=3, random_state=SEED),
}


def main(path: Path) -> None:
    """Train, score, write."""
    data = load_breast_cancer()
    malignant = data.target == 0  # scikit-learn calls benign 1
    X = data.data[:, :10]  # the ten means; the worst values and errors are left out
    everything = np.arange(malignant.size)
    train, test = train_test_split(everything, test_size=0.5, stratify=malignant, random_state=SEED)
    area = list(data.feature_names).index("mean area")
    thirds = np.quantile(X[train, area], [1 / 3, 2 / 3])
    size = np.array(["small", "medium", "large"])[np.searchsorted(thirds, X[test, area])]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("model", "id", "label", "probability", "size"))
        for name, model in MODELS.items():
            model.fit(X[train], malignant[train])
            p = model.predict_proba(X[test])[:, 1]
            for row, chance, third in sorted(zip(test, p, size, strict=True)):
                label = "malignant" if malignant[row] else "benign"
                writer.writerow((name, f"t{row:03d}", label, f"{chance:.6f}", third))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
