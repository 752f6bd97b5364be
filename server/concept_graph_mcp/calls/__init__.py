"""How each procedure is called: its arguments, fields, and the look-up that spares a scan."""

from .call import Call as Call
from .call import Procedure as Procedure
from .concepts import *  # noqa: F403
from .keeping import *  # noqa: F403

# What a server must have loaded.
ALL = (*CONCEPTS, *KEEPING)  # noqa: F405
