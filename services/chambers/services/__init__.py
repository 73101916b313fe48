"""The services: game master, dealer, dice, vaults, gate and gallery; each file opens with its subjects."""
