"""The generator of a GPU: Philox against its authors' vectors, and draws against numbers that PyTorch shows on GPUs."""

import copy
import math
import pickle

import numpy as np
import pytest

import rushlight as torch
from rushlight.arrays.philox.words import philox, threads_for, words_at, words_in_order, words_of_vectors

# Random123's known answers for philox4x32 with 10 rounds: counter, key, result.
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]
# What torch.rand(27), torch.rand(10) after torch.rand(10), and torch.randn(3, 8) show on GPUs after manual_seed(0): in
# many published notebooks and tests.
UNIFORM = """0.3990 0.5167 0.0249 0.9401 0.9459 0.7967 0.4150 0.8203 0.2290 0.9096 0.1183 0.0752 0.4092 0.9601 0.2093
0.1940 0.8909 0.4387 0.3570 0.5454 0.8299 0.2099 0.7684 0.4290 0.2117 0.6606 0.1654"""
SECOND = "0.9722 0.7910 0.4690 0.3300 0.3345 0.3783 0.7640 0.6405 0.1103 0.3594"
NORMAL = """-0.9247 -0.4253 -2.6438 0.1452 -0.1209 -0.5797 -0.6229 -0.3284 -1.0745 -0.3631 -1.6711 2.2655 0.3117 -0.1842
1.2866 1.1820 -0.1271 1.2169 1.4353 1.0605 -0.4941 -1.4244 -0.7244 -1.2973"""
MOST = 132 * 2048  # threads of the simulated GPU


@pytest.fixture(autouse=True)
def gpu():
    with torch.cuda.simulate():
        yield


def numbers(text):
    return [float(word) for word in text.split()]


def integers(text):
    return [int(word, 16) for word in text.split()]


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_known_answers(counter, key, expected):
    low, high = integers(key)
    result = philox(tuple(np.array([word], np.uint64) for word in integers(counter)), high << 32 | low)
    assert result.tolist() == [integers(expected)]


def test_numbers_are_those_that_pytorch_shows():
    torch.manual_seed(0)
    assert torch.rand(27, device="cuda").tolist() == pytest.approx(numbers(UNIFORM), abs=5.1e-5)
    torch.manual_seed(0)
    torch.rand(10, device="cuda")
    assert torch.rand(10, device="cuda").tolist() == pytest.approx(numbers(SECOND), abs=5.1e-5)
    torch.manual_seed(0)
    assert torch.randn(3, 8, device="cuda").flatten().tolist() == pytest.approx(numbers(NORMAL), abs=5.1e-5)


