"""The memory behind the interfaces of agent frameworks, each in a module that needs its package."""
