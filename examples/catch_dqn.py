"""Learn to catch falling balls by trial and error: deep Q-learning.

    python -m rushlight examples/catch_dqn.py      # without PyTorch
    python examples/catch_dqn.py                   # with it

It needs `tqdm`. Mnih and others, "Human-level control through deep reinforcement learning" (Nature 518, 2015), with the
double estimate of van Hasselt and others (2015). The game has the rules of `Catch` in DeepMind's bsuite: a ball falls
from a random column, and a paddle on the bottom row moves left, stays, or moves right. Only the last row is rewarded.
"""

import argparse
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

ROWS, COLUMNS = 8, 7
GAMES = 16
ACTIONS = 3
BATCH_SIZE = 64
DISCOUNT = 0.95


class Catch:
    """Several games at once, in step: all balls reach the bottom together, and fall anew."""

    def __init__(self, games):
        self.games = games
        self.drop()

    def drop(self):
        self.row = 0
        self.ball = torch.randint(COLUMNS, (self.games,))
        self.paddle = torch.full((self.games,), COLUMNS // 2)

    def picture(self):
        """The board of each game, (games, ROWS * COLUMNS), 1 where ball and paddle are."""
        board = torch.zeros(self.games, ROWS, COLUMNS)
        every = torch.arange(self.games)
        board[every, self.row, self.ball] = 1
        board[every, ROWS - 1, self.paddle] = 1
        return board.flatten(1)

    def move(self, actions):
        """Move each paddle by -1, 0 or 1; the reward of each game, and whether the balls have come down."""
        self.paddle = (self.paddle + actions - 1).clamp(0, COLUMNS - 1)
        self.row += 1
        down = self.row == ROWS - 1
        rewards = torch.where(self.ball == self.paddle, 1.0, -1.0) if down else torch.zeros(self.games)
        return rewards, down


class Memory:
    """The last moves: picture, action, reward, whether the game ended, and the picture after."""

    def __init__(self, capacity):
        self.pictures = torch.zeros(capacity, ROWS * COLUMNS)
        self.actions = torch.zeros(capacity, dtype=torch.long)
        self.rewards = torch.zeros(capacity)
        self.ended = torch.zeros(capacity)
        self.following = torch.zeros(capacity, ROWS * COLUMNS)
        self.written = 0

    def keep(self, pictures, actions, rewards, ended, following):
        indices = torch.arange(self.written, self.written + len(pictures)) % len(self.pictures)
        self.pictures[indices] = pictures
        self.actions[indices] = actions
        self.rewards[indices] = rewards
        self.ended[indices] = float(ended)
        self.following[indices] = following
        self.written += len(pictures)

    def recall(self):
        chosen = torch.randint(min(self.written, len(self.pictures)), (BATCH_SIZE,))
        kept = (self.pictures, self.actions, self.rewards, self.ended, self.following)
        return [values[chosen] for values in kept]


def make_model():
    return nn.Sequential(nn.Linear(ROWS * COLUMNS, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, ACTIONS))


def loss_of(model, slow_model, memory):
    """How far the values of remembered moves are from reward and discounted value of what followed."""
    pictures, actions, rewards, ended, following = memory.recall()
    values = model(pictures).gather(1, actions[:, None])[:, 0]
    with torch.no_grad():
        best = model(following).argmax(dim=1, keepdim=True)
        value_of_best = slow_model(following).gather(1, best)[:, 0]
    return F.smooth_l1_loss(values, rewards + DISCOUNT * (1 - ended) * value_of_best)


@torch.no_grad()
def choose(model, pictures, curiosity):
    """The best action of each game, or with a probability of `curiosity` any."""
    best = model(pictures).argmax(dim=1)
    anything = torch.randint(ACTIONS, best.shape)
    return torch.where(torch.rand(best.shape) < curiosity, anything, best)


def play(game, model, memory, curiosity):
    """One move in all games, remembered; new balls where they have come down."""
    pictures = game.picture()
    actions = choose(model, pictures, curiosity)
    rewards, down = game.move(actions)
    memory.keep(pictures, actions, rewards, down, game.picture())
    if down:
        game.drop()


@torch.no_grad()
def follow_slowly(slow_model, model):
    """Let the weights that judge the future trail those that learn."""
    for slow, fast in zip(slow_model.parameters(), model.parameters(), strict=True):
        slow.lerp_(fast, 0.02)


def train(model, steps):
    """Play and learn in turns, with less and less curiosity; the loss of every step."""
    slow_model = make_model()
    slow_model.load_state_dict(model.state_dict())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.002)
    game, memory = Catch(GAMES), Memory(capacity=10_000)
    losses = []
    progress = tqdm(range(steps), desc="training", unit="step")
    for step in progress:
        play(game, model, memory, curiosity=max(0.1, 1 - 2 * step / steps))
        optimizer.zero_grad()
        loss = loss_of(model, slow_model, memory)
        loss.backward()
        optimizer.step()
        follow_slowly(slow_model, model)
        losses.append(loss.item())
        progress.set_postfix(loss=f"{losses[-1]:.4f}", refresh=False)
    return losses


def share_caught(model, games=1000):
    """The share of the balls that are caught without curiosity."""
    game, down = Catch(games), False
    while not down:
        rewards, down = game.move(choose(model, game.picture(), curiosity=0))
    return (rewards > 0).float().mean().item()


def main():
    parser = argparse.ArgumentParser(description="Learn to catch falling balls by deep Q-learning.")
    parser.add_argument("--quick", action="store_true", help="a third of the training, for a first look")
    parser.add_argument("--seed", type=int, default=0, help="of everything random (default: %(default)s)")
    parser.add_argument("--losses", type=Path, help="write the loss of every step to this file")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    model = make_model()
    before = share_caught(model)
    losses = train(model, steps=1000 if options.quick else 3000)
    if options.losses:
        options.losses.write_text("\n".join(map(str, losses)))
    print(f"balls caught: {100 * share_caught(model):.1f} %, before training {100 * before:.1f} %")


if __name__ == "__main__":
    main()
