"""How many clients a service holds a connection with, and how long those may let it wait."""

import asyncio
import socket

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 256
"""At once; further ones are closed."""

PATIENCE = 30.0
"""Seconds between two looks at a connection; who was slow at both is let go."""


class BoundedProtocol(H11Protocol):
    """HTTP for clients of all sorts: some say nothing, and some never come to an end."""

    _next_look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, unless there are too many."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.close()
            return
        # asyncio does so for sockets that name their protocol; without it answers wait 40 ms.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._look(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Look no more."""
        if self._next_look is not None:
            self._next_look.cancel()
        super().connection_lost(exc)

    def _look(self, before: object) -> None:
        """Close the connection if it still waits as it did at the look before."""
        waiting_in = (self.cycle,) if self._waits() else None
        if waiting_in is not None and waiting_in == before:
            self.transport.abort()
        else:
            self._next_look = self.loop.call_later(PATIENCE, self._look, waiting_in)

    def _waits(self) -> bool:
        """For the head of a request, for the client to read, or for a body that nobody wants."""
        theirs = self.conn.their_state
        unwanted = theirs is h11.SEND_BODY and self.cycle.response_complete
        return theirs is h11.IDLE or unwanted or self.flow.write_paused
