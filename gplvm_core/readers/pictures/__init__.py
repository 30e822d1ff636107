"""Pictures and videos."""
