"""What a model has to beat."""
