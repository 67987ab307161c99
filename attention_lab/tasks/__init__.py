"""The models of one lesson each, a few lines over the layers."""
