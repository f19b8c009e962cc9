"""`torch.cpu`: streams and events that have nothing to do, and what the processor can do."""

import platform

import pytest

import rushlight
from rushlight.cpu.capabilities import flags_in

pytorch = pytest.importorskip("torch")


def test_the_names_are_those_of_pytorch():
    assert set(pytorch.cpu.__all__) <= set(dir(rushlight.cpu))


def test_a_stream_and_an_event(torch):
    stream, event = torch.cpu.Stream(priority=0), torch.cpu.Event()
    assert (stream.wait_stream(torch.cpu.Stream()), stream.record_event(), stream.wait_event(event)) == (None,) * 3
    assert (event.record(stream), event.synchronize(), event.wait(stream), event.query()) == (None, None, None, True)


def test_the_current_stream(torch):
    first, other, third = torch.cpu.current_stream(), torch.cpu.Stream(), torch.cpu.Stream()
    with torch.cpu.stream(other):
        assert torch.cpu.current_stream("cpu") is other
        with torch.cpu.StreamContext(third), torch.cpu.stream(None):
            assert torch.cpu.current_stream() is third
        assert torch.cpu.current_stream() is other
    assert torch.cpu.current_stream() is first


def test_what_the_processor_can_do():
    theirs, ours = pytorch.cpu.get_capabilities(), rushlight.cpu.get_capabilities()
    assert ours["architecture"] == theirs["architecture"]
    with pytest.raises(TypeError):
        ours["avx"] = True
    if platform.system() == "Linux":
        # Linux of before 6.10 does not list AVX10.
        same = [name for name in theirs if isinstance(theirs[name], bool) and not name.startswith("avx10")]
        assert {name: ours.get(name) for name in same} == {name: theirs[name] for name in same}


def test_flags_are_those_of_the_first_processor():
    assert flags_in("processor\t: 0\nflags\t\t: sse avx\n\nprocessor\t: 1\nflags\t\t: sse\n") == {"sse", "avx"}
    assert flags_in("Features\t: fp asimd\n") == {"fp", "asimd"}
    assert flags_in("vendor_id\t: other\n") == frozenset()
