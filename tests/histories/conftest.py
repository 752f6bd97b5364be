"""The store of somebody whose home is a folder of the test."""

import pytest


@pytest.fixture
def there(tmp_path, monkeypatch) -> list[str]:
    """The options that name an empty store."""
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return [f"--embedded={tmp_path / 'memory.db'}"]
