import type { IncomingMessage, ServerResponse } from 'node:http';
import { exchange, rawRequest } from './raw-http.ts';
import type { TrafficWorld } from './traffic-world.ts';

/** Groups of TrafficPolicies that are filters, each with a way to see that it acts. */
export interface TrafficGroup {
  readonly group: string;
  readonly value: object;
  readonly other: object;
  /** One word for what a group does to a request, or `plain`. */
  readonly look: (world: TrafficWorld, host: string, path: string) => Promise<string>;
  /** What is seen of `value` and of `other`. */
  readonly seen: readonly [string, string];
}

export const longText = 'a text that is easy to compress, '.repeat(100);

/** A backend that shows what came to it. */
export function answerGroups(request: IncomingMessage, response: ServerResponse): void {
  const { headers } = request;
  if (headers['x-fail']) {
    response.writeHead(500).end();
    return;
  }
  let pieces = 0;
  request.on('data', () => {
    pieces++;
  });
  request.once('end', () => {
    response.setHeader('x-pieces', pieces);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.setHeader('location', 'http://inside.test/a/b?c=d');
    response.setHeader('set-cookie', ['a=1; Path=/app/x; HttpOnly', 'b=2; Domain=Inside.test; SameSite=None']);
    response.setHeader('x-came', headers['transfer-encoding'] ?? 'whole');
    response.setHeader('x-came-as', headers['content-type'] ?? '');
    if (!headers['x-in-pieces']) response.setHeader('content-length', longText.length);
    response.write(longText);
    response.end();
  });
}

const chunked = { 'transfer-encoding': 'chunked' };
const orPlain = (status: number): string => (status === 200 ? 'plain' : String(status));

async function answerInPieces({ port }: TrafficWorld, host: string, path: string): Promise<string> {
  const headers = [`Host: ${host}`, 'X-In-Pieces: yes'];
  const { rest } = await exchange(port, rawRequest(path, headers));
  const sizes = [...rest.matchAll(/^([0-9a-f]+)\r$/gm)].map(([, size = '']) => Number.parseInt(size, 16));
  return Math.max(...sizes) < longText.length ? 'in small pieces' : 'plain';
}

