"""How each procedure is called: its arguments, fields, and the look-up that spares a scan."""

from .call import Call as Call
from .call import Procedure as Procedure
from .concepts import *  # noqa: F403
