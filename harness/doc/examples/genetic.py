# SPDX-License-Identifier: Apache-2.0
"""A genetic search: parents by tournament among the measured, children by crossover and mutation."""
import raingauge

POPULATION = 64  # parents: the fastest measured
TOURNAMENT = 3
FRESH = 0.1  # share of random programs


class Genetic(raingauge.Searcher):
    def __init__(self, hello):
        super().__init__(hello)
        self.seconds = {}

    def tell(self, samples):
        self.seconds.update((s.state, s.seconds) for s in samples if s.seconds)

    def ask(self, n, rng):
        parents = sorted(self.seconds, key=self.seconds.get)[:POPULATION]
        children = dict.fromkeys(self.draw(n if not parents else max(1, int(FRESH * n))))
        for _ in range(10):
            if len(children) >= n or not parents:
                break
            pick = lambda: parents[min(rng.randrange(len(parents)) for _ in range(TOURNAMENT))]
            made = self.cross([(pick(), pick()) for _ in range(n)])
            made = self.mutate([child for child in made if child is not None])
            children.update((c, None) for c in made if c is not None and c >= self.measured)
        fresh = [c for c in children if c >= self.measured]
        return fresh[:n] or [c for c in self.draw(16 * n) if c >= self.measured][:n]


raingauge.run(Genetic)
