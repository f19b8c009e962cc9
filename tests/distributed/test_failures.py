"""Nothing hangs and nothing is wrong in silence: every rank that lives hears what has happened, and where."""

import pytest


def test_a_killed_rank_is_heard_of_within_a_second(ranks):
    survivor, killed = ranks("""
        start(timeout=timedelta(seconds=60))
        dist.all_reduce(torch.ones(2))
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.3)
        since = time.monotonic()
        print(of(lambda: dist.all_reduce(torch.ones(3))), time.monotonic() - since < 1)
        print(of(lambda: dist.barrier()))
    """)
    assert killed.code == -9
    first, second = survivor.output.strip().splitlines()
    assert first.startswith("DistBackendError: rank 1 (pid ") and first.endswith(" True")
    assert "has ended; while all_reduce #2 of the default group waited" in first
    assert second.startswith("DistBackendError: The process group has failed: rank 1 (pid ")


def test_a_rank_that_raises_tells_the_others_why(ranks):
    other, raising = ranks("""
        start(timeout=timedelta(seconds=60))
        dist.barrier()
        if rank == 1:
            raise ValueError("bad batch")
        print(of(lambda: dist.all_reduce(torch.ones(3))))
    """)
    assert raising.code == 1
    assert "failed: ValueError: bad batch" in other.output


