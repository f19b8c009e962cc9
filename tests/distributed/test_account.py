"""What a process group says of itself: by `explain`, and in the log."""


def test_a_group_explains_itself(outputs):
    outputs("""
        start()
        for _ in range(3):
            dist.all_reduce(torch.ones(4))
        dist.broadcast(torch.ones(2), 0)
        dist.barrier()
        explanation = torch.explain(dist.group.WORLD)
        facts = explanation.facts
        assert facts["calls"]["all_reduce"][:2] == (3, 48) and facts["ranks"] == [0, 1], facts
        text = str(explanation)
        assert f"process group of 2 ranks, and this process is rank {rank} of it" in text, text
        last = f"rank {rank}: #5 barrier() at program.py:"  # the other may be in the next call
        assert "all_reduce: 3 times, 48 bytes, " in text and last in text, text
        dist.barrier()
        time.sleep(0.1)
        if rank == 1:
            os._exit(0)  # without a word
        assert "has ended" in of(dist.barrier)
        assert "rank 1 (pid" in str(torch.explain(dist.group.WORLD)).splitlines()[-2]
        os._exit(0)
    """)


def test_calls_are_logged(outputs):
    texts = outputs("start()\ndist.all_reduce(torch.ones(4))", RUSHLIGHT_LOGS="+distributed")
    for rank, text in enumerate(texts):
        assert f"default_pg: rank {rank} of 2, backend gloo" in text, text
        assert "all_reduce #1 of the default group: 16 bytes, " in text, text
    texts = outputs("start()\ndist.all_reduce(torch.ones(4))")
    assert texts == ["", ""]
