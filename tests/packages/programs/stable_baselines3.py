"""PPO, A2C, DQN, SAC and TD3 learn a few steps in a small environment, are saved and loaded."""
# requires: stable-baselines3==2.9.2 gymnasium==1.4.0

import io
import json

import gymnasium as gym
import numpy as np
import torch
from stable_baselines3 import A2C, DDPG, DQN, PPO, SAC, TD3
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecNormalize


class Line(gym.Env):
    """A point on a line that is to come to zero; actions push it to one side or the other."""

    observation_space = gym.spaces.Box(-4.0, 4.0, (2,), np.float32)

    def __init__(self, continuous=False):
        self.continuous = continuous
        self.action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32) if continuous else gym.spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.state, self.steps = self.np_random.uniform(-1, 1, 2).astype(np.float32), 0
        return self.state.copy(), {}

    def step(self, action):
        push = float(action[0]) if self.continuous else (-1.0, 1.0)[int(action)]
        position, speed = self.state
        speed = np.clip(speed + 0.2 * push, -2, 2)
        self.state = np.array([np.clip(position + 0.1 * speed, -4, 4), speed], dtype=np.float32)
        self.steps += 1
        return self.state.copy(), float(-abs(self.state[0])), False, self.steps >= 20, {}


def parameters(model):
    return [each.double().norm().item() for each in model.policy.parameters()][:6]


found = {}
probe = np.array([[0.5, -0.2], [-1.0, 0.3]], dtype=np.float32)
small = {"net_arch": [16]}
for kind, options, steps in (
    (PPO, {"n_steps": 32, "batch_size": 16, "n_epochs": 2}, 64),
    (A2C, {"n_steps": 8}, 40),
    (DQN, {"learning_starts": 16, "batch_size": 8, "buffer_size": 200, "target_update_interval": 10}, 60),
    (SAC, {"learning_starts": 16, "batch_size": 8, "buffer_size": 200}, 30),
    (TD3, {"learning_starts": 16, "batch_size": 8, "buffer_size": 200}, 30),
    (DDPG, {"learning_starts": 16, "batch_size": 8, "buffer_size": 200}, 30),
):
    env = Line(continuous=kind in (SAC, TD3, DDPG))
    model = kind("MlpPolicy", env, seed=0, device="cpu", policy_kwargs=dict(small), **options)
    model.learn(steps)
    found[kind.__name__] = parameters(model)
    kept = io.BytesIO()
    model.save(kept)
    kept.seek(0)
    other = kind.load(kept, env=Line(continuous=env.continuous))
    actions = [each.predict(probe, deterministic=True)[0].tolist() for each in (model, other)]
    found[f"{kind.__name__} actions"], found[f"{kind.__name__} same"] = actions[0], actions[0] == actions[1]

# Several environments, normalized, with an evaluation while it learns; the score of the policy.
envs = VecNormalize(make_vec_env(Line, n_envs=2, seed=1))
model = PPO("MlpPolicy", envs, n_steps=16, batch_size=16, n_epochs=2, seed=1, device="cpu", policy_kwargs=small)
judge = EvalCallback(
    VecNormalize(make_vec_env(Line, seed=2), training=False), eval_freq=16, n_eval_episodes=2, verbose=0
)
model.learn(64, callback=judge)
found["evaluated"] = float(judge.last_mean_reward)
found["score"] = float(evaluate_policy(model, model.get_env(), n_eval_episodes=2, warn=False)[0])

# Pictures as observations, and several of them in a dictionary.
space = gym.spaces.Dict({"picture": gym.spaces.Box(0, 255, (3, 36, 36), np.uint8), "vector": Line.observation_space})


class Pictures(Line):
    observation_space = space

    def seen(self, state):
        return {"picture": np.full((3, 36, 36), int(abs(state[0]) * 50), np.uint8), "vector": state}

    def reset(self, seed=None, options=None):
        state, info = super().reset(seed=seed)
        return self.seen(state), info

    def step(self, action):
        state, *rest = super().step(action)
        return self.seen(state), *rest


model = A2C("MultiInputPolicy", Pictures(), n_steps=4, seed=3, device="cpu").learn(8)
found["pictures"] = parameters(model)
found["generator"] = torch.rand(2).tolist()
print(json.dumps(found))
