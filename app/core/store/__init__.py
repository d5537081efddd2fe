"""What must never be lost: one database, stored files, keys and backups, shared by the window and the command line."""

from __future__ import annotations

from app.core.store.store import Store, default_data_folder

__all__ = ["Store", "default_data_folder"]
