"""Decide what belongs to a message: read it, gather candidates, weigh, score, say.

One module a stage, each a function of what the one before made. `weigh` compares nothing with a
threshold, and only `score` says what belongs: two logistic models, whose weights are data
(`weights.json`, written by `python -m benchmarks.train`).
"""
