"""Read the histories that agents and other programs leave: messages, redacted, without tool output.

A format is recognised by its content (`formats`). Each turns a file into records of messages, as
`file_formats.messages` takes them. Secrets are replaced (`secrets`) before anything is stored.
"""
