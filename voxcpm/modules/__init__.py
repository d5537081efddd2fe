"""Building blocks of the language models and of the local transformers."""
