"""The log's Merkle tree (RFC 6962): every head it ever had, and short proofs that entries and older heads are in it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from chambers.fairness.errors import FairnessError
from chambers.fairness.hashing import KEY_BYTES

EMPTY_ROOT: Final = hashlib.sha256(b"").digest()


def leaf_hash(leaf: bytes) -> bytes:
    """Return the 32-byte hash of an entry's bytes, as the tree takes it."""
    return hashlib.sha256(b"\x00" + leaf).digest()


class Tree:
    """A tree that only grows: its roots at every size so far, from 0 on."""

    __slots__ = ("_levels", "_roots")

    def __init__(self) -> None:
        # _levels[h][i] is the root of the complete subtree over the leaves i * 2**h .. (i + 1) * 2**h - 1.
        self._levels: list[list[bytes]] = [[]]
        self._roots: list[bytes] = [EMPTY_ROOT]

    def __repr__(self) -> str:
        return f"Tree({self.size})"

    @property
    def size(self) -> int:
        """Return the number of leaves."""
        return len(self._roots) - 1

    def append(self, leaf: bytes, /) -> bytes:
        """Add a leaf's hash (32 bytes) and return the new root."""
        if len(leaf) != KEY_BYTES:
            raise ValueError("the tree takes leaf hashes of 32 bytes")
        self._levels[0].append(leaf)
        for height, level in enumerate(self._levels):
            if len(level) % 2:
                break
            if height + 1 == len(self._levels):
                self._levels.append([])
            self._levels[height + 1].append(_node(level[-2], level[-1]))
        root = self._span(0, self.size + 1)
        self._roots.append(root)
        return root

    def root(self) -> bytes:
        """Return the root at the present size; the hash of nothing for an empty tree."""
        return self._roots[-1]

    def root_at(self, size: int) -> bytes:
        """Return the root that the tree had at `size`; refuses (`fairness/head`) a size it has not had."""
        if not 0 <= size <= self.size:
            raise FairnessError("fairness/head", f"The log has {self.size} entries and no head at {size}.")
        return self._roots[size]

    def check_head(self, size: int, root: bytes) -> None:
        """Refuse (`fairness/head`) a size and root that are not a head of this tree, past or present."""
        if self.root_at(size) != root:
            raise FairnessError("fairness/head", f"The head at {size} is not this log's head at {size}.")

    def inclusion_proof(self, index: int, size: int | None = None) -> tuple[bytes, ...]:
        """Return the hashes that prove leaf `index` to be in the tree at `size` (the present one unless given)."""
        size = self.size if size is None else size
        if not 0 <= index < size <= self.size:
            raise FairnessError("fairness/head", f"The log has no leaf {index} at size {size}.")
        proof: list[bytes] = []
        low, high = 0, size
        while high - low > 1:
            middle = low + _split(high - low)
            if index < middle:
                proof.append(self._span(middle, high))
                high = middle
            else:
                proof.append(self._span(low, middle))
                low = middle
        return tuple(reversed(proof))

    def consistency_proof(self, old_size: int, size: int | None = None) -> tuple[bytes, ...]:
        """Return the hashes that prove the tree at `old_size` to be a beginning of the tree at `size`."""
        size = self.size if size is None else size
        if not 0 <= old_size <= size <= self.size:
            raise FairnessError("fairness/head", f"The log has no heads at both {old_size} and {size}.")
        if old_size in (0, size):
            return ()
        proof: list[bytes] = []
        low, high = 0, size
        while high != old_size:
            middle = low + _split(high - low)
            if old_size <= middle:
                proof.append(self._span(middle, high))
                high = middle
            else:
                proof.append(self._span(low, middle))
                low = middle
        # A subtree that is the whole old tree is known to the checker already.
        if low:
            proof.append(self._span(low, high))
        return tuple(reversed(proof))

    def _span(self, low: int, high: int) -> bytes:
        # Complete subtrees from the left; what is left over at the right is folded back into them.
        parts: list[bytes] = []
        while low < high:
            height = (high - low).bit_length() - 1
            parts.append(self._levels[height][low >> height])
            low += 1 << height
        root = parts.pop()
        while parts:
            root = _node(parts.pop(), root)
        return root


def check_inclusion(leaf: bytes, *, index: int, size: int, root: bytes, proof: Sequence[bytes]) -> None:
    """Refuse (`fairness/inclusion`) a proof that does not show the leaf hash to be number `index` of `size` leaves."""
    fault = FairnessError("fairness/inclusion", f"The proof does not show entry {index} to be in the log of {size}.")
    if not 0 <= index < size:
        raise fault
    position, last, node = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            raise fault
        if position % 2 or position == last:
            node = _node(sibling, node)
            while position % 2 == 0 and position:
                position, last = position >> 1, last >> 1
        else:
            node = _node(node, sibling)
        position, last = position >> 1, last >> 1
    if last or node != root:
        raise fault


def check_consistency(*, old_size: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]) -> None:
    """Refuse (`fairness/consistency`) a proof that does not show the old head to be a beginning of the new one."""
    fault = FairnessError("fairness/consistency", f"The log of {size} does not begin with the log of {old_size}.")
    if not 0 <= old_size <= size:
        raise fault
    if old_size in (0, size):
        if proof or old_root != (EMPTY_ROOT if old_size == 0 else root):
            raise fault
        return
    # An old tree of a power of two is itself the first node of the path, and not repeated in the proof.
    path = [old_root, *proof] if old_size & (old_size - 1) == 0 else list(proof)
    position, last = old_size - 1, size - 1
    while position % 2:
        position, last = position >> 1, last >> 1
    if not path:
        raise fault
    old_node = new_node = path[0]
    for sibling in path[1:]:
        if last == 0:
            raise fault
        if position % 2 or position == last:
            old_node, new_node = _node(sibling, old_node), _node(sibling, new_node)
            while position % 2 == 0 and position:
                position, last = position >> 1, last >> 1
        else:
            new_node = _node(new_node, sibling)
        position, last = position >> 1, last >> 1
    if last or old_node != old_root or new_node != root:
        raise fault


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def _split(size: int) -> int:
    """Return the largest power of two below `size` (2 or more)."""
    return 1 << ((size - 1).bit_length() - 1)
