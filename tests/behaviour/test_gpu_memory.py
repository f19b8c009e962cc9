"""The memory of simulated GPUs: what is counted, and what happens when it is full. rushlight alone."""

import gc

import pytest

import rushlight as torch

pytestmark = pytest.mark.filterwarnings("ignore:.*simulated")
MIB = 2**20
cuda = torch.cuda


@pytest.fixture(autouse=True)
def device():
    gc.collect()
    with cuda.simulate(devices=2, memory=64 * MIB):
        cuda.empty_cache()
        for index in range(2):
            cuda.reset_peak_memory_stats(index)
            cuda.reset_accumulated_memory_stats(index)
        yield


def rise(make, device=0):
    """By how many bytes the memory in use grows while what `make` returns is alive, and after it is gone."""
    before = cuda.memory_allocated(device)
    result = make()
    alive = cuda.memory_allocated(device) - before
    del result
    return alive, cuda.memory_allocated(device) - before


@pytest.mark.parametrize(
    ("count", "size"), [(0, 0), (1, 512), (128, 512), (129, 1024), (1000, 4096), (MIB // 4 + 1, MIB + 512)]
)
def test_tensors_are_counted_in_blocks_of_512_bytes_while_they_live(count, size):
    assert rise(lambda: torch.zeros(count, device="cuda")) == (size, 0)


X = "x = torch.zeros(256, device='cuda')"  # 1024 bytes


@pytest.mark.parametrize(
    ("program", "size"),
    [
        ("y = x[3:]", 0),  # a view
        ("y = x.reshape(16, 16).t()", 0),
        ("y = x.detach()", 0),
        ("y = x + 1", 1024),
        ("y = x.half()", 512),
        ("y = x.double()", 2048),
        ("y = x.add_(1)", 0),
        ("y = x.cpu()", 0),
        ("y = x.to('cuda:1')", 0),
        ("y = x > 0", 512),
        ("y = torch.cat([x, x])", 2048),
        ("y = x.sum()", 512),
        ("y = x[x > 0]", 0),  # nothing is left
        ("y = torch.nn.Linear(16, 16, device='cuda')", 1536),
        ("y = x.clone()[:2]", 1024),  # a view keeps all
        ("y = torch.randn(256, device='cuda')", 1024),
        ("y = torch.UntypedStorage(600, device='cuda')", 1024),
    ],
)
def test_what_each_operation_adds(program, size):
    names = {"torch": torch}
    exec(X, names)
    before = cuda.memory_allocated()
    exec(program, names)
    assert cuda.memory_allocated() - before == size


def test_each_device_has_its_own_counters():
    assert rise(lambda: torch.zeros(10, device="cuda:1"), 0) == (0, 0)
    assert rise(lambda: torch.zeros(10, device="cuda:1"), 1) == (512, 0)
    x = torch.zeros(10, device="cuda:1")
    with cuda.device(1):
        assert cuda.memory_allocated() == cuda.memory_allocated("cuda:1") >= 512
    del x


def test_peaks_remember_what_is_gone():
    base = cuda.memory_allocated()
    x = torch.zeros(3 * MIB // 4, device="cuda")  # 3 MB
    del x
    assert cuda.memory_allocated() == base and cuda.max_memory_allocated() == base + 3 * MIB
    cuda.reset_peak_memory_stats()
    assert cuda.max_memory_allocated() == base
    with pytest.warns(FutureWarning, match="which resets /all/ peak memory stats"):
        cuda.reset_max_memory_allocated()


def test_freed_memory_is_kept_until_the_cache_is_emptied():
    reserved = cuda.memory_reserved()
    x = torch.zeros(MIB, device="cuda")  # 4 MB, from a segment of 20 MB
    assert cuda.memory_reserved() == reserved + 20 * MIB
    del x
    assert cuda.memory_reserved() == reserved + 20 * MIB
    y = torch.zeros(MIB, device="cuda")  # the same block again
    assert cuda.memory_reserved() == reserved + 20 * MIB
    cuda.empty_cache()
    assert cuda.memory_reserved() == reserved + 20 * MIB  # in use
    del y
    cuda.empty_cache()
    assert cuda.memory_reserved() == reserved
    with cuda.caching_allocator_disabled():
        z = torch.zeros(MIB, device="cuda")
        del z
        assert cuda.memory_reserved() == reserved


@pytest.mark.parametrize(
    ("size", "segment"), [(100, 2), (MIB, 2), (MIB + 1, 20), (10 * MIB - 512, 20), (10 * MIB, 10), (11 * MIB + 1, 12)]
)
def test_the_sizes_of_segments(size, segment):
    reserved = cuda.memory_reserved()
    x = torch.zeros(size, dtype=torch.uint8, device="cuda")
    assert cuda.memory_reserved() - reserved == segment * MIB
    del x


def test_the_statistics_have_pytorchs_names_and_add_up():
    x = torch.zeros(100, device="cuda")
    y = torch.zeros(MIB, device="cuda")
    stats = cuda.memory_stats()
    for name in "allocation segment active inactive_split allocated_bytes reserved_bytes active_bytes".split() + [
        "inactive_split_bytes", "requested_bytes",
    ]:  # fmt: skip
        for column in ("current", "peak", "allocated", "freed"):
            small, large = stats[f"{name}.small_pool.{column}"], stats[f"{name}.large_pool.{column}"]
            if column != "peak":
                assert stats[f"{name}.all.{column}"] == small + large
        current, peak = stats[f"{name}.all.current"], stats[f"{name}.all.peak"]
        assert 0 <= current <= peak
    assert stats["requested_bytes.all.current"] <= stats["allocated_bytes.all.current"]
    free, total = cuda.mem_get_info()
    assert total - free == stats["reserved_bytes.all.current"]
    assert stats["allocated_bytes.large_pool.current"] >= 4 * MIB and stats["num_ooms"] == 0
    assert list(stats) == sorted(stats)
    assert cuda.memory_stats_as_nested_dict()["allocated_bytes"]["all"]["current"] == cuda.memory_allocated()
    text = cuda.memory_summary()
    assert "PyTorch CUDA memory summary, device ID 0" in text and "from large pool" in text
    assert {len(line) for line in text.splitlines()} == {77}
    assert len(cuda.memory_summary(abbreviated=True)) < len(text)
    del x, y


def test_a_snapshot_shows_every_block_and_the_line_that_made_it():
    x = torch.zeros(100, device="cuda")
    segments = cuda.memory_snapshot()
    blocks = [block for segment in segments for block in segment["blocks"]]
    used = [block for block in blocks if block["state"] == "active_allocated"]
    assert sum(block["size"] for block in used) == cuda.memory_allocated(0) + cuda.memory_allocated(1)
    assert all(sum(block["size"] for block in segment["blocks"]) == segment["total_size"] for segment in segments)
    assert any(frame["filename"] == __file__ for block in used for frame in block["frames"])
    del x


def test_a_full_device_says_so_in_pytorchs_words_and_what_fills_it():
    weights = torch.zeros(5 * MIB, device="cuda")  # 20 MB
    with pytest.raises(torch.OutOfMemoryError) as caught:
        torch.zeros(20 * MIB, device="cuda")  # 80 MB
    text = str(caught.value)
    assert text.startswith(
        "CUDA out of memory. Tried to allocate 80.00 MiB. GPU 0 has a total capacity of 64.00 MiB of which "
    )
    assert "MiB is allocated by PyTorch, and" in text and "is reserved by PyTorch but unallocated." in text
    note = "\n".join(caught.value.__notes__)
    assert "20.00 MiB  1 tensor (weights), made at test_gpu_memory.py:" in note
    assert isinstance(caught.value, RuntimeError) and cuda.OutOfMemoryError is torch.OutOfMemoryError
    assert cuda.memory_stats()["num_ooms"] == 1
    assert weights.sum().item() == 0  # the program goes on


def test_cached_memory_is_given_back_before_the_device_counts_as_full():
    x = torch.zeros(10 * MIB, device="cuda")  # 40 MB
    del x
    y = torch.zeros(15 * MIB, device="cuda")  # 60 MB: fits when the 40 are returned
    assert cuda.memory_stats()["num_alloc_retries"] == 1 and cuda.memory_stats()["num_ooms"] == 0
    del y


def test_a_batch_that_does_not_fit_is_halved_until_it_does():
    """The loop that programs write around out of memory: nothing of the failed step stays."""
    model = torch.nn.Linear(256, 256, device="cuda")
    base, batch, sizes = cuda.memory_allocated(), 65536, []
    while True:
        try:
            loss = model(torch.ones(batch, 256, device="cuda")).relu().sum()
            loss.backward()
            break
        except torch.cuda.OutOfMemoryError:
            sizes.append(batch)
            model.zero_grad()
            batch //= 2
    assert sizes and batch < 65536
    del loss
    model.zero_grad()
    gc.collect()
    assert cuda.memory_allocated() == base


def test_a_fraction_of_the_memory():
    cuda.set_per_process_memory_fraction(0.25)
    try:
        assert cuda.get_per_process_memory_fraction() == 0.25
        with pytest.raises(torch.OutOfMemoryError, match="16.00 MiB allowed"):
            torch.zeros(5 * MIB, device="cuda")
    finally:
        cuda.set_per_process_memory_fraction(1.0)
    for wrong, error in ((1, TypeError), (1.5, ValueError), (-0.1, ValueError)):
        with pytest.raises(error):
            cuda.set_per_process_memory_fraction(wrong)


def test_training_does_not_grow():
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    seen = set()
    for step in range(30):
        optimizer.zero_grad()
        model(torch.ones(4, 8, device="cuda")).sum().backward()
        optimizer.step()
        if step > 2:
            seen.add(cuda.memory_allocated())
    assert len(seen) == 1


def test_memory_can_be_allocated_by_hand():
    before = cuda.memory_allocated()
    address = cuda.caching_allocator_alloc(1000)
    assert address > 0 and cuda.memory_allocated() == before + 1024
    cuda.caching_allocator_delete(address)
    assert cuda.memory_allocated() == before
    with pytest.raises(RuntimeError, match="invalid device pointer"):
        cuda.caching_allocator_delete(address)


def test_a_pool_of_its_own():
    pool = cuda.MemPool()
    with cuda.use_mem_pool(pool):
        x = torch.zeros(10, device="cuda")
        assert pool.use_count() == 2
    (segment,) = pool.snapshot()
    assert segment["segment_pool_id"] == pool.id and segment["allocated_size"] == 512
    y = torch.zeros(10, device="cuda")
    assert pool.snapshot()[0]["allocated_size"] == 512
    del x, y
    assert pool.snapshot()[0]["allocated_size"] == 0


def test_streams_do_not_share_free_memory():
    reserved, side = cuda.memory_reserved(), cuda.Stream()
    x = torch.zeros(MIB, device="cuda")
    del x
    with cuda.stream(side):
        y = torch.zeros(MIB, device="cuda")
    assert cuda.memory_reserved() == reserved + 40 * MIB
    y.record_stream(cuda.current_stream())
    del y


def test_pinned_memory_is_counted():
    before = cuda.host_memory_stats()["allocated_bytes.current"]
    x = torch.ones(1000).pin_memory()
    assert cuda.host_memory_stats()["allocated_bytes.current"] == before + 4096
    del x
    assert cuda.host_memory_stats()["allocated_bytes.current"] == before
    cuda.reset_peak_host_memory_stats()
    assert cuda.host_memory_stats()["allocated_bytes.peak"] == before
