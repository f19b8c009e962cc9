"""Forecast a chaotic time series with an LSTM.

    python -m rushlight examples/forecast_lstm.py      # without PyTorch
    python examples/forecast_lstm.py                   # with it

It needs `tqdm`. The series is that of Mackey and Glass ("Oscillation and chaos in physiological control systems",
Science 197, 1977), a usual test of forecasting: how many blood cells a body makes depends on how many it had before.
"""

import argparse
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

LENGTH = 2000
TEST_LENGTH = 500
WINDOW = 48
AHEAD = 6
DELAY = 17
BATCH_SIZE = 32


def mackey_glass():
    """x' = 0.2 x(t - 17) / (1 + x(t - 17)^10) - 0.1 x, by Euler's method in steps of 0.1, once per unit of time."""
    steps_per_unit = 10
    delay = DELAY * steps_per_unit
    values = [1.2] * (delay + 1)
    for _ in range((LENGTH + 100) * steps_per_unit):
        late = values[-delay - 1]
        values.append(values[-1] + (0.2 * late / (1 + late**10) - 0.1 * values[-1]) / steps_per_unit)
    series = torch.tensor(values[::steps_per_unit][-LENGTH:])
    return (series - series.mean()) / series.std()


def windows(series):
    """Every stretch of the series, (count, WINDOW, 1), and the values that follow it, (count, AHEAD)."""
    stretches = series.unfold(0, WINDOW + AHEAD, 1)
    return stretches[:, :WINDOW, None], stretches[:, WINDOW:]


class Forecaster(nn.Module):
    """An LSTM reads the stretch; its last state says how far the next values lie from the last one seen."""

    def __init__(self, size=32):
        super().__init__()
        self.lstm = nn.LSTM(1, size, batch_first=True)
        self.output = nn.Linear(size, AHEAD)

    def forward(self, past):
        states, _ = self.lstm(past)  # (batch, WINDOW, size)
        return past[:, -1] + self.output(states[:, -1])


def train(model, past, future, steps):
    """Learn from random stretches; the loss of every step."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
    losses = []
    progress = tqdm(range(steps), desc="training", unit="step")
    for _ in progress:
        batch = torch.randint(len(past), (BATCH_SIZE,))
        optimizer.zero_grad()
        loss = F.mse_loss(model(past[batch]), future[batch])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        progress.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
    return losses


def draw(series, forecast):
    """Draws the series (o) and its forecast (x) side by side, time going down; * where they meet."""
    for true, guessed in zip(series.tolist(), forecast.tolist(), strict=True):
        line = [" "] * 61
        at, guessed_at = (min(60, max(0, round(30 + 12 * value))) for value in (true, guessed))
        line[at], line[guessed_at] = "o", "x"
        if at == guessed_at:
            line[at] = "*"
        print("".join(line).rstrip())


def main():
    parser = argparse.ArgumentParser(description="Forecast a chaotic time series with an LSTM.")
    parser.add_argument("--quick", action="store_true", help="a fifth of the training, for a first look")
    parser.add_argument("--seed", type=int, default=0, help="of everything random (default: %(default)s)")
    parser.add_argument("--losses", type=Path, help="write the loss of every step to this file")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    series = mackey_glass()
    past, future = windows(series[:-TEST_LENGTH])
    test_past, test_future = windows(series[-TEST_LENGTH:])
    model = Forecaster()
    losses = train(model, past, future, steps=200 if options.quick else 1000)
    if options.losses:
        options.losses.write_text("\n".join(map(str, losses)))
    with torch.no_grad():
        forecast = model(test_past)  # (count, AHEAD)
        error = F.mse_loss(forecast, test_future).sqrt().item()
        stillness = F.mse_loss(test_past[:, -1].expand_as(test_future), test_future).sqrt().item()
    draw(test_future[:40, -1], forecast[:40, -1])
    print(f"forecast error: {error:.4f} standard deviations, where assuming no change costs {stillness:.4f}")


if __name__ == "__main__":
    main()
