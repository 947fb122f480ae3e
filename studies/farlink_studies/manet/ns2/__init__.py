"""What the paper's own simulator does under the study's settings."""
