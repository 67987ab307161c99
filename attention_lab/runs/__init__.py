"""What a long run shows while it lasts, and what it leaves behind: progress, and saved weights."""
