"""A client that goes on talking HTTP/3, for as long as its input stays open.

usage: http3-talk.py    reads lines of JSON: first {"host", "port", "serverName", "ca"}, then {"id", "path", "on"} for each request
Connects to 127.0.0.1. `on` names a connection that is kept, and made anew when it has ended or the server has said that it is going away; null: on one of its own.
Prints a line for each request when it is over: {"id", "status", "body", "connection", "maxStreams", "resets"} or {"id", "error", "connection", "resets"}.
`connection` counts the connections so far, `maxStreams` is how many requests the server allows at first, `resets` how often the server reset a request
with H3_REQUEST_REJECTED, by which it says that it has not begun with it: as every client does, it sends such a one again.
"""

import asyncio
import json
import ssl
import sys

from aioquic.asyncio import QuicConnectionProtocol, connect
from aioquic.h3.connection import H3_ALPN, ErrorCode, FrameType, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, StreamReset
from aioquic.quic.logger import QuicLogger

PATIENCE_SECONDS = 60


class Http(H3Connection):
    going_away = False

    def _check_control_frame_type(self, frame_type):
        # What a client must heed (RFC 9114, 5.2), and aioquic throws away.
        super()._check_control_frame_type(frame_type)
        self.going_away = self.going_away or frame_type == FrameType.GOAWAY


class Refused(Exception):
    """The server has not begun with it."""


class Client(QuicConnectionProtocol):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.http = Http(self._quic)
        self.ended = None
        self.answers = {}

    def quic_event_received(self, event):
        if isinstance(event, ConnectionTerminated):
            self.ended = event.reason_phrase or f"connection ended with error {event.error_code}"
            for answer in self.answers.values():
                self.fail(answer, ConnectionError(self.ended))
        if isinstance(event, StreamReset) and event.stream_id in self.answers:
            refused = event.error_code == ErrorCode.H3_REQUEST_REJECTED
            error = Refused() if refused else ConnectionError(f"stream reset with error {event.error_code}")
            self.fail(self.answers[event.stream_id], error)
        for seen in self.http.handle_event(event):
            answer = self.answers.get(getattr(seen, "stream_id", None))
            if answer is None:
                continue
            if isinstance(seen, HeadersReceived):
                answer["status"] = int(dict(seen.headers).get(b":status", b"0"))
            if isinstance(seen, DataReceived):
                answer["body"] += seen.data
            if getattr(seen, "stream_ended", False) and not answer["over"].done():
                answer["over"].set_result(None)

    def fail(self, answer, error):
        if not answer["over"].done():
            answer["over"].set_exception(error)

    async def ask(self, fields):
        stream = self._quic.get_next_available_stream_id()
        answer = {"status": 0, "body": b"", "over": asyncio.get_running_loop().create_future()}
        self.answers[stream] = answer
        self.http.send_headers(stream, fields, end_stream=True)
        self.transmit()
        try:
            await asyncio.wait_for(answer["over"], PATIENCE_SECONDS)
        finally:
            del self.answers[stream]
        return answer


class Connections:
    def __init__(self, place):
        self.place = place
        self.count = 0
        self.kept = {}
        self.opening = asyncio.Lock()

    async def open(self):
        self.count += 1
        number = self.count
        configuration = QuicConfiguration(
            is_client=True,
            alpn_protocols=H3_ALPN,
            server_name=self.place["serverName"],
            verify_mode=ssl.CERT_REQUIRED,
            cadata=self.place["ca"].encode(),
            quic_logger=QuicLogger(),
        )
        context = connect("127.0.0.1", self.place["port"], configuration=configuration, create_protocol=Client)
        client = await asyncio.wait_for(context.__aenter__(), PATIENCE_SECONDS)
        return {"number": number, "client": client, "close": context.__aexit__, "limit": limit_of(configuration.quic_logger)}

    async def keep(self, name):
        async with self.opening:
            kept = self.kept.get(name)
            if kept is None or kept["client"].ended is not None or kept["client"].http.going_away:
                self.kept[name] = await self.open()
            return self.kept[name]


def limit_of(logger):
    """Of the server's transport parameters: how many requests it takes at a time."""
    for trace in logger.to_dict()["traces"]:
        for event in trace["events"]:
            if event["name"] == "transport:parameters_set" and event["data"].get("owner") == "remote":
                return event["data"].get("initial_max_streams_bidi")
    return None


def say(line):
    print(json.dumps(line), flush=True)


async def serve(connections, task):
    number = None
    resets = 0
    name = task.get("on")
    try:
        while True:
            connection = await (connections.open() if name is None else connections.keep(name))
            number = connection["number"]
            host = connections.place["host"]
            fields = [(":method", "GET"), (":scheme", "https"), (":authority", host), (":path", task["path"])]
            try:
                answer = await connection["client"].ask([(name.encode(), value.encode()) for name, value in fields])
                break
            except Refused:
                resets += 1
                connections.kept.pop(name, None)
            finally:
                if name is None:
                    await connection["close"](None, None, None)
        body = answer["body"].decode()
        say({"id": task["id"], "status": answer["status"], "body": body, "connection": number, "maxStreams": connection["limit"], "resets": resets})
    except Exception as error:  # Whatever it is, whoever asked wants to know.
        say({"id": task["id"], "error": f"{type(error).__name__}: {error}", "connection": number, "resets": resets})


async def main():
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    connections = Connections(json.loads(await reader.readline()))
    under_way = set()
    while line := await reader.readline():
        task = asyncio.create_task(serve(connections, json.loads(line)))
        under_way.add(task)
        task.add_done_callback(under_way.discard)


asyncio.run(main())
