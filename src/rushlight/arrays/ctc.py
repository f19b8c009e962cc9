"""Connectionist temporal classification: the probability of a label sequence over all its alignments with the input.

Between labels, before the first and after the last stands a blank; a path may stay, go on, or pass over a blank between
two different labels. Graves et al., "Connectionist temporal classification", 2006, equations 6 to 10, in logarithms.
"""

import numpy as np

from rushlight.core.tables import primitive, xp


def path_of(targets, lengths, blank):
    """The labels of the paths with their blanks, (batch, states), and where a path may pass over one."""
    batch, longest = len(lengths), max(lengths, default=0)
    labels = np.full((batch, 2 * longest + 1), blank)
    for row, (target, length) in enumerate(zip(targets, lengths, strict=True)):
        labels[row, 1 : 2 * length : 2] = target[:length]
    passes = np.zeros(labels.shape, np.bool_)
    passes[:, 3::2] = labels[:, 3::2] != labels[:, 1:-2:2]
    return labels, passes


@primitive
def prefixes(scores, passes, lengths):
    """The log-probabilities of all beginnings of paths: (time, batch, states), for `scores` of the same shape."""
    found = np.full(scores.shape, -np.inf, scores.dtype)
    found[0, :, :2] = scores[0, :, :2]
    for time in range(1, len(scores)):
        before = found[time - 1]
        reached = before.copy()
        reached[:, 1:] = np.logaddexp(reached[:, 1:], before[:, :-1])
        passed = np.where(passes[:, 2:], before[:, :-2], -np.inf)
        reached[:, 2:] = np.logaddexp(reached[:, 2:], passed)
        found[time] = reached + scores[time]
    return found


def suffixes(scores, passes, lengths, target_lengths):
    """The log-probabilities of all ends of paths, as `prefixes`; nothing beyond the end of a sequence.

    They are the beginnings of paths that are walked from the end.
    """
    turned, allowed = np.zeros_like(scores), np.zeros_like(passes)
    found = np.full(scores.shape, -np.inf, scores.dtype)
    inside = [
        np.s_[:time, row, : 2 * labels + 1]
        for row, (time, labels) in enumerate(zip(lengths, target_lengths, strict=True))
    ]
    for row, part in enumerate(inside):
        turned[part] = scores[part][::-1, ::-1]
        allowed[row, 2 : part[2].stop] = passes[row, 2 : part[2].stop][::-1]
    begun = xp.prefixes(turned, allowed, lengths)
    for part in inside:
        found[part] = begun[part][::-1, ::-1]
    return found


def alignment_loss(log_probs, targets, lengths, target_lengths, blank):
    """Minus the log-probability of each sequence of labels, (batch,), for `log_probs` (time, batch, classes)."""
    labels, passes = path_of(targets, target_lengths, blank)
    batch = log_probs.shape[1]
    rows = np.arange(batch)
    scores = log_probs[:, rows[:, None], labels]
    found = xp.prefixes(scores, passes, lengths)
    last, ends = 2 * np.asarray(target_lengths), np.asarray(lengths) - 1
    total = found[ends, rows, last]
    total = np.where(last > 0, np.logaddexp(total, found[ends, rows, last - 1]), total)
    # Without any input, only the empty sequence is possible.
    total = np.where(ends < 0, np.where(last > 0, -np.inf, 0), total)
    return -total.astype(log_probs.dtype)


def alignment_gradient(grad, log_probs, losses, targets, lengths, target_lengths, blank, zero_infinity):
    """The gradient of `alignment_loss`, at the scores before their softmax: probabilities less expected counts."""
    labels, passes = path_of(targets, target_lengths, blank)
    batch = log_probs.shape[1]
    rows = np.arange(batch)
    scores = log_probs[:, rows[:, None], labels]
    together = xp.prefixes(scores, passes, lengths) + suffixes(scores, passes, lengths, target_lengths)
    largest = together.max(2, keepdims=True)
    largest[np.isneginf(largest)] = 0
    counts = np.zeros(log_probs.shape, log_probs.dtype)
    times = np.arange(len(log_probs))[:, None, None]
    np.add.at(counts, (times, rows[:, None], labels), np.exp(together - largest))
    expected = np.exp(np.log(counts) + largest + losses[:, None] - log_probs)
    slopes = (np.exp(log_probs) - expected) * grad[:, None]
    slopes[times[:, :, 0] >= np.asarray(lengths)] = 0
    if zero_infinity:
        slopes[:, np.isinf(losses)] = 0
    return slopes
