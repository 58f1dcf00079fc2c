"""The paper's algorithms as they are printed, in numpy, from the paper alone: nothing of the program is used.

HOC by its closed form (two groups), HOC by a stochastic solver (any number of groups), and Theorem 4.1 with the priors of
Algorithms 2 and 3. Tallies are arrays `n[y, k, g1, g2, g3]`.
"""

import itertools

import numpy as np


def symmetric(tally):
    """The tally with its proxies in every order: what a random order of them gives in the mean."""
    orders = list(itertools.permutations(range(tally.ndim - 3, tally.ndim)))
    lead = list(range(tally.ndim - 3))
    return sum(np.transpose(tally, [*lead, *order]) for order in orders) / len(orders)


def in_random_order(tally, random):
    """Every row with its three guesses in an order of its own (Algorithm 2, line 7)."""
    orders = list(itertools.permutations(range(tally.ndim - 3, tally.ndim)))
    lead = list(range(tally.ndim - 3))
    parts = random.multinomial(tally.astype(int), [1 / len(orders)] * len(orders))
    return sum(np.transpose(parts[..., at], [*lead, *order]) for at, order in enumerate(orders)).astype(float)


def closed_form(tally):
    """T and p of two groups from three independent proxies that err alike; None where there is no such pair."""
    seen = tally / tally.sum()
    one = seen.sum((1, 2))[1]
    two = seen.sum(2)[1, 1]
    three = seen[1, 1, 1]
    if two <= one**2:
        return None
    b = (three - one * two) / (two - one**2)
    c = b * one - two
    if b * b <= 4 * c:
        return None
    low, high = (b - np.sqrt(b * b - 4 * c)) / 2, (b + np.sqrt(b * b - 4 * c)) / 2
    share = (one - low) / (high - low)
    return np.array([[1 - low, low], [1 - high, high]]), np.array([1 - share, share])


def solver(tallies, random, steps=1500, rate=0.1):
    """T and p of a stack of tallies by 1,500 steps of Adam from a random start on the distance of all three orders; the last step counts."""
    seen = tallies / tallies.sum((1, 2, 3), keepdims=True)
    stack, groups = seen.shape[:2]
    orders = [seen.sum((2, 3)), seen.sum(3), seen]
    start = np.zeros((groups + 1, groups))
    start[:groups] = 5 * np.eye(groups) - 1
    values = start + random.normal(0, 0.1, (stack, groups + 1, groups))
    mean, square = np.zeros_like(values), np.zeros_like(values)
    for step in range(1, steps + 1):
        parts = np.exp(values - values.max(2, keepdims=True))
        parts /= parts.sum(2, keepdims=True)
        t, p = parts[:, :groups], parts[:, groups]
        made = [
            np.einsum("ba,bai->bi", p, t),
            np.einsum("ba,bai,baj->bij", p, t, t),
            np.einsum("ba,bai,baj,bak->bijk", p, t, t, t),
        ]
        pull = []
        for ours, theirs in zip(made, orders, strict=True):
            off = ours - theirs
            far = np.sqrt((off**2).sum(tuple(range(1, off.ndim)), keepdims=True))
            pull.append(off / np.maximum(far, 1e-12))
        by_pair = pull[1] + pull[1].transpose(0, 2, 1)
        by_three = pull[2] + pull[2].transpose(0, 2, 1, 3) + pull[2].transpose(0, 3, 1, 2)
        of_t = np.einsum("bi,bai->bai", pull[0], np.ones_like(t))
        of_t += np.einsum("bij,baj->bai", by_pair, t) + np.einsum("bijk,baj,bak->bai", by_three, t, t)
        of_t *= p[:, :, None]
        of_p = np.einsum("bi,bai->ba", pull[0], t) + np.einsum("bij,bai,baj->ba", pull[1], t, t)
        of_p += np.einsum("bijk,bai,baj,bak->ba", pull[2], t, t, t)
        slope = np.concatenate([of_t, of_p[:, None]], 1)
        slope = parts * (slope - (parts * slope).sum(2, keepdims=True))
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        values = values - rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return [(t[at], p[at]) for at in range(stack)]


def confident(sure, guesses):
    """T by the confident joint (Northcutt et al.): who is at least as likely of a group as those who are guessed to be."""
    groups = sure.shape[1]
    least = np.array([sure[guesses == group, group].mean() for group in range(groups)])
    passes = np.where(sure >= least, sure, -1.0)
    counted = np.zeros((groups, groups))
    kept = passes.max(1) >= 0
    np.add.at(counted, (passes.argmax(1)[kept], guesses[kept]), 1)
    return counted / counted.sum(1, keepdims=True)


def rates(tally, noise, prior_of_label, *, consistent):
    """H by group, label and decision (Theorem 4.1). `noise[y][k]` is T of a stratum; `prior_of_label[y]` is p_y.

    Consistent: rows of H are divided by what the same J gives for the group. As printed: by the estimated prior.
    """
    labels, decisions = tally.shape[:2]
    seen = tally / tally.sum()
    alike = symmetric(seen).sum((3, 4))
    joint = np.array([[np.linalg.solve(noise[y][k].T, alike[y, k]) for k in range(decisions)] for y in range(labels)])
    joint = joint.transpose(2, 0, 1)
    if consistent:
        return joint / joint.sum(2, keepdims=True)
    of_label = seen.sum((1, 2, 3, 4))
    return joint / (np.array(prior_of_label).T * of_label)[:, :, None]


def disparity(metric, h):
    """The paper's averages over pairs of groups, from `h[a, y, k]`; demographic parity has one label."""
    groups, labels, decisions = h.shape
    far = np.abs(h[:, None] - h[None]).sum((0, 1))
    pairs = groups * (groups - 1)
    if metric == "eop":
        return far[1, 1] / pairs
    return far.sum() / (pairs * labels * decisions)
