"""Fine-tuning: manifests, latents, batches, losses and the training loop."""