export const trafficGroups: readonly TrafficGroup[] = [
  {
    group: 'requestBody',
    value: { maxBytes: '1k' },
    other: { maxBytes: '1Mi' },
    async look(world, host, path) {
      const bodies: Record<string, string>[] = [{}, chunked];
      const answers = bodies.map((headers) => world.ask(host, { path, method: 'POST', headers, body: longText }));
      return (await Promise.all(answers)).map(({ status }) => orPlain(status)).join();
    },
    seen: ['413,413', 'plain,plain'],
  },
  {
    group: 'compression',
    value: { algorithms: ['Gzip'] },
    other: { algorithms: ['Brotli'], minBytes: 100, contentTypes: ['text/html'] },
    async look(world, host, path) {
      const { headers } = await world.ask(host, { path, headers: { 'accept-encoding': 'gzip, br, zstd' } });
      return headers['content-encoding'] ?? 'plain';
    },
    seen: ['gzip', 'br'],
  },
  {
    group: 'errorPages',
    value: [
      { codes: [404], body: { contentType: 'text/html', inline: 'wrong' } },
      { classes: ['5xx'], body: { contentType: 'text/html', inline: 'sorry: %RESPONSE_CODE%' } },
    ],
    other: [
      { codes: [418, 500], source: 'Backend', status: 404, body: { contentType: 'application/json', inline: '{}' } },
    ],
    async look(world, host, path) {
      const { status, headers, body } = await world.ask(host, { path, headers: { 'x-fail': 'yes' } });
      return body === '' ? 'plain' : `${status} ${headers['content-type']} ${body}`;
    },
    seen: ['500 text/html sorry: %RESPONSE_CODE%', '404 application/json {}'],
  },
  {
    group: 'errorPages',
    value: [{ codes: [500], service: { backendRef: { name: 'web', port: 80 } } }],
    other: [{ classes: ['5xx'], service: { backendRef: { name: 'web', port: 80 }, status: 'Service' } }],
    async look(world, host, path) {
      const { status, body } = await world.ask(host, { path, headers: { 'x-fail': 'yes' } });
      return body === '' ? 'plain' : `${status} ${body === longText ? 'page' : body}`;
    },
    seen: ['500 page', '200 page'],
  },
  {
    group: 'faults',
    value: {
      abort: { status: 418, percent: 100 },
      delay: { duration: '1ms', percent: 100 },
      onlyWithHeader: { name: 'x-fault' },
    },
    other: { abort: { status: 419, percent: 100 }, onlyWithHeader: { name: 'X-Fault', value: 'yes' } },
    look: async (world, host, path) => orPlain((await world.ask(host, { path, headers: { 'x-fault': 'yes' } })).status),
    seen: ['418', '419'],
  },
  {
    group: 'buffering',
    value: { request: { maxBytes: '1Mi' } },
    other: { request: { maxBytes: '1k' } },
    async look(world, host, path) {
      const answer = await world.ask(host, { path, method: 'POST', headers: chunked, body: longText });
      return answer.status === 200 && answer.headers['x-came'] === 'whole' ? 'whole' : orPlain(answer.status);
    },
    seen: ['whole', '413'],
  },
  {
    group: 'responseLocation',
    value: [
      { from: 'http://inside.test/b/', to: '/wrong/' },
      { from: 'http://inside.test/', to: 'https://outside.test/' },
    ],
    other: [{ from: 'http://inside.test/a/', to: '/' }],
    async look(world, host, path) {
      const { location } = (await world.ask(host, { path })).headers;
      return location === 'http://inside.test/a/b?c=d' ? 'plain' : String(location);
    },
    seen: ['https://outside.test/a/b?c=d', '/b?c=d'],
  },
  {
    group: 'responseCookies',
    value: {
      path: [{ from: '/app', to: '/' }],
      domain: [{ from: 'inside.test', to: 'outside.test' }],
      secure: true,
      sameSite: 'Lax',
    },
    other: { path: [{ from: '/app/x', to: '/y' }] },
    async look(world, host, path) {
      const { 'set-cookie': cookies = [] } = (await world.ask(host, { path })).headers;
      // Tests may have a session as well.
      const text = cookies.filter((cookie) => !cookie.startsWith('here=')).join(' | ');
      return text === 'a=1; Path=/app/x; HttpOnly | b=2; Domain=Inside.test; SameSite=None' ? 'plain' : text;
    },
    seen: [
      'a=1; Path=/x; HttpOnly; SameSite=Lax; Secure | b=2; Domain=outside.test; SameSite=Lax; Secure',
      'a=1; Path=/y; HttpOnly | b=2; Domain=Inside.test; SameSite=None',
    ],
  },
  {
    group: 'grpcWeb',
    value: {},
    other: {},
    async look(world, host, path) {
      const headers = { 'content-type': 'application/grpc-web+proto' };
      const answer = await world.ask(host, { path, method: 'POST', headers, body: 'x' });
      return answer.headers['x-came-as'] === headers['content-type'] ? 'plain' : String(answer.headers['x-came-as']);
    },
    seen: ['application/grpc', 'application/grpc'],
  },
  {
    group: 'admission',
    value: { successRate: 100, minRequestsPerSecond: 0, maxRejectPercent: 99, window: '10m' },
    other: { minRequestsPerSecond: 1_000_000 },
    async look(world, host, path) {
      // Each thread of the proxy counts by itself, and rejects by chance. It is one of a hundred millions that none is rejected.
      for (let count = 0; count < 100; count++) {
        const { status } = await world.ask(host, { path, headers: { 'x-fail': 'yes' } });
        if (status === 503) return 'rejected';
      }
      return 'plain';
    },
    seen: ['rejected', 'plain'],
  },
  {
    group: 'bandwidth',
    // Less than a text within a second: so much may come at once.
    value: { perRequest: { response: '2Ki' } },
    other: { perRequest: { response: '1Mi' } },
    look: answerInPieces,
    seen: ['in small pieces', 'plain'],
  },
  {
    group: 'bandwidth',
    // Less than a text within a second: so much may come at once.
    value: { total: { request: '2Ki' } },
    other: { total: { response: '2Ki' } },
    async look(world, host, path) {
      // A backend on a busy machine reads pieces together, but chunks one by one.
      const { headers } = await world.ask(host, { path, method: 'POST', headers: chunked, body: longText });
      const request = Number(headers['x-pieces']) > 1 ? 'in small pieces' : 'plain';
      const answer = await answerInPieces(world, host, path);
      return request === answer ? request : `request ${request}, answer ${answer}`;
    },
    seen: ['request in small pieces, answer plain', 'request plain, answer in small pieces'],
  },
];

/** Each group, with a value that nothing is seen of. */
export const unseenGroups: Readonly<Record<string, unknown>> = {
  requestBody: { maxBytes: '1Gi' },
  compression: { contentTypes: ['x/none'] },
  errorPages: [{ codes: [499], body: { contentType: 'text/plain', inline: 'none' } }],
  faults: { abort: { status: 418, percent: 100 }, onlyWithHeader: { name: 'x-none' } },
  buffering: { request: { maxBytes: '50Mi' } },
  responseLocation: [{ from: 'http://none.test/', to: '/' }],
  responseCookies: { domain: [{ from: 'none.test', to: 'test' }] },
  grpcWeb: {},
  admission: { minRequestsPerSecond: 1_000_000 },
  bandwidth: { perRequest: { response: '1Gi' }, total: { request: '1Gi', response: '1Gi' } },
};
