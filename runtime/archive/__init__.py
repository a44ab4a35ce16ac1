"""The archive format: everything between the bytes of a file and plain Python values. See README.md."""
