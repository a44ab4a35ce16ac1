"""`linstock.utils`: exchange of memory with other libraries (`utils.dlpack`)."""
