"""Why a connection to a server did not come about, read from what the library and TLS said."""

from __future__ import annotations

import ssl

from chambers.bus import natsfix
from chambers.bus.errors import BusError, gate_silent, login_refused, no_server


def connect_fault(error: BaseException, last: BaseException | None, *, server: str, user: str, tls: bool) -> BusError:
    """Return what to tell of a connect that failed with `error`, the library having noted `last` on the way.

    `tls` says whether the connect was one over TLS.
    """
    text = str(error).lower()
    if "authorization violation" in text or "authentication" in text:
        return login_refused(server, user)
    # What the server does when nobody answers for the gate.
    if isinstance(error, natsfix.HungUpError):
        return gate_silent(server)
    if isinstance(error, natsfix.NoTlsError) or isinstance(last, natsfix.NoTlsError):
        return BusError("bus/no-tls", f"The server at {server} does not use TLS; this ticket expects it to.")
    if isinstance(error, ssl.SSLError) or isinstance(last, ssl.SSLError):
        if not tls:
            return BusError("bus/unknown-certificate", f"The server at {server} uses TLS, and is not known here.")
        return BusError("bus/bad-certificate", f"The server at {server} shows a certificate that is not ours.")
    return no_server(server)
