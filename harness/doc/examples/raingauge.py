# SPDX-License-Identifier: Apache-2.0
"""raingauge: searchers and cost models in Python, for searcher exec and model exec of raingauge.

The standard library is all it needs. The protocol is in harness/doc/exec.md. A searcher is a class:

    class Mine(raingauge.Searcher):
        def ask(self, n, rng):          # at most n states, numbers; [] ends the search
            return self.draw(n)
        def tell(self, samples):        # what measuring gave, failures too
            for s in samples:
                ...                     # s.state, s.seconds (mean, None if it failed), s.outcome

    raingauge.run(Mine)

Keep in self only what tell gave, and draw from rng only: then a run that was stopped goes on as if it
had not been.
"""
import json
import random
import sys

VERSION = 1


class Sample:
    """A measured program: its state (of a searcher) or its rows of features (of a model)."""

    def __init__(self, fields):
        self.state = fields.get("state")
        self.features = fields.get("features")  # rows of numbers, None where there are none
        self.task = fields.get("task")
        self.outcome = fields["outcome"]
        self.repeats = fields["seconds"]  # mean seconds of a call in each repeat
        self.seconds = sum(self.repeats) / len(self.repeats) if self.repeats else None


def _write(message):
    sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")
    sys.stdout.flush()


def _read():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)  # the search is over
    return json.loads(line)


class Searcher:
    """hello: what raingauge said first (task, flops, trials, seed, gpu, mutations, features)."""

    def __init__(self, hello):
        self.hello = hello
        self.measured = 0  # states below this number are measured, in the order they were told

    def _request(self, **request):
        _write(request)
        return _read()

    def draw(self, n):
        """Random valid states, n or fewer."""
        return self._request(draw=n)["states"]

    def mutate(self, states, by=None):
        """A changed one of each, None where that failed. by: one of hello["mutations"]."""
        return self._request(mutate=list(states), **({"by": by} if by else {}))["states"]

    def cross(self, pairs):
        """A child of each pair, None where it is not valid."""
        return self._request(cross=[list(p) for p in pairs])["states"]

    def apply(self, steps, state=None):
        """The state of these steps, after those of another state, and why there is none."""
        one = {"steps": steps} if state is None else {"steps": steps, "state": state}
        answer = self._request(apply=[one])
        return answer["states"][0], answer["why"][0]

    def steps(self, states):
        """The schedule steps of each, as in records."""
        return self._request(steps=list(states))["steps"]

    def features(self, states):
        """Rows of numbers of each, named by hello["features"]; None where there are none."""
        return self._request(features=list(states))["features"]

    def scores(self, states):
        """The scores of the arm's cost model, higher is better; None where there is none."""
        return self._request(scores=list(states))["scores"]

    def tell(self, samples):
        pass

    def ask(self, n, rng):
        raise NotImplementedError


class Model:
    """hello: what raingauge said first (seed, gpu, warmup, features)."""

    def __init__(self, hello):
        self.hello = hello

    def tell(self, samples):
        """Measured programs to learn from."""

    def fit(self, rng):
        """Train on all that was told."""

    def score(self, programs, task, rng):
        """A number for each program, higher is better. A program is rows of features, or None."""
        raise NotImplementedError


def _turn(plugin, message):
    rng = random.Random(message.get("seed", 0))
    if "tell" in message:
        samples = [Sample(s) for s in message["tell"]]
        plugin.tell(samples)
        return {"done": True}
    if "ask" in message:
        plugin.measured = message["measured"]
        return {"submit": list(plugin.ask(message["ask"], rng))}
    if "fit" in message:
        plugin.fit(rng)
        return {"done": True}
    return {"scores": list(plugin.score(message["score"], message["task"], rng))}


def run(kind):
    """Serves one search, or one model, until raingauge closes the input."""
    out = sys.stdout
    hello = _read()
    _write({"raingauge": VERSION})
    plugin = kind(hello)
    while True:
        message = _read()
        answer = _turn(plugin, message)
        assert sys.stdout is out
        _write(answer)
