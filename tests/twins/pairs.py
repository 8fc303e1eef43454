"""Areas under ROC curves from every pair, in fractions: slow and obvious."""

from fractions import Fraction
from itertools import pairwise, product

HALF = Fraction(1, 2)


def kernel(x, y):
    return Fraction(1) if x > y else HALF if x == y else Fraction(0)


def split(labels, scores):
    pos = [Fraction(float(s)) for t, s in zip(labels, scores, strict=True) if t]
    neg = [Fraction(float(s)) for t, s in zip(labels, scores, strict=True) if not t]
    return pos, neg


def mean(values):
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


def area(labels, scores):
    pos, neg = split(labels, scores)
    return mean(kernel(x, y) for x, y in product(pos, neg))


def placements(labels, scores):
    """V10 of the positives, V01 of the negatives."""
    pos, neg = split(labels, scores)
    return (
        [mean(kernel(x, y) for y in neg) for x in pos],
        [mean(kernel(x, y) for x in pos) for y in neg],
    )


def covariance(labels, scores_a, scores_b):
    """DeLong's."""
    total = Fraction(0)
    for first, second in zip(
        placements(labels, scores_a), placements(labels, scores_b), strict=True
    ):
        a, b, k = mean(first), mean(second), len(first)
        total += sum((x - a) * (y - b) for x, y in zip(first, second, strict=True)) / (k - 1) / k
    return total


def clustered_covariance(labels, scores_a, scores_b, clusters):
    """Obuchowski's, as printed."""
    m = sum(bool(t) for t in labels)
    n = len(labels) - m
    names = sorted(set(clusters))

    def sums(scores):
        (ten, one), a = placements(labels, scores), area(labels, scores)
        ten, one = iter(ten), iter(one)
        found = {c: [Fraction(0), Fraction(0)] for c in names}
        for t, c in zip(labels, clusters, strict=True):
            found[c][0 if t else 1] += next(ten if t else one) - a
        return [found[c] for c in names]

    a, b = sums(scores_a), sums(scores_b)
    has = [
        len({c for t, c in zip(labels, clusters, strict=True) if bool(t) is want})
        for want in (True, False)
    ]
    both = len(names)
    s10 = Fraction(has[0], (has[0] - 1) * m) * sum(x[0] * y[0] for x, y in zip(a, b, strict=True))
    s01 = Fraction(has[1], (has[1] - 1) * n) * sum(x[1] * y[1] for x, y in zip(a, b, strict=True))
    s11 = Fraction(both, both - 1) * sum(
        x[0] * y[1] + x[1] * y[0] for x, y in zip(a, b, strict=True)
    )
    return s10 / m + s01 / n + s11 / (m * n)


def bootstrap_law(labels, scores):
    """The area of every equally likely resample of positives and negatives."""
    pos, neg = split(labels, scores)
    return [
        mean(kernel(x, y) for x, y in product(ps, ns))
        for ps in product(pos, repeat=len(pos))
        for ns in product(neg, repeat=len(neg))
    ]


def partial(labels, scores, low, high):
    """The area below the polygon of the curve between two rates, in exact trapezoids."""
    pos, neg = split(labels, scores)
    points = [(Fraction(0), Fraction(0))]
    points += [
        (
            mean(Fraction(y >= cut) for y in neg),
            mean(Fraction(x >= cut) for x in pos),
        )
        for cut in sorted({*pos, *neg}, reverse=True)
    ]
    total = Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(points):
        left, right = max(x0, low), min(x1, high)
        if right > left:
            slope = (y1 - y0) / (x1 - x0)
            heights = [y0 + slope * (x - x0) for x in (left, right)]
            total += (right - left) * sum(heights) / 2
    return total
