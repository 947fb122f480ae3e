"""What Farlink asks of the operating system: files, memory, signals, standard streams."""