DIFFERENT = {
    "shapes": "lambda: dist.all_reduce(torch.ones(10 if rank == 0 else 20))",
    "dtypes": "lambda: dist.all_reduce(torch.ones(8, dtype=torch.float32 if rank == 0 else torch.int32))",
    "operators": "lambda: dist.all_reduce(torch.ones(8), op=dist.ReduceOp.SUM if rank == 0 else dist.ReduceOp.MAX)",
    "collectives": "lambda: dist.all_reduce(torch.ones(8)) if rank == 0 else dist.broadcast(torch.ones(8), 0)",
    "groups": "lambda: dist.new_group([0] if rank == 0 else [1])",
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_different_calls_are_named_with_both_lines(outputs, what):
    texts = outputs(f"""
        start(timeout=timedelta(seconds=30))
        since = time.monotonic()
        print(of({DIFFERENT[what]}))
        print(time.monotonic() - since < 2)
        os._exit(0)
    """)
    for text in texts:
        words, quick = text.strip().splitlines()
        assert "DistBackendError: Ranks have made different calls: rank " in words, texts
        assert words.count("program.py:") == 2
        assert quick == "True"


def test_a_broadcast_into_a_larger_tensor_is_an_error_where_it_is_received(outputs):
    _, receiver = outputs("""
        start(timeout=timedelta(seconds=30))
        print(of(lambda: dist.broadcast(torch.ones(10 if rank == 0 else 20), 0)))
        os._exit(0)
    """)
    assert "float32 [20]" in receiver and "float32 [10]" in receiver


@pytest.mark.parametrize("taken", ["[2, 2]", "[1, 1]"], ids=["fewer", "more"])
def test_an_all_to_all_of_other_sizes_than_expected(outputs, taken):
    texts = outputs(f"""
        start(timeout=timedelta(seconds=30))
        sent = [[1, 2], [2, 1]][rank]
        print(of(lambda: dist.all_to_all_single(torch.zeros(sum({taken})), torch.arange(3.0), {taken}, sent)))
        os._exit(0)
    """)
    assert any("sends rank" in text and "expected from it; while all_to_all #1 of" in text for text in texts), texts
    assert all("DistBackendError: " in text for text in texts), texts


def test_the_time_is_over_and_the_late_rank_is_named(outputs):
    waiting, _ = outputs("""
        start(timeout=timedelta(seconds=1))
        dist.barrier()
        if rank == 1:
            time.sleep(2)
            os._exit(0)
        since = time.monotonic()
        print(of(lambda: dist.all_reduce(torch.ones(3))))
        print(1 <= time.monotonic() - since < 1.5)
        os._exit(0)
    """)
    assert "Timed out waiting 1000ms for all_reduce to complete: rank 1 (pid " in waiting
    assert waiting.endswith("True\n")


def test_a_group_that_a_member_does_not_come_to_make(outputs):
    waiting, _ = outputs("""
        start(timeout=timedelta(seconds=1))
        dist.barrier()
        if rank == 1:
            time.sleep(2)
            os._exit(0)
        print(of(lambda: dist.new_group([0, 1], use_local_synchronization=True)))
        print(of(lambda: dist.new_group([0, 1], timedelta(seconds=30), use_local_synchronization=True)))
        os._exit(0)
    """)
    late, ended = waiting.splitlines()
    assert late.startswith("DistStoreError: new_group: rank 1 (pid ") and late.endswith("did not come within 1000ms")
    assert ended.startswith("DistBackendError: rank 1 (pid ") and "has ended" in ended


def test_a_rank_that_has_left_is_not_waited_for(outputs):
    waiting, _ = outputs("""
        start(timeout=timedelta(seconds=60))
        dist.barrier()
        if rank == 0:
            print(of(lambda: dist.all_reduce(torch.ones(3))))
    """)
    assert "has left its process group" in waiting


def test_a_rank_that_has_done_its_part_may_leave(outputs):
    outputs(
        """
        start(timeout=timedelta(seconds=20))
        dist.barrier()
        if rank == 2:
            time.sleep(1.5)  # the others have ended
        x = torch.ones(3)
        dist.reduce(x, 0)
        assert rank or x.tolist() == [3, 3, 3]
        """,
        size=3,
    )


def test_any_rank_may_send_until_all_have_left(outputs):
    receiver, *_ = outputs(
        """
        start(timeout=timedelta(seconds=20))
        dist.barrier()
        x = torch.ones(3)
        if rank == 0:
            print(dist.recv(x), dist.recv(x), of(lambda: dist.recv(x)))
        else:
            time.sleep(1.5 * (rank - 1))
            dist.send(x, 0)
        """,
        size=3,
    )
    assert receiver.startswith("1 2 DistBackendError: rank 1 (pid ") and "has left" in receiver, receiver


def test_a_rank_that_never_comes_is_named(mpi_is_there, ranks):
    first, _ = ranks("""
        if rank == 0:
            try:
                start(timeout=timedelta(seconds=1))
            except RuntimeError as error:
                print(error, error.__notes__)
    """)
    assert "Timed out after 1 seconds waiting for clients. 1/2 clients joined." in first.output
    assert "Rank 1 did not come" in first.output


def test_a_monitored_barrier_names_who_is_missing_and_can_be_called_again(outputs):
    texts = outputs("""
        start()
        if rank == 1:
            time.sleep(1.5)
        print(of(lambda: dist.monitored_barrier(timeout=timedelta(seconds=1))))
        print(of(lambda: dist.monitored_barrier()))
    """)
    assert all("RuntimeError: Rank 1 failed to pass monitoredBarrier in 1000 ms" in text for text in texts)
    assert [text.splitlines()[1:] for text in texts] == [["None"], ["None"]]


def test_a_forked_child_is_in_no_group_and_the_parents_end_is_heard(ranks):
    other, _ = ranks("""
        start(timeout=timedelta(seconds=60))
        dist.barrier()
        if rank == 1:
            if not os.fork():
                print(of(lambda: dist.barrier()), flush=True)
                time.sleep(1.5)
                os._exit(0)
            time.sleep(0.5)
            os.kill(os.getpid(), signal.SIGKILL)
        print(of(lambda: dist.barrier()), flush=True)
    """)
    assert "rank 1 (pid " in other.output and "has ended" in other.output


def test_a_rank_that_ends_while_mpi_starts_is_heard_of(ranks):
    other, _ = ranks("""
        if rank == 1:
            dist.mpi.start = lambda *place: os._exit(3)
        since = time.monotonic()
        print(of(start), time.monotonic() - since < 3, flush=True)
        os._exit(0)
    """)
    assert other.output.startswith("DistBackendError: rank 1 (pid "), other.output
    assert other.output.endswith("has ended while the process group was being made True\n")


def test_ranks_on_different_machines_compare_what_they_wait_for(outputs):
    texts = outputs("""
        import socket
        host = f"machine{rank}"
        socket.gethostname = lambda: host
        start(timeout=timedelta(seconds=30))
        dist.barrier()
        since = time.monotonic()
        x = torch.ones(8)
        print(of(lambda: dist.broadcast(x, 1 - rank)), time.monotonic() - since < 4)  # both receive
        time.sleep(0.5)
        os._exit(0)
    """)
    assert all("Ranks have made different calls: rank " in text and text.endswith("True\n") for text in texts), texts


def test_in_detail_ranks_on_different_machines_compare_each_call(outputs):
    texts = outputs(
        """
        import socket
        host = f"machine{rank}"
        socket.gethostname = lambda: host
        start(timeout=timedelta(seconds=30))
        x = torch.ones(3)
        dist.all_reduce(x)
        assert x.tolist() == [2, 2, 2]
        print(of(lambda: dist.all_reduce(torch.ones(8, dtype=torch.float32 if rank == 0 else torch.int32))))
        time.sleep(0.5)
        os._exit(0)
    """,
        TORCH_DISTRIBUTED_DEBUG="DETAIL",
    )
    for text in texts:
        assert "#2 all_reduce(float32 [8], SUM) at " in text and "#2 all_reduce(int32 [8], SUM) at " in text, text


def test_mpi_that_a_package_has_started_alone_is_named(outputs):
    texts = outputs("""
        if rank == 1:
            from mpi4py import MPI  # starts it
        try:
            start(timeout=timedelta(seconds=10))
        except RuntimeError as error:
            print(error, error.__notes__[0])
    """)
    for text in texts:
        assert "MPI runs already in rank 1, without the others" in text and "torchrun" in text, text
