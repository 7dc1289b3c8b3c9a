"""Writes rigid.json, what TestGoldenRigid expects: python3 rigid.py >rigid.json

This is the slow and obvious way. It tries the rotation and shift of every two pairs, keeps
that with the least sum of squared distances, each cut off at twice the threshold, and repeats
weighted least squares until nothing changes. Angles come from atan2.
"""

import json
import math

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def make(case):
    """Returns the pairs of a case, as x, y, u, v in pixels, and their checksum."""

    def draw(i):
        return mix(case["seed"] + (i + 1) * GOLDEN & MASK)

    def below(i, n):
        return (draw(i) >> 32) * n >> 32

    def entry(i, k):
        return below(i, 2 * k + 1) - k

    c, s = 1 + entry(0, 400) / 1024, entry(3, 400) / 1024
    length = math.sqrt(c * c + s * s)
    c, s, dx, dy = c / length, s / length, entry(2, 120), entry(5, 90)
    pairs, checksum = [], 0
    for i in range(case["n"]):
        o = 16 + 32 * i

        def noise(k):
            total = sum(draw(o + k + d) >> 44 for d in range(4)) - (1 << 21)
            return total * case["sigma"] * 1774 // (1000 << 20)

        x, y = below(o, 655360), below(o + 1, 491520)
        p, q = x / 1024, y / 1024
        u = math.floor(1024 * (c * p + -s * q + dx) + 0.5)
        v = math.floor(1024 * (s * p + c * q + dy) + 0.5)
        x, y = x + noise(2), y + noise(6)
        if i * case["permille"] % 1000 + case["permille"] >= 1000:
            u, v = u + noise(10), v + noise(14)
        else:
            u, v = below(o + 18, 655360), below(o + 19, 491520)
        for value in (x, y, u, v):
            checksum = (31 * checksum + value) & 0xFFFFFFFF
        pairs.append((x / 1024, y / 1024, u / 1024, v / 1024))
    return pairs, checksum


def fit(pairs, weights):
    """Returns the angle and the shift of weighted least squares."""
    total = sum(weights)
    cx, cy, cu, cv = (sum(w * p[k] for w, p in zip(weights, pairs)) / total for k in range(4))
    p = q = 0
    for w, (x, y, u, v) in zip(weights, pairs):
        p += w * ((x - cx) * (u - cu) + (y - cy) * (v - cv))
        q += w * ((x - cx) * (v - cv) - (y - cy) * (u - cu))
    angle = math.atan2(q, p)
    c, s = math.cos(angle), math.sin(angle)
    return angle, cu - (c * cx - s * cy), cv - (s * cx + c * cy)


def squares(t, pairs):
    """Returns the squared distances that t leaves."""
    c, s = math.cos(t[0]), math.sin(t[0])
    return [(c * x - s * y + t[1] - u) ** 2 + (s * x + c * y + t[2] - v) ** 2 for x, y, u, v in pairs]


def solve(case):
    pairs, checksum = make(case)
    n, wide = len(pairs), (2 * case["threshold"]) ** 2
    best, least = None, math.inf
    for i in range(n):
        for k in range(i):
            t = fit([pairs[i], pairs[k]], [1, 1])
            score = 0
            for d in squares(t, pairs):
                score += min(d, wide)
                if score >= least:
                    break
            if score < least:
                best, least = t, score
    for _ in range(500):
        best = fit(pairs, [max(0, 1 - d / wide) ** 2 for d in squares(best, pairs)])
    inliers = sum(d <= case["threshold"] ** 2 for d in squares(best, pairs))
    ok = inliers >= min(6 + (n + 49) // 50, n)
    c, s = math.cos(best[0]), math.sin(best[0])
    return {
        "kind": "rigid",
        **case,
        "ok": ok,
        "inliers": inliers if ok else 0,
        "transform": [c, -s, best[1], s, c, best[2], 0, 0, 1] if ok else None,
        "checksum": checksum,
    }


def main():
    sizes = [(20, 900), (30, 600), (40, 400), (60, 900), (60, 500), (80, 300), (100, 200), (40, 50), (100, 900), (120, 500), (140, 150), (150, 700)]
    cases = []
    for i, (n, permille) in enumerate(sizes):
        sigma, threshold = (300, 500, 800)[i % 3], (3, 2, 5, 3)[i % 4]
        cases.append({"seed": 5000 + i, "n": n, "permille": permille, "sigma": sigma, "threshold": threshold})
    print("[\n" + ",\n".join(json.dumps(solve(c)) for c in cases) + "\n]")


main()
