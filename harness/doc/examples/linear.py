# SPDX-License-Identifier: Apache-2.0
"""A linear cost model: ridge regression of the logarithm of the speed, relative to the fastest program
of the kernel, on the sum of a program's feature rows. With numpy it solves the normal equations; without
it, it descends."""
import math

import raingauge

try:
    import numpy
except ImportError:
    numpy = None

RIDGE = 1.0
SWEEPS = 50


class Linear(raingauge.Model):
    def __init__(self, hello):
        super().__init__(hello)
        self.width = len(hello["features"]) + 1
        self.rows, self.tasks, self.seconds = [], [], []
        self.weights = [0.0] * self.width

    def summed(self, program):
        return [sum(column) for column in zip(*program)] + [1.0]

    def tell(self, samples):
        for s in samples:
            if s.features and s.seconds:
                self.rows.append(self.summed(s.features))
                self.tasks.append(s.task)
                self.seconds.append(s.seconds)

    def labels(self):
        best = {}
        for task, seconds in zip(self.tasks, self.seconds):
            best[task] = min(best.get(task, math.inf), seconds)
        return [math.log(best[t] / s) for t, s in zip(self.tasks, self.seconds)]

    def fit(self, rng):
        if not self.rows:
            return
        y = self.labels()
        if numpy:
            x = numpy.array(self.rows)
            a = x.T @ x + RIDGE * numpy.eye(self.width)
            self.weights = numpy.linalg.solve(a, x.T @ numpy.array(y)).tolist()
            return
        w = self.weights = [0.0] * self.width
        order = list(range(len(y)))
        for _ in range(SWEEPS):  # Kaczmarz: each row is met half way
            rng.shuffle(order)
            for i in order:
                x = self.rows[i]
                miss = y[i] - sum(a * b for a, b in zip(x, w))
                step = 0.5 * miss / (RIDGE + sum(a * a for a in x))
                for k, value in enumerate(x):
                    if value:
                        w[k] += step * value

    def score(self, programs, task, rng):
        return [
            None if p is None else sum(a * b for a, b in zip(self.summed(p), self.weights)) for p in programs
        ]


raingauge.run(Linear)
