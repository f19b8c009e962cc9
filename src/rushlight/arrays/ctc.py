"""Connectionist temporal classification: the probability of a label sequence over all its alignments with the input.

There is a blank before, between and after the labels; a path may stay, advance, or skip a blank between two different
labels. Graves et al., "Connectionist temporal classification", 2006, equations 6 to 10, in logarithms.
"""

import numpy as np

from rushlight.core.tables import primitive, xp


def path_of(targets, lengths, blank):
    """Returns the labels of paths including blanks, (batch, states), and where a path may skip a blank."""
    batch, longest = len(lengths), max(lengths, default=0)
    labels = np.full((batch, 2 * longest + 1), blank)
    for row, (target, length) in enumerate(zip(targets, lengths, strict=True)):
        labels[row, 1 : 2 * length : 2] = target[:length]
    passes = np.zeros(labels.shape, np.bool_)
    passes[:, 3::2] = labels[:, 3::2] != labels[:, 1:-2:2]
    return labels, passes


@primitive
def prefixes(scores, passes, lengths):
    """Returns the log-probabilities of all prefixes of paths: (time, batch, states), like `scores`."""
    result = np.full(scores.shape, -np.inf, scores.dtype)
    result[0, :, :2] = scores[0, :, :2]
    for time in range(1, len(scores)):
        before = result[time - 1]
        reached = before.copy()
        reached[:, 1:] = np.logaddexp(reached[:, 1:], before[:, :-1])
        skipped = np.where(passes[:, 2:], before[:, :-2], -np.inf)
        reached[:, 2:] = np.logaddexp(reached[:, 2:], skipped)
        result[time] = reached + scores[time]
    return result


def suffixes(scores, passes, lengths, target_lengths):
    """Returns the log-probabilities of all suffixes of paths, like `prefixes`; -inf beyond the end of a sequence.

    They are the prefixes of the reversed paths.
    """
    reversed_scores, allowed = np.zeros_like(scores), np.zeros_like(passes)
    result = np.full(scores.shape, -np.inf, scores.dtype)
    inside = [
        np.s_[:time, row, : 2 * labels + 1]
        for row, (time, labels) in enumerate(zip(lengths, target_lengths, strict=True))
    ]
    for row, part in enumerate(inside):
        reversed_scores[part] = scores[part][::-1, ::-1]
        allowed[row, 2 : part[2].stop] = passes[row, 2 : part[2].stop][::-1]
    reversed_prefixes = xp.prefixes(reversed_scores, allowed, lengths)
    for part in inside:
        result[part] = reversed_prefixes[part][::-1, ::-1]
    return result


def alignment_loss(log_probs, targets, lengths, target_lengths, blank):
    """Returns minus the log-probability of each label sequence, (batch,), for `log_probs` (time, batch, classes)."""
    labels, passes = path_of(targets, target_lengths, blank)
    batch = log_probs.shape[1]
    rows = np.arange(batch)
    scores = log_probs[:, rows[:, None], labels]
    scores_by_prefix = xp.prefixes(scores, passes, lengths)
    last, ends = 2 * np.asarray(target_lengths), np.asarray(lengths) - 1
    total = scores_by_prefix[ends, rows, last]
    total = np.where(last > 0, np.logaddexp(total, scores_by_prefix[ends, rows, last - 1]), total)
    # Without any input, only the empty sequence is possible.
    total = np.where(ends < 0, np.where(last > 0, -np.inf, 0), total)
    return -total.astype(log_probs.dtype)


def alignment_gradient(grad, log_probs, losses, targets, lengths, target_lengths, blank, zero_infinity):
    """The gradient of `alignment_loss` at the scores before softmax: probabilities minus expected counts."""
    labels, passes = path_of(targets, target_lengths, blank)
    batch = log_probs.shape[1]
    rows = np.arange(batch)
    scores = log_probs[:, rows[:, None], labels]
    combined = xp.prefixes(scores, passes, lengths) + suffixes(scores, passes, lengths, target_lengths)
    largest = combined.max(2, keepdims=True)
    largest[np.isneginf(largest)] = 0
    counts = np.zeros(log_probs.shape, log_probs.dtype)
    times = np.arange(len(log_probs))[:, None, None]
    np.add.at(counts, (times, rows[:, None], labels), np.exp(combined - largest))
    expected = np.exp(np.log(counts) + largest + losses[:, None] - log_probs)
    gradient = (np.exp(log_probs) - expected) * grad[:, None]
    gradient[times[:, :, 0] >= np.asarray(lengths)] = 0
    if zero_infinity:
        gradient[:, np.isinf(losses)] = 0
    return gradient
