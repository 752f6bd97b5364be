"""Define the errors of a backfill, each with a one-line message for the user."""


class BackfillError(Exception):
    """Base of the failures that stop a backfill."""


class HistoryError(BackfillError):
    """The message history cannot be read; the message begins with the line's number."""


class PromptError(BackfillError):
    """The prompts cannot be read."""


class ModelError(BackfillError):
    """The model is not configured, cannot be reached, or gave a useless answer."""


class StepError(BackfillError):
    """A step cannot go on."""


class WorkingStoreError(BackfillError):
    """The working store or its server cannot be used."""
