"""Random generators: seeds, states that PyTorch understands, copies, and NumPy's words behind every draw."""

import copy
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rushlight.arrays import mt19937
from rushlight.core.generator import DEFAULT_SEED, Generator


def changed(state, **fields):
    """`state` with other numbers in its header."""
    state = state.copy()
    at = {"left": (8, np.int32), "seeded": (12, np.int32), "next": (16, np.uint64)}
    for field, value in fields.items():
        start, kind = at[field]
        state[start : start + np.dtype(kind).itemsize].view(kind)[0] = value
    return state


@pytest.mark.parametrize("count", [0, 1, 3, 623, 624, 625, 1248, 5000])
def test_states_go_to_pytorch_and_back(pytorch, streams, count):
    ours, theirs = streams(11)
    ours.words32(count)
    mt19937.normal(ours, (3,), np.float32)
    theirs.set_state(pytorch.from_numpy(ours.state_bytes()))
    again = Generator().set_state(theirs.get_state().numpy())
    for _ in range(3):
        want = pytorch.randn(5, generator=theirs).numpy()
        assert np.array_equal(mt19937.normal(ours, (5,), np.float32), want)
        assert np.array_equal(mt19937.normal(again, (5,), np.float32), want)
    assert np.array_equal(ours.state_bytes(), theirs.get_state().numpy())
    assert np.array_equal(again.state_bytes(), theirs.get_state().numpy())


@pytest.mark.parametrize(("left", "following"), [(100, 3), (1, 5), (1, 0), (1, 624), (624, 1), (2, 600)])
def test_a_state_that_leaves_out_words_goes_on_as_in_pytorch(pytorch, streams, left, following):
    ours, theirs = streams(4)
    mt19937.uniform(ours, (3,), np.float32)
    state = changed(ours.state_bytes(), left=left, next=following)
    ours.set_state(state)
    theirs.set_state(pytorch.from_numpy(state))
    for count in (1, 98, 3, 700):
        assert np.array_equal(ours.state_bytes(), theirs.get_state().numpy())
        got = mt19937.uniform(ours, (count,), np.float32)
        assert np.array_equal(got, pytorch.rand(count, generator=theirs).numpy())


def test_what_is_no_state_is_refused_and_changes_nothing(pytorch, streams):
    ours, theirs = streams(4)
    state = ours.state_bytes()
    bad = [
        state[:10], state.astype(np.float32), np.zeros_like(state), np.repeat(state, 2)[::2], changed(state, left=0),
        changed(state, left=625, next=0), changed(state, seeded=0), changed(state, left=1, next=625),
    ]  # fmt: skip
    for each in bad:
        with pytest.raises((RuntimeError, TypeError)) as their_error:
            theirs.set_state(pytorch.from_numpy(each.copy()) if each.flags.c_contiguous else pytorch.from_numpy(each))
        with pytest.raises(their_error.type) as our_error:
            ours.set_state(each)
        assert str(our_error.value) == str(their_error.value).splitlines()[0]
        assert np.array_equal(ours.state_bytes(), state)
    with pytest.raises(RuntimeError, match="Invalid mt19937 state"):
        ours.set_state(changed(state, left=624, next=5))  # PyTorch reads behind the end of its state


@pytest.mark.parametrize("seed", [0, 1, -1, 2**32, 2**63, -(2**63), 2**64 - 1])
def test_seeds(streams, seed):
    ours, theirs = streams(seed)
    assert ours.initial_seed() == theirs.initial_seed()
    assert np.array_equal(ours.state_bytes(), theirs.get_state().numpy())


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1, 1.5, "1", None, True])
def test_what_is_no_seed(streams, seed):
    ours, theirs = streams(9)
    with pytest.raises((RuntimeError, ValueError)) as their_error:
        theirs.manual_seed(seed)
    with pytest.raises(their_error.type) as our_error:
        ours.manual_seed(seed)
    assert str(our_error.value) == str(their_error.value).splitlines()[0]
    assert ours.initial_seed() == 9


def test_a_new_generator_starts_as_pytorchs(pytorch):
    assert Generator().initial_seed() == DEFAULT_SEED == pytorch.Generator().initial_seed()
    assert np.array_equal(Generator().state_bytes(), pytorch.Generator().get_state().numpy())
    assert str(Generator().device) == str(Generator("cpu:0").device) == "cpu"


def test_a_seed_of_the_systems():
    generator = Generator()
    seeds = {generator.seed() for _ in range(4)}
    assert len(seeds) == 4 and generator.initial_seed() in seeds
    words = generator.words32(5).tolist()
    assert Generator().manual_seed(generator.initial_seed()).words32(5).tolist() == words


