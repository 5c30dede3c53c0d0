import { createServer, type Http2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  type HeaderMap,
  type ProcessingRequest,
  ProcessingRequestSchema,
  ProcessingResponseSchema,
} from '../../src/envoy/index.ts';
import { framed, prefixBytes } from './grpc-echo.ts';

export type ProcessorReply = MessageInitShape<typeof ProcessingResponseSchema>;

/** What a processor does with one message of a stream. */
export type Process = (message: ProcessingRequest, call: Http2ServerResponse) => void;

/** A server of envoy.service.ext_proc.v3.ExternalProcessor: a stream for each request, and on it a message for each part of it. */
export const createProcessor = (process: Process): Http2Server =>
  createServer((request, response) => processStream(request, response, process));

/** Answers one stream of a processor: `process` gets each of its messages. */
export function processStream(request: Http2ServerRequest, response: Http2ServerResponse, process: Process): void {
  let rest: Buffer = Buffer.alloc(0);
  response.stream.on('error', () => {});
  response.writeHead(200, { 'content-type': 'application/grpc' });
  response.addTrailers({ 'grpc-status': '0' });
  request.once('end', () => response.end());
  request.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let message = firstOf(rest); message; message = firstOf(rest)) {
      rest = rest.subarray(prefixBytes + message.length);
      process(fromBinary(ProcessingRequestSchema, message), response);
    }
  });
}

function firstOf(bytes: Buffer): Buffer | undefined {
  if (bytes.length < prefixBytes) return undefined;
  const length = bytes.readUInt32BE(1);
  return bytes.length < prefixBytes + length ? undefined : bytes.subarray(prefixBytes, prefixBytes + length);
}

export const sendReply = (call: Http2ServerResponse, reply: ProcessorReply): void =>
  void call.write(framed(toBinary(ProcessingResponseSchema, create(ProcessingResponseSchema, reply))));

/** Headers by name, as Envoy sends them to processors. */
export const headersOf = (map: HeaderMap | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (map?.headers ?? []).map(({ key, value, rawValue }) => [key, value || Buffer.from(rawValue).toString()]),
  );

/** The answer to whichever message that lets it pass, with these changes. */
export function passing(
  { request: { case: kind } }: ProcessingRequest,
  response: {
    readonly headerMutation?: object;
    readonly bodyMutation?: object;
    readonly clearRouteCache?: boolean;
  } = {},
): ProcessorReply {
  switch (kind) {
    case 'requestHeaders':
    case 'responseHeaders':
    case 'requestBody':
    case 'responseBody':
      return { response: { case: kind, value: { response } } };
    case 'requestTrailers':
    case 'responseTrailers':
      return { response: { case: kind, value: {} } };
    default:
      return {};
  }
}

/** A header that takes the place of all of its name. */
export const headerOf = (key: string, value: string) => ({
  header: { key, rawValue: Buffer.from(value) },
  appendAction: 2,
});

/**
 * A processor for examples. Requests with the header `x-block` are answered 403. All others get a header `x-processed` with its name, and so do their answers.
 */
export async function startProcessorServer(name: string, address: string, port: number): Promise<Http2Server> {
  const server = createProcessor((message, call) => {
    const { case: kind, value } = message.request;
    const isHeaders = kind === 'requestHeaders' || kind === 'responseHeaders';
    if (kind === 'requestHeaders' && 'x-block' in headersOf(value.headers))
      sendReply(call, { response: { case: 'immediateResponse', value: { status: { code: 403 } } } });
    else
      sendReply(
        call,
        passing(message, isHeaders ? { headerMutation: { setHeaders: [headerOf('x-processed', name)] } } : {}),
      );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, address, resolve);
  });
  return server;
}
