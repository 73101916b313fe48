"""The fairness core: commitments, draws, boxes, dice, the log tree and its signed heads. Pure functions of bytes."""
