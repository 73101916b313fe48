"""Networks in one machine, or a reason why there are none."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from tests.lan.network import Network, network, why_no_networks


@pytest.fixture
def lan() -> Iterator[Network]:
    """Return a network with the host in it; skip where none can be made, unless CHAMBERS_REQUIRE_NETNS says it must."""
    reason = why_no_networks()
    if reason and os.environ.get("CHAMBERS_REQUIRE_NETNS") == "1":
        pytest.fail(f"CHAMBERS_REQUIRE_NETNS is set, but {reason}")
    if reason:
        pytest.skip(f"needs network namespaces: {reason}")
    with network(f"ch{os.getpid()}") as made:
        yield made
