"""Serve many users over Streamable HTTP: who asks, their limits, the web application."""
