# SPDX-License-Identifier: Apache-2.0
"""Simulated annealing: chains that walk from the programs measured last, under the arm's cost model
if it has one, else by the times that were measured."""
import math

import raingauge

STEPS = 20
HOT, COLD = 1.0, 0.05  # temperatures, in units of the score


class Annealing(raingauge.Searcher):
    def __init__(self, hello):
        super().__init__(hello)
        self.seconds = {}

    def tell(self, samples):
        self.seconds.update((s.state, s.seconds) for s in samples if s.seconds)

    def walk(self, chains, rng):
        """Each chain takes a mutation that scores higher, or with a chance that falls."""
        value = self.scores(chains)
        for step in range(STEPS):
            heat = HOT * (COLD / HOT) ** (step / (STEPS - 1))
            tried = self.mutate(chains)
            new = iter(self.scores([t for t in tried if t is not None]))
            for i, t in enumerate(tried):
                gain = None if t is None else next(new)
                if gain is None:
                    continue
                if value[i] is None or gain >= value[i] or rng.random() < math.exp((gain - value[i]) / heat):
                    chains[i], value[i] = t, gain
        return [c for _, c in sorted(zip(value, chains), key=lambda p: -(p[0] or -1e9))]

    def ask(self, n, rng):
        best = sorted(self.seconds, key=self.seconds.get)[:n]
        chains = (best + self.draw(2 * n))[: 2 * n]
        if chains and self.hello["scores"]:
            chains = self.walk(chains, rng)
        elif best:  # without a model the next measurement decides: one step from each
            chains = [c for c in self.mutate(best) if c is not None] + chains
        fresh = [c for c in dict.fromkeys(chains) if c >= self.measured]
        return fresh[:n] or [c for c in self.draw(16 * n) if c >= self.measured][:n]


raingauge.run(Annealing)
