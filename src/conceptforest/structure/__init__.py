"""From the forest to concepts: neighbour graph, spectral embedding, clusters."""
