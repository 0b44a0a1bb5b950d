"""What a tag matrix is: parsing, vocabulary, layers, correlations."""