@pytest.mark.parametrize("count", [1, 255, 257, 5000, MOST + 1, 4 * MOST + 300])
@pytest.mark.parametrize("per_step", [4, 2])
def test_elements_lie_a_grid_apart(count, per_step):
    threads = threads_for(count, MOST)
    got = words_in_order(count, threads, per_step, 7, 40)
    assert got.shape == (count, 4 // per_step)
    for element in {0, count // 3, count - 2, count - 1, MOST} & set(range(count)):
        in_step, thread = divmod(element, threads)
        step, number = divmod(in_step, per_step)
        (words,) = words_at(np.array([10 + step]), np.array([thread]), 7)
        assert got[element].tolist() == words.reshape(per_step, -1)[number].tolist()


@pytest.mark.parametrize("width", [2, 4, 8])
def test_neighbours_share_a_thread_of_dropout(width):
    count, threads = 2 * MOST, threads_for(2 * MOST, MOST)
    got = words_of_vectors(count, threads, width, 7, 8)
    for element in (0, 1, width, 1000 * width + 1, count - 1):
        turn, thread = divmod(element // width, threads)
        place = 2 + turn * max(width // 4, 1) + element % width // 4
        (words,) = words_at(np.array([place]), np.array([thread]), 7)
        assert got[element] == words[element % width % 4]


def generator(seed=3):
    return torch.Generator("cuda").manual_seed(seed)


WORDS = [words_at(np.array([0]), np.array([thread]), 3)[0] for thread in range(8)]


def test_transformations_follow_the_words():
    """Formulas of PyTorch's TransformationHelper.h, on the first word of each thread, or two of them."""
    unit = [float(word[0]) * 2.0**-32 + 2.0**-33 for word in WORDS]
    wide = [(int(word[0]) ^ int(word[1]) << 21) % 2**64 * 2.0**-53 + 2.0**-54 for word in WORDS]
    pairs = [int(word[0]) << 32 | int(word[1]) for word in WORDS]

    def filled(name, *arguments, dtype=torch.float32):
        return getattr(torch.empty(8, device="cuda", dtype=dtype), name)(*arguments, generator=generator()).tolist()

    assert filled("uniform_") == pytest.approx(unit, abs=1e-7)
    assert filled("uniform_", -2.0, 6.0, dtype=torch.float64) == pytest.approx([8 * u - 2 for u in wide], abs=1e-14)
    assert filled("exponential_", 2.0) == pytest.approx([-math.log(u) / 2 for u in unit], rel=1e-5)
    assert filled("geometric_", 0.3) == [math.ceil(math.log(u) / math.log1p(-0.3)) for u in unit]
    assert filled("cauchy_", 1.0, 2.0) == pytest.approx([1 + 2 * math.tan(math.pi * (u - 0.5)) for u in unit], rel=1e-4)
    assert filled("bernoulli_", 0.4) == [u < 0.4 for u in unit]
    assert filled("random_", 5, 15, dtype=torch.int64) == [int(word[0]) % 10 + 5 for word in WORDS]
    assert filled("random_", 0, 2**40, dtype=torch.int64) == [pair % 2**40 for pair in pairs]
    assert filled("random_", dtype=torch.uint8) == [int(word[0]) % 256 for word in WORDS]
    assert filled("random_", dtype=torch.int64) == [pair % 2**63 for pair in pairs]
    assert filled("random_", dtype=torch.bool) == [bool(word[0] & 1) for word in WORDS]
    assert filled("random_", -(2**63), None, dtype=torch.int64) == [pair - (pair >> 63 << 64) for pair in pairs]
    got = torch.empty(8, device="cuda", dtype=torch.float64).normal_(1.0, 2.0, generator=generator()).tolist()
    second = [(int(word[2]) ^ int(word[3]) << 21) % 2**64 * 2.0**-53 + 2.0**-54 for word in WORDS]
    sines = [math.sqrt(-2 * math.log(u)) * math.sin(2 * math.pi * v) for u, v in zip(wide, second, strict=True)]
    assert got == pytest.approx([1 + 2 * each for each in sines], abs=1e-12)


def test_each_probability_has_a_word_of_its_thread():
    p = torch.linspace(0, 1, 7, device="cuda")
    drawn = torch.bernoulli(p, generator=generator())
    words = [float(word) * 2.0**-32 + 2.0**-33 for word in [*WORDS[0], *WORDS[1]]]
    assert drawn.tolist() == [u <= each for u, each in zip(words, p.tolist(), strict=False)]


def test_dropout_takes_four_neighbours_of_a_thread():
    torch.manual_seed(3)
    result = torch.nn.functional.dropout(torch.ones(8, device="cuda"), 0.25)
    unit = [float(word) * 2.0**-32 + 2.0**-33 for word in [*WORDS[0], *WORDS[1]]]
    assert result.tolist() == pytest.approx([(u < 0.75) / 0.75 for u in unit])
    torch.manual_seed(3)
    odd = torch.nn.functional.dropout(torch.ones(7, device="cuda"), 0.25)
    first = [float(word[0]) * 2.0**-32 + 2.0**-33 for word in WORDS[:7]]
    assert odd.tolist() == pytest.approx([(u < 0.75) / 0.75 for u in first])


def test_a_permutation_is_sorted_keys():
    keys = []
    for word in WORDS:
        key = (int(word[0]) << 32 | int(word[1])) % (2**32 - 1) - 2**31
        keys.append(key % 2 ** math.ceil(math.log2(8 - (6 * 64 + 1) / (12 * math.log(0.9)))))
    drawn = torch.randperm(8, device="cuda", generator=generator()).tolist()
    assert drawn == sorted(range(8), key=lambda index: keys[index])
    for count in (0, 1, 40_000, 70_000):
        drawn = torch.randperm(count, device="cuda", generator=generator()).cpu()
        assert torch.equal(drawn.sort().values, torch.arange(count))


def test_equal_keys_are_shuffled():
    from rushlight.arrays.philox.permutation import shuffle_equal

    seen = set()
    for seed in range(200):
        order, keys = np.arange(5), np.array([1, 4, 4, 4, 9])
        shuffle_equal(order, keys, seed, 8)
        assert (order[0], order[4]) == (0, 4)
        seen.add(tuple(order[1:4].tolist()))
    assert len(seen) == 6


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64])
def test_distributions(dtype):
    drawn = torch.randn(200_000, device="cuda", dtype=dtype, generator=generator())
    wide = drawn.cpu().to(torch.complex128 if dtype.is_complex else torch.float64)
    assert abs(wide.mean()) < 0.01 and abs(wide.std() - 1) < 0.01
    drawn = torch.rand(200_000, device="cuda", dtype=dtype, generator=generator())
    parts = torch.view_as_real(drawn) if dtype.is_complex else drawn
    assert parts.min() >= 0 and parts.max() < 1 and abs(parts.double().mean() - 0.5) < 0.01


def test_other_distributions_are_reproducible_and_have_their_means():
    rates = torch.full((20_000,), 12.0, device="cuda")
    for draw, mean in (
        (lambda: torch.poisson(rates), 12),
        (lambda: torch.binomial(rates, torch.full_like(rates, 0.25)), 3),
        (lambda: torch.distributions.Gamma(rates, torch.ones_like(rates)).sample(), 12),
        (lambda: torch.multinomial(torch.tensor([1.0, 0.0, 3.0], device="cuda"), 20_000, True).double(), 1.5),
    ):
        torch.manual_seed(1)
        first = draw()
        torch.manual_seed(1)
        assert torch.equal(first, draw()) and not torch.equal(first, draw())
        assert abs(first.mean().item() - mean) < 0.1
    once = torch.multinomial(torch.ones(50, device="cuda"), 50)
    assert sorted(once.tolist()) == list(range(50))


def test_words_drawn_ahead_are_those_of_their_positions():
    drawn, sizes = generator(7), (1, 4, 5, 4000, 9, 96, 3, 5000, 2)
    for start in (0, 4, 4092, 4096, 0):
        drawn.set_offset(start)
        for size in sizes:
            position = drawn.get_offset() // 4
            positions = position + np.arange(-(-size // 4))
            expected = words_at(positions, np.zeros_like(positions), 7).reshape(-1)[:size]
            np.testing.assert_array_equal(drawn.words32(size), expected)
    other = generator(7).manual_seed(8)
    assert other.words32(4).tolist() != generator(7).words32(4).tolist()


def test_the_state_is_a_seed_and_an_offset():
    one = generator(2**40 + 5)
    assert one.get_state().tolist() == [*(2**40 + 5).to_bytes(8, "little"), *bytes(8)]
    torch.rand(10, device="cuda", generator=one)
    assert one.get_offset() == 4
    torch.rand(4 * MOST + 1, device="cuda", generator=one)
    assert one.get_offset() == 12
    state = one.get_state()
    expected = torch.rand(5, device="cuda", generator=one)
    for other in (
        torch.Generator("cuda").set_state(state),
        one.set_state(state).clone_state(),
        copy.deepcopy(one),
        pickle.loads(pickle.dumps(one)),
        generator(2**40 + 5).set_offset(12),
    ):
        assert torch.equal(torch.rand(5, device="cuda", generator=other), expected)
    assert one.set_state(state[:8]).get_offset() == 0


def test_generators_share_a_state():
    one = generator()
    other = one.graphsafe_get_state()
    torch.rand(3, device="cuda", generator=one)
    assert other.get_offset() == 4
    third = torch.Generator("cuda")
    third.graphsafe_set_state(one)
    assert third.initial_seed() == 3 and third.get_offset() == 4


@pytest.mark.parametrize(
    ("mistake", "error", "words"),
    [
        (lambda g: g.set_offset(6), RuntimeError, "offset must be a multiple of 4"),
        (lambda g: g.set_state(torch.zeros(5056, dtype=torch.uint8)), RuntimeError, "RNG state is wrong size"),
        (lambda g: g.set_state(torch.zeros(16)), TypeError, "RNG state must be a torch.ByteTensor"),
        (lambda g: g.manual_seed(2**64), ValueError, "Overflow"),
        (lambda g: torch.rand(2, generator=g), RuntimeError, "Expected a 'cpu' device type for generator"),
    ],
)
def test_mistakes_change_nothing(mistake, error, words):
    one = generator().set_offset(8)
    with pytest.raises(error, match=words):
        mistake(one)
    assert (one.initial_seed(), one.get_offset()) == (3, 8)
