"""AudioVAE: waveform to continuous latents at 25 Hz and back, causal, with an explicit streaming state."""
