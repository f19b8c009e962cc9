"""The stores by which processes find each other; they need no MPI."""

import socket
import threading
import time
from datetime import timedelta

import pytest

import rushlight.distributed as dist
from rushlight.distributed import stores
from rushlight.distributed.wire import packed

from .conftest import free_port

SHORT = timedelta(seconds=0.2)


@pytest.fixture(params=["hash", "tcp", "file", "prefix"])
def store(request, tmp_path):
    match request.param:
        case "hash":
            return dist.HashStore()
        case "tcp":
            return dist.TCPStore("127.0.0.1", 0, is_master=True)
        case "file":
            return dist.FileStore(str(tmp_path / "store"))
    return dist.PrefixStore("part", dist.HashStore())


def test_values_and_numbers(store):
    store.set("text", "word")
    store.set("bytes", b"\x00\xff")
    assert (store.get("text"), store.get("bytes")) == (b"word", b"\x00\xff")
    assert [store.add("number", amount) for amount in (5, -2, 0)] == [5, 3, 3]
    assert store.check(["text", "number"]) and not store.check(["text", "absent"])
    store.append("text", "s")
    store.multi_set(["a", "b"], ["1", b"2"])
    assert store.multi_get(["a", "b", "text"]) == [b"1", b"2", b"words"]
    assert (store.delete_key("a"), store.delete_key("a"), store.check(["a"])) == (True, False, False)
    assert store.num_keys() == 4


def test_a_value_is_set_only_if_it_is_as_expected(store):
    assert store.compare_set("key", "something", "new") == b"something"
    assert store.compare_set("key", "", "first") == b"first"
    assert store.compare_set("key", "other", "second") == b"first"
    assert store.compare_set("key", "first", "second") == b"second"


def test_what_is_not_there_is_waited_for(store):
    setter = threading.Timer(0.1, lambda: store.set("late", "there"))
    if isinstance(store, dist.TCPStore):  # its connection is used by one thread at a time
        setter = threading.Timer(0.1, lambda: dist.TCPStore("127.0.0.1", store.port).set("late", "there"))
    setter.start()
    assert store.get("late") == b"there"
    setter.join()
    since = time.monotonic()
    with pytest.raises(dist.DistStoreError, match=r"wait timeout after 200ms, keys: (part/)?never"):
        store.wait(["late", "never"], SHORT)
    assert 0.2 <= time.monotonic() - since < 2


def test_two_connections_and_two_files_have_the_same_keys(tmp_path):
    first = dist.TCPStore("localhost", 0, is_master=True)
    second = dist.TCPStore("localhost", first.port)
    first.set("key", "x" * 1_000_000)
    assert second.get("key") == first.clone().get("key") == b"x" * 1_000_000
    one, two = (dist.FileStore(str(tmp_path / "store")) for _ in range(2))
    one.set("key", "value")
    assert two.add("n", 2) == 2 and one.add("n", 3) == 5 and two.get("key") == b"value"


def test_what_is_no_number_cannot_be_added_to_and_the_store_goes_on(store):
    store.set("text", "word")
    with pytest.raises(ValueError, match="text is no number: b'word'"):
        store.add("text", 1)
    assert store.get("text") == b"word"


def test_a_stranger_on_the_port_is_hung_up_on():
    store = dist.TCPStore("127.0.0.1", 0, is_master=True)
    for words in (b"\0\0\0\1x", packed(b"world", b"pmi", b"unknown"), packed(b"get", b"soon", b"key")):
        with socket.create_connection(("127.0.0.1", store.port)) as stranger:
            stranger.sendall(words)
            assert stranger.recv(1) == b""
    store.set("key", "value")
    assert store.get("key") == b"value"


def test_an_interrupted_question_leaves_no_answer_to_the_next(monkeypatch):
    store = dist.TCPStore("127.0.0.1", 0, is_master=True)
    store.set("one", "1")
    store.set("two", "2")
    with monkeypatch.context() as patch:
        patch.setattr(stores, "receive", interrupt)
        with pytest.raises(KeyboardInterrupt):
            store.get("one")
    with pytest.raises(dist.DistNetworkError, match="does not answer"):
        store.get("two")


def interrupt(*arguments):
    raise KeyboardInterrupt


def test_a_port_in_use_and_a_server_that_is_not_there_are_named():
    used = dist.TCPStore("127.0.0.1", 0, is_master=True)
    assert dist.TCPStore("127.0.0.1", used.port, is_master=True).port == used.port  # the same process shares it
    with pytest.raises(dist.DistNetworkError, match="timed out after 200ms") as caught:
        dist.TCPStore("127.0.0.1", free_port(), timeout=SHORT)
    assert "Connection refused" in caught.value.__notes__[0]
    listener = socket.create_server(("", 0))
    port = listener.getsockname()[1]
    with pytest.raises(dist.DistNetworkError, match=f"port: {port}"):
        dist.TCPStore("127.0.0.1", port, is_master=True)
    listener.close()
