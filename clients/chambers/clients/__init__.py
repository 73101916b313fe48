"""Everything a person or a bot touches: the command line, seats, spectators, hosts."""
