"""What a tensor is: its dtype, device, memory and place in the graph. No mathematics."""
