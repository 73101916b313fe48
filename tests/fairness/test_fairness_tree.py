"""The log's tree agrees with RFC 6962, and its proofs show what is so and nothing else."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chambers.fairness.errors import FairnessError
from chambers.fairness.tree import EMPTY_ROOT, Tree, check_consistency, check_inclusion, leaf_hash

RFC_LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
RFC_ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
RFC_INCLUSIONS = {
    0: (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    5: (
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
}
RFC_CONSISTENCIES = {
    (6, 8): (
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
    (2, 5): (
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ),
}


def grown(leaves: list[bytes]) -> Tree:
    tree = Tree()
    for leaf in leaves:
        tree.append(leaf)
    return tree


def numbered(count: int) -> list[bytes]:
    return [leaf_hash(bytes([i])) for i in range(count)]


def by_definition(leaves: list[bytes]) -> bytes:
    """Return the root as RFC 6962 section 2.1 defines it, by recursion."""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256(b"").digest()
    cut = 1
    while cut * 2 < len(leaves):
        cut *= 2
    return hashlib.sha256(b"\x01" + by_definition(leaves[:cut]) + by_definition(leaves[cut:])).digest()


RFC_TREE = grown([leaf_hash(bytes.fromhex(leaf)) for leaf in RFC_LEAVES])
TREE = grown(numbered(70))


@pytest.mark.parametrize("size", range(9))
def test_the_roots_of_the_classic_leaves_are_the_published_ones(size: int) -> None:
    assert RFC_TREE.root_at(size).hex() == RFC_ROOTS[size]


@pytest.mark.parametrize("index", RFC_INCLUSIONS)
def test_inclusion_proofs_are_the_published_ones(index: int) -> None:
    assert tuple(node.hex() for node in RFC_TREE.inclusion_proof(index)) == RFC_INCLUSIONS[index]


@pytest.mark.parametrize("sizes", RFC_CONSISTENCIES)
def test_consistency_proofs_are_the_published_ones(sizes: tuple[int, int]) -> None:
    assert tuple(node.hex() for node in RFC_TREE.consistency_proof(*sizes)) == RFC_CONSISTENCIES[sizes]


def test_an_empty_tree_has_the_hash_of_nothing_as_its_root() -> None:
    assert Tree().root() == EMPTY_ROOT == hashlib.sha256(b"").digest()
    assert Tree().size == 0


def test_appending_returns_the_new_root_and_keeps_every_old_one() -> None:
    tree = Tree()
    roots = [tree.root()] + [tree.append(leaf) for leaf in numbered(40)]

    assert [tree.root_at(size) for size in range(41)] == roots
    assert tree.root() == roots[-1]
    assert roots == [by_definition(numbered(size)) for size in range(41)]


@pytest.mark.parametrize("leaf", [b"", bytes(31), bytes(33)])
def test_what_is_not_a_leaf_hash_is_not_appended(leaf: bytes) -> None:
    tree = Tree()

    with pytest.raises(ValueError, match="32 bytes"):
        tree.append(leaf)

    assert tree.size == 0


@pytest.mark.parametrize("size", [-1, 71])
def test_a_size_that_the_log_has_not_had_has_no_head(size: int) -> None:
    with pytest.raises(FairnessError) as refused:
        TREE.root_at(size)

    assert refused.value.code == "fairness/head"


def test_a_head_of_another_history_is_refused() -> None:
    fork = grown([*numbered(20), leaf_hash(b"another")])
    TREE.check_head(20, fork.root_at(20))

    with pytest.raises(FairnessError) as refused:
        TREE.check_head(21, fork.root_at(21))

    assert refused.value.code == "fairness/head"


@settings(derandomize=True, deadline=None, max_examples=60)
@given(leaves=st.lists(st.binary(min_size=32, max_size=32), max_size=50))
def test_the_root_is_the_one_of_the_definition(leaves: list[bytes]) -> None:
    assert grown(leaves).root() == by_definition(leaves)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 31, 32, 33, 70])
def test_every_leaf_is_proved_to_be_in_every_tree(size: int) -> None:
    for index, leaf in enumerate(numbered(size)):
        proof = TREE.inclusion_proof(index, size)
        check_inclusion(leaf, index=index, size=size, root=TREE.root_at(size), proof=proof)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 70])
def test_every_older_tree_is_proved_to_be_a_beginning(size: int) -> None:
    for old in range(size + 1):
        check_consistency(
            old_size=old,
            old_root=TREE.root_at(old),
            size=size,
            root=TREE.root_at(size),
            proof=TREE.consistency_proof(old, size),
        )


@settings(derandomize=True, deadline=None, max_examples=200)
@given(data=st.data())
def test_an_inclusion_proof_shows_nothing_else(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 70))
    index = data.draw(st.integers(0, size - 1))
    proof = list(TREE.inclusion_proof(index, size))
    leaf, root = numbered(70)[index], TREE.root_at(size)
    case = data.draw(st.sampled_from(["leaf", "index", "root", "longer", "shorter", "node"]))
    if case == "leaf":
        leaf = leaf_hash(b"another")
    elif case == "index":
        index = data.draw(st.integers(-2, size + 2).filter(lambda other: other != index))
    elif case == "root":
        root = leaf_hash(b"another")
    elif case == "longer":
        proof.insert(data.draw(st.integers(0, len(proof))), bytes(32))
    elif case == "shorter" and proof:
        proof.pop(data.draw(st.integers(0, len(proof) - 1)))
    elif proof:
        proof[data.draw(st.integers(0, len(proof) - 1))] = bytes(32)
    else:
        leaf = bytes(32)

    with pytest.raises(FairnessError) as refused:
        check_inclusion(leaf, index=index, size=size, root=root, proof=proof)

    assert refused.value.code == "fairness/inclusion"


@settings(derandomize=True, deadline=None, max_examples=200)
@given(data=st.data())
def test_a_consistency_proof_shows_nothing_else(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 70))
    old = data.draw(st.integers(1, size - 1))
    proof = list(TREE.consistency_proof(old, size))
    old_root, root = TREE.root_at(old), TREE.root_at(size)
    case = data.draw(st.sampled_from(["old root", "root", "longer", "shorter", "node", "swapped"]))
    if case == "old root":
        old_root = leaf_hash(b"another")
    elif case == "root":
        root = leaf_hash(b"another")
    elif case == "longer":
        proof.insert(data.draw(st.integers(0, len(proof))), bytes(32))
    elif case == "shorter":
        proof.pop(data.draw(st.integers(0, len(proof) - 1)))
    elif case == "node":
        proof[data.draw(st.integers(0, len(proof) - 1))] = bytes(32)
    else:
        old, size = size, old

    with pytest.raises(FairnessError) as refused:
        check_consistency(old_size=old, old_root=old_root, size=size, root=root, proof=proof)

    assert refused.value.code == "fairness/consistency"


@pytest.mark.parametrize(
    ("old", "old_root", "proof"),
    [
        pytest.param(0, TREE.root_at(1), [], id="nothing with a root of something"),
        pytest.param(0, EMPTY_ROOT, [bytes(32)], id="a proof about nothing"),
        pytest.param(5, TREE.root_at(4), [], id="the same size with another root"),
        pytest.param(5, TREE.root_at(5), [bytes(32)], id="a proof about the same size"),
        pytest.param(3, TREE.root_at(3), [], id="no proof"),
        pytest.param(-1, EMPTY_ROOT, [], id="a size below zero"),
    ],
)
def test_the_edges_of_consistency_are_checked_too(old: int, old_root: bytes, proof: list[bytes]) -> None:
    with pytest.raises(FairnessError):
        check_consistency(old_size=old, old_root=old_root, size=5, root=TREE.root_at(5), proof=proof)


def test_a_consistency_proof_is_too_short_for_a_deeper_tree() -> None:
    proof = TREE.consistency_proof(4, 5)

    with pytest.raises(FairnessError):
        check_consistency(old_size=4, old_root=TREE.root_at(4), size=9, root=TREE.root_at(5), proof=proof)


@pytest.mark.parametrize(("index", "size"), [(-1, 5), (5, 5), (0, 0), (3, 71)])
def test_there_is_no_proof_for_a_leaf_that_is_not_there(index: int, size: int) -> None:
    with pytest.raises(FairnessError):
        TREE.inclusion_proof(index, size)


@pytest.mark.parametrize(("old", "size"), [(-1, 5), (6, 5), (3, 71)])
def test_there_is_no_proof_between_heads_that_are_not_there(old: int, size: int) -> None:
    with pytest.raises(FairnessError):
        TREE.consistency_proof(old, size)
