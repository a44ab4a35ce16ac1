"""linstock."""
