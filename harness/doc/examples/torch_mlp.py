# SPDX-License-Identifier: Apache-2.0
"""A cost model in PyTorch: two layers over each row of features, summed over a program's rows, trained
by the ranking of the programs of each kernel."""
import torch

import raingauge

WIDTH, EPOCHS, BATCH = 128, 20, 128


class Mlp(raingauge.Model):
    def __init__(self, hello):
        super().__init__(hello)
        torch.set_num_threads(1)  # sums in one order: the same seed gives the same scores
        torch.manual_seed(hello["seed"])
        self.net = torch.nn.Sequential(
            torch.nn.Linear(len(hello["features"]), WIDTH),
            torch.nn.ReLU(),
            torch.nn.Linear(WIDTH, WIDTH),
            torch.nn.ReLU(),
            torch.nn.Linear(WIDTH, 1),
        )
        self.rows, self.tasks, self.seconds = [], [], []

    def forward(self, programs):
        rows = torch.cat(programs)
        owner = torch.repeat_interleave(torch.arange(len(programs)), torch.tensor([len(p) for p in programs]))
        return torch.zeros(len(programs)).index_add(0, owner, self.net(rows).squeeze(1))

    def tell(self, samples):
        for s in samples:
            if s.features and s.seconds:
                self.rows.append(torch.tensor(s.features))
                self.tasks.append(s.task)
                self.seconds.append(s.seconds)

    def fit(self, rng):
        if len(self.rows) < 2:
            return
        torch.manual_seed(rng.randrange(2**31))
        names = {name: i for i, name in enumerate(dict.fromkeys(self.tasks))}
        task = torch.tensor([names[t] for t in self.tasks])
        speed = -torch.tensor(self.seconds, dtype=torch.float64).log()
        optimiser = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        for _ in range(EPOCHS):
            for part in torch.randperm(len(self.rows)).split(BATCH):
                score = self.forward([self.rows[i] for i in part])
                faster = (speed[part][:, None] > speed[part][None, :]) & (task[part][:, None] == task[part][None, :])
                if faster.any():
                    miss = torch.nn.functional.softplus(score[None, :] - score[:, None])
                    optimiser.zero_grad()
                    miss[faster].mean().backward()
                    optimiser.step()

    def score(self, programs, task, rng):
        known = [i for i, p in enumerate(programs) if p]
        scores = [None] * len(programs)
        with torch.no_grad():
            for i, value in zip(known, self.forward([torch.tensor(programs[i]) for i in known]).tolist() if known else []):
                scores[i] = value
        return scores


raingauge.run(Mlp)
