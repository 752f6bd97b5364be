"""Our own sets: two texts and a question that the second answers, made by hand.

In `two_hops.jsonl` the second has no word of the question: the first leads to it. In
`updates.jsonl` both are on one thing, and the second is as it is now. In `reminders.jsonl` there is
no first, and the question, a remark that should remind of the second, shares no word with it.
"""
