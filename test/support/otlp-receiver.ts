import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { ExecutionContext } from 'ava';
import {
  ExportTraceServiceRequestSchema,
  ExportTraceServiceResponseSchema,
  type OtlpKeyValue,
  type OtlpSpan,
} from '../../src/envoy/index.ts';

type Value = string | number | bigint | boolean | undefined;

export interface ReceivedSpan {
  readonly span: OtlpSpan;
  /** Values as protobuf has them: whole numbers are bigints. */
  readonly attributes: Readonly<Record<string, Value>>;
  readonly resource: Readonly<Record<string, Value>>;
  readonly headers: http.IncomingHttpHeaders;
}

/** How a request is answered, by how many came before; undefined: it is taken. */
export type OtlpScript = (
  request: number,
) =>
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly rejected: number; readonly message: string }
  | 'hang up'
  | undefined;

export interface OtlpReceiver {
  readonly url: string;
  /** Of requests that were taken. */
  readonly spans: readonly ReceivedSpan[];
  readonly requests: number;
  /** All bytes that came. */
  readonly raw: string;
}

/** Takes spans by OTLP over HTTP, and reads them as protobuf: what it cannot read it rejects with 400. */
export async function startOtlpReceiver(
  t: ExecutionContext<unknown>,
  script: OtlpScript = () => undefined,
): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  let requests = 0;
  let raw = '';
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const answer = script(requests++);
      if (answer === 'hang up') return request.socket.destroy();
      if (answer && 'status' in answer) return response.writeHead(answer.status, answer.headers).end();
      if (request.method !== 'POST' || request.url !== '/v1/traces') return response.writeHead(404).end();
      if (request.headers['content-type'] !== 'application/x-protobuf') return response.writeHead(415).end();
      const bytes = Buffer.concat(chunks);
      raw += bytes.toString('latin1');
      try {
        spans.push(...read(bytes, request.headers));
      } catch {
        return response.writeHead(400).end();
      }
      const body = create(
        ExportTraceServiceResponseSchema,
        answer ? { partialSuccess: { rejectedSpans: BigInt(answer.rejected), errorMessage: answer.message } } : {},
      );
      response.writeHead(200, { 'content-type': 'application/x-protobuf' });
      return response.end(toBinary(ExportTraceServiceResponseSchema, body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    get requests() {
      return requests;
    },
    get raw() {
      return raw;
    },
  };
}

function read(bytes: Buffer, headers: http.IncomingHttpHeaders): ReceivedSpan[] {
  const { resourceSpans } = fromBinary(ExportTraceServiceRequestSchema, bytes);
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        span,
        attributes: plain(span.attributes),
        resource: plain(resource?.attributes ?? []),
        headers,
      })),
    ),
  );
}

const plain = (attributes: readonly OtlpKeyValue[]): Record<string, Value> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value?.value.value as Value]));

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
