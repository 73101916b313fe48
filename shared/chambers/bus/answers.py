"""What a request gets when its handler fails: a refusal it may read, never the text of an unexpected error."""

from __future__ import annotations

from typing import Any, Final

from chambers.bus.errors import BusError
from chambers.bus.logs import fault
from chambers.bus.ports import Answerer
from chambers.protocol.errors import ProtocolError, Refusal
from chambers.protocol.messages import encode
from chambers.rules.errors import RuleError

_INTERNAL: Final = Refusal("bus/internal", "This request could not be served; the fault is in the service's log.")


async def answer(answerer: Answerer, subject: str, data: bytes, log: Any) -> tuple[bytes | None, bool]:
    """Return the reply and whether the handler failed; refusals of rules, bytes and bus are replies like any other."""
    try:
        return await answerer(subject, data), False
    except RuleError as error:
        return encode(Refusal(error.code, error.sentence, error.section, error.ruling)), False
    except ProtocolError as error:
        return encode(Refusal(error.code, error.sentence)), False
    except BusError as error:
        return encode(Refusal(error.code, error.sentence)), True
    except Exception as error:  # noqa: BLE001 - an edge of the process: the asker is answered, the service goes on
        log.error("request failed", **fault(error))
        return encode(_INTERNAL), True
