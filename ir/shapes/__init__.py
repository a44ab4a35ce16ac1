"""Type rules of operators: element types and sizes of results, by family."""
