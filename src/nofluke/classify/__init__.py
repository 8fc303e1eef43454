"""What the rows of a classifier say: matrix, curves, calibration, cost."""
