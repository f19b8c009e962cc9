"""Tempering: from the integers of the generator's state to the words that it draws, and back."""

import numpy as np

from rushlight.core.tables import primitive


@primitive
def tempered(key: np.ndarray) -> np.ndarray:
    """Returns the words that the generator draws for the integers in its state (tempering)."""
    words = key ^ (key >> np.uint32(11))
    words ^= (words << np.uint32(7)) & np.uint32(0x9D2C5680)
    words ^= (words << np.uint32(15)) & np.uint32(0xEFC60000)
    words ^= words >> np.uint32(18)
    return words


@primitive
def untempered(words: np.ndarray) -> np.ndarray:
    """Returns the state's integers that `words` were made from: inverts the steps of `tempered`, last first."""
    key = words ^ (words >> np.uint32(18))
    key ^= (key << np.uint32(15)) & np.uint32(0xEFC60000)
    mixed = key
    for _ in range(4):  # each round restores seven more bits
        key = mixed ^ ((key << np.uint32(7)) & np.uint32(0x9D2C5680))
    mixed = key
    for _ in range(2):  # each round restores eleven more bits
        key = mixed ^ (key >> np.uint32(11))
    return key