def test_devices_without_a_generator(pytorch):
    with pytest.raises(RuntimeError) as their_error:
        pytorch.Generator("meta")
    with pytest.raises(RuntimeError) as our_error:
        Generator("meta")
    assert str(our_error.value) == str(their_error.value).splitlines()[0]
    with pytest.raises(RuntimeError, match="CPU Generator does not use offset"):
        Generator().get_offset()
    with pytest.raises(RuntimeError, match="CPU Generator does not use offset"):
        Generator().set_offset(1)
    with pytest.raises(NotImplementedError, match="graphsafe_get_state is not supported in this Generator"):
        Generator().graphsafe_get_state()


def pickled(generator):
    return pickle.loads(pickle.dumps(generator))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, Generator.clone_state, pickled])
def test_copies_go_on_alone(copied):
    generator = Generator().manual_seed(6)
    mt19937.normal(generator, (3,), np.float32)
    other = copied(generator)
    assert np.array_equal(other.state_bytes(), generator.state_bytes())
    words = generator.words32(1000).tolist()
    assert other.words32(1000).tolist() == words


def the_words(seed, count):
    """NumPy's legacy stream, which promises to stay as it is, draws whole words for the full range."""
    return np.random.RandomState(seed).randint(0, 2**32, count, dtype=np.uint64)


def test_words_are_those_of_the_mersenne_twister():
    """The first and, as the C++ standard has it, the ten thousandth word from the seed 5489 ([rand.predef])."""
    words = Generator().manual_seed(5489).words32(10000)
    assert (int(words[0]), int(words[-1])) == (3499211612, 4123659995)


def every_second(words):
    return words[0::2].copy()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1500)), max_size=12), st.integers(0, 2**32 - 1))
def test_however_words_are_drawn_they_come_in_order(draws, seed):
    stream = Generator().manual_seed(seed)
    words = the_words(seed, sum(2 * count + 2 for _, count in draws))
    taken = 0
    for kind, count in draws:
        following = words[taken:]
        if kind == 0:
            assert stream.words32(count).tolist() == following[:count].tolist()
        elif kind == 1:
            high, low = following[: 2 * count].reshape(-1, 2).T
            assert stream.words64(count).tolist() == (high << np.uint64(32) | low).tolist()
            count *= 2
        elif kind == 2:
            got = stream.derived(np.negative, count) if count else np.empty(0, np.uint32)
            assert got.tolist() == (-following[:count].astype(np.uint32)).tolist()
        elif kind == 6:
            got, count = stream.derived(every_second, 2 * count, 2, 2), 2 * count
            if got is None:  # a pair would have begun at the end of the words at hand
                got = every_second(stream.words32(count))
            assert got.tolist() == following[:count:2].tolist()
        elif kind == 3:
            assert (stream.word32(), count := 1) == (int(following[0]), 1)
        elif kind == 4:
            assert stream.word64() == int(following[0]) << 32 | int(following[1])
            count = 2
        else:
            stream, count = Generator().set_state(stream.state_bytes()), 0
        taken += count


def test_words_that_were_handed_out_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        Generator().words32(3)[0] = 0


def test_threads_share_a_stream_without_losing_or_repeating_a_number():
    stream = Generator().manual_seed(8)
    drawn = [[] for _ in range(4)]

    def draw(numbers):
        for count in range(200):
            numbers.append(mt19937.uniform(stream, (count,), np.float64))

    threads = [threading.Thread(target=draw, args=(numbers,)) for numbers in drawn]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    together = np.concatenate([each for numbers in drawn for each in numbers])
    alone = mt19937.uniform(Generator().manual_seed(8), (len(together),), np.float64)
    assert np.array_equal(np.sort(together), np.sort(alone))
    places_of = {number: place for place, number in enumerate(alone.tolist())}
    for each in drawn[0]:
        at = [places_of[number] for number in each.tolist()]
        assert at == list(range(at[0], at[0] + len(at))) if at else True  # the numbers of one draw stay together


def test_states_are_reported_again_as_they_were(torch):
    generator = torch.Generator().manual_seed(3)
    torch.rand(700, generator=generator)
    first = generator.get_state()
    assert torch.equal(generator.get_state(), first)
    numbers = torch.rand(700, generator=generator)
    assert not torch.equal(generator.get_state(), first)
    generator.set_state(first)
    assert torch.equal(generator.get_state(), first)
    assert torch.equal(torch.rand(700, generator=generator), numbers)
    generator.set_state(first).manual_seed(3)
    assert torch.equal(torch.rand(1400, generator=generator)[700:], numbers)
