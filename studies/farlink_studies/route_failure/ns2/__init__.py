"""What ns-2's Reno does in Figure 7 of the paper, recorded."""
