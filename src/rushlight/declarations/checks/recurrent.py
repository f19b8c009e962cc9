"""Checks of `recurrent.py`: raise what PyTorch refuses, with its messages."""

from __future__ import annotations

from rushlight.declarations.shapes import length


def check_rank(value, rank: int) -> None:
    """Raises IndexError for too few or too many dimensions."""
    if value.ndim != rank:
        low = value.ndim
        raise IndexError(f"Dimension out of range (expected to be in range of [{-low}, {low - 1}], but got {low})")


def refuse_cell(input, states, w_ih, w_hh, gates: int) -> None:
    """Says what does not belong together."""
    if gates == 1:  # PyTorch checks this first for networks without gates
        check_gates(w_ih, w_hh, gates)
    if length(input, 1) != length(w_ih, 1):
        raise RuntimeError(f"input has inconsistent input_size: got {input.shape[1]} expected {w_ih.shape[1]}")
    for number, each in enumerate(states):
        if input.shape[0] != length(each, 0):
            raise RuntimeError(
                f"Input batch size {input.shape[0]} doesn't match hidden{number} batch size {each.shape[0]}"
            )
        if length(each, 1) != length(w_hh, 1):
            raise RuntimeError(
                f"hidden{number} has inconsistent hidden_size: got {each.shape[1]}, expected {w_hh.shape[1]}"
            )
    check_gates(w_ih, w_hh, gates)
    for each in (input, *states):
        check_rank(each, 2)


def check_gates(w_ih, w_hh, gates: int) -> None:
    """Raises unless the weights have rows for each gate."""
    rows = gates * length(w_hh, 1)
    for name, each in (("weight_ih", w_ih), ("weight_hh", w_hh)) if gates == 1 else (("weight_ih", w_ih),):
        if length(each, 0) != rows:
            raise RuntimeError(f"{name} first dim must be {gates} * hidden_size = {rows}, but got {each.shape[0]}")


def check_lstm_states(hx) -> None:
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
