"""Training of the default models: everything that needs a corpus, some of it PyTorch."""
