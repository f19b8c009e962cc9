"""PMI-1, by which the processes of an MPI world exchange their addresses: the side of the process manager.

MPI's library speaks it as lines of text over a socket that is open when MPI is initialised. No data of MPI goes through
it. The protocol is described in MPICH's documentation of PMI.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

__all__ = ["Manager"]

Send = Callable[[bytes], object]


class Manager:
    """The key-value space and the barrier of one world. `hosts` has the host name of each rank.

    The name of the space is unique to the world: MPI derives the names of its shared memory from it, and finds the
    memory of a world that was killed if two have the same name.
    """

    def __init__(self, name: str, hosts: Sequence[str]) -> None:
        self.name, self.size = name, len(hosts)
        self.values = {"PMI_process_mapping": mapping_of(hosts)}
        self.waiting: list[Send] = []

    def hear(self, line: str, send: Send) -> None:
        """Answers one line; the answer to a barrier is sent when all ranks have reached it."""
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        command = words.get("cmd", "")
        if command == "barrier_in":
            self.meet(send)
        else:
            send(f"{self.answer(command, words)}\n".encode())

    def meet(self, send: Send) -> None:
        """Counts one rank at the barrier, and lets all go on if it is the last."""
        self.waiting.append(send)
        if len(self.waiting) == self.size:
            waiting, self.waiting = self.waiting, []
            for each in waiting:
                each(b"cmd=barrier_out rc=0\n")

    def answer(self, command: str, words: dict[str, str]) -> str:
        """Returns the answer to a command."""
        match command:
            case "init":
                return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
            case "get_maxes":
                return "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024 rc=0"
            case "get_appnum":
                return "cmd=appnum appnum=0 rc=0"
            case "get_my_kvsname":
                return f"cmd=my_kvsname kvsname={self.name} rc=0"
            case "get_universe_size":
                return f"cmd=universe_size size={self.size} rc=0"
            case "put":
                self.values[words["key"]] = words["value"]
                return "cmd=put_result rc=0 msg=success"
            case "get":
                result = self.values.get(words["key"])
                return (
                    f"cmd=get_result rc=0 msg=success value={result}" if result else "cmd=get_result rc=-1 msg=unknown"
                )
            case "finalize":
                return "cmd=finalize_ack rc=0"
        return f"cmd={command}_result rc=-1 msg=not_supported"


def mapping_of(hosts: Sequence[str]) -> str:
    """Returns which ranks share a machine, in PMI's notation: (first machine, machines, ranks on each).

    >>> mapping_of(["a", "a", "b"])
    '(vector,(0,1,2),(1,1,1))'
    """
    number = {host: k for k, host in enumerate(dict.fromkeys(hosts))}
    runs = [(number[host], len(list(ranks))) for host, ranks in groupby(hosts)]
    return f"(vector,{','.join(f'({machine},1,{count})' for machine, count in runs)})"
