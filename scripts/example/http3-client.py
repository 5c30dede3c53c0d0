"""One request by HTTP/3, on a connection of its own.

usage: http3-client.py    reads {"host", "port", "serverName", "method", "path", "headers", "ca", "patienceSeconds"} as JSON from its input
Connects to `address`, 127.0.0.1 without one. Prints {"status", "headers", "body"} or {"error"} as JSON; `ca` is PEM, without it no certificate is checked.
"""

import asyncio
import json
import ssl
import sys

from aioquic.asyncio import QuicConnectionProtocol, connect
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated

PATIENCE_SECONDS = 30


class Client(QuicConnectionProtocol):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.http = H3Connection(self._quic)
        self.status = 0
        self.headers = {}
        self.body = b""
        self.answered = asyncio.get_running_loop().create_future()
        # When the handshake fails nobody looks at it.
        self.answered.add_done_callback(lambda done: done.cancelled() or done.exception())

    def quic_event_received(self, event):
        if isinstance(event, ConnectionTerminated) and not self.answered.done():
            self.answered.set_exception(ConnectionError(event.reason_phrase or f"error {event.error_code}"))
        for seen in self.http.handle_event(event):
            if isinstance(seen, HeadersReceived):
                for name, value in seen.headers:
                    if name == b":status":
                        self.status = int(value)
                    else:
                        self.headers[name.decode()] = value.decode()
            if isinstance(seen, DataReceived):
                self.body += seen.data
            if getattr(seen, "stream_ended", False) and not self.answered.done():
                self.answered.set_result(None)

    def send(self, fields):
        stream = self._quic.get_next_available_stream_id()
        self.http.send_headers(stream, fields, end_stream=True)
        self.transmit()


async def ask(question):
    configuration = QuicConfiguration(
        is_client=True,
        alpn_protocols=H3_ALPN,
        server_name=question["serverName"],
        verify_mode=ssl.CERT_REQUIRED if "ca" in question else ssl.CERT_NONE,
        cadata=question["ca"].encode() if "ca" in question else None,
    )
    fields = [
        (":method", question.get("method", "GET")),
        (":scheme", "https"),
        (":authority", question["host"]),
        (":path", question["path"]),
        *question.get("headers", {}).items(),
    ]
    async with connect(question.get("address", "127.0.0.1"), question["port"], configuration=configuration, create_protocol=Client) as client:
        client.send([(name.encode(), value.encode()) for name, value in fields])
        await client.answered
        return {"status": client.status, "headers": client.headers, "body": client.body.decode()}


async def main():
    try:
        question = json.load(sys.stdin)
        answer = await asyncio.wait_for(ask(question), question.get("patienceSeconds", PATIENCE_SECONDS))
    except Exception as error:  # Whatever it is, whoever asked wants to know.
        answer = {"error": f"{type(error).__name__}: {error}"}
    json.dump(answer, sys.stdout)


asyncio.run(main())
