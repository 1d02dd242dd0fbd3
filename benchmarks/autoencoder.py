"""Well-trained autoencoder, for the interpreter that has PyTorch: see manifold_methods.py.

``python autoencoder.py rows.npz k codes.npz`` reads arrays train and test, trains candidates on
nine tenths of the training rows for a third of the time, chooses the candidate that loses least on
the other tenth, trains it on all rows, and writes the codes and the reconstructions of all rows.
The network has a linear bottleneck and GELU elsewhere; AdamW with weight decay and a cosine
schedule; noise on the input.
"""

from __future__ import annotations

import itertools
import sys
import time

import numpy as np
import torch
from torch import nn

EPOCHS = 100
MIN_STEPS = 6000
"""Smallest number of training steps: tables with few rows get more epochs."""
BATCH = 128
CANDIDATES = (
    {"hidden": (512, 256), "noise": 0.3, "decay": 0.1},
    {"hidden": (1024,), "noise": 0.3, "decay": 0.1},
    {"hidden": (512, 256), "noise": 0.1, "decay": 0.01},
)


def layers(sizes: list[int]) -> list[nn.Module]:
    made: list[nn.Module] = []
    for before, after in itertools.pairwise(sizes):
        made += [nn.Linear(before, after), nn.GELU()]
    return made[:-1]  # the last layer is linear


def train(
    x: torch.Tensor, k: int, hidden: tuple[int, ...], noise: float, decay: float, share: float = 1.0
):
    torch.manual_seed(0)
    d = x.shape[1]
    encoder = nn.Sequential(*layers([d, *hidden, k]))
    decoder = nn.Sequential(*layers([k, *hidden[::-1], d]))
    parameters = [*encoder.parameters(), *decoder.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, weight_decay=decay)
    a_pass = -(-len(x) // BATCH)
    epochs = round(share * max(EPOCHS, -(-MIN_STEPS // a_pass)))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=epochs * a_pass)
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(BATCH):
            clean = x[rows]
            found = decoder(encoder(clean + noise * torch.randn_like(clean)))
            loss = ((found - clean) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return encoder.eval(), decoder.eval()


def lost(model, x: torch.Tensor) -> float:
    encoder, decoder = model
    with torch.no_grad():
        return float(((decoder(encoder(x)) - x) ** 2).sum() / (x**2).sum())


def main(source: str, k: int, target: str) -> None:
    arrays = np.load(source)
    x = torch.tensor(arrays["train"], dtype=torch.float32)
    test = torch.tensor(arrays["test"], dtype=torch.float32)
    order = torch.tensor(np.random.default_rng(0).permutation(len(x)))
    n = len(x) // 10
    start = time.perf_counter()
    errors = [
        lost(train(x[order[n:]], k, **each, share=1 / 3), x[order[:n]]) for each in CANDIDATES
    ]
    chosen = CANDIDATES[int(np.argmin(errors))]
    middle = time.perf_counter()
    encoder, decoder = train(x, k, **chosen)
    end = time.perf_counter()
    with torch.no_grad():
        codes = [encoder(rows) for rows in (x, test)]
        points = decoder(codes[1])
    widths = "-".join(map(str, chosen["hidden"]))
    np.savez(
        target,
        train=codes[0].numpy(),
        test=codes[1].numpy(),
        points=points.numpy(),
        seconds=end - middle,
        tuning=middle - start,
        chosen=f"{widths}, noise {chosen['noise']}, decay {chosen['decay']}",
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
