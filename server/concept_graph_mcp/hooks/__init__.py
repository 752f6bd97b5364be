"""Answer the hooks of coding agents: what to put in front of the model, what to keep.

A hook is a short process that an agent starts at an event of a session, with JSON on stdin. It must
answer in time and never fail, whatever state the store is in: a hook that fails can end a session.
So each part here does little, and `commands/hook_process.py` catches whatever goes wrong in them.
"""
