"""The Hierarchical-Multi-Label Random Forest."""
