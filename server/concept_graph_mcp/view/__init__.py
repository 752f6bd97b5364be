"""Show on a web page what is remembered, on this machine or to the users of a server."""
