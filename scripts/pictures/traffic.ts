import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExampleRequest } from '../example/example.ts';
import { send } from '../example/send.ts';

/** More than the page shows in a chart of five minutes. */
const trafficMs = 320_000;
/** Between two rounds. */
const roundMs = 150;

const get = (host: string, path: string, scheme: 'http' | 'https' = 'http'): ExampleRequest => ({
  scheme,
  host,
  port: scheme === 'http' ? 8080 : 8443,
  path,
  expect: { status: 200 },
});

/** Requests with how many of a hundred they are. */
const mix: readonly (readonly [number, ExampleRequest])[] = [
  [38, get('shop.example.com', '/')],
  [22, get('shop.example.com', '/cart/7')],
  [6, get('shop.example.com', '/checkout')],
  [24, get('blog.example.com', '/posts/12', 'https')],
  [3, get('blog.example.com', '/comments/12', 'https')],
  [5, get('blog.example.com', '/')],
  [2, get('static.example.com', '/logo.svg')],
];

/** Some minutes of requests of every kind, and some questions to models. `portOf`: where a port of the YAML is. */
export async function sendTraffic(portOf: (port: number) => number): Promise<void> {
  const end = Date.now() + trafficMs;
  for (let round = 0; Date.now() < end; round += 1) {
    const open = Array.from({ length: 2 + (round % 3) }, () => chosen()).map((request) =>
      send(request, portOf(request.port)).catch(() => undefined),
    );
    if (round % 12 === 0) open.push(ask(portOf(8090), round).then(() => undefined));
    await Promise.all([...open, delay(roundMs)]);
  }
}

function chosen(): ExampleRequest {
  let left = Math.random() * 100;
  for (const [share, request] of mix) {
    left -= share;
    if (left < 0) return request;
  }
  return get('shop.example.com', '/');
}

/** A question to a model. The fake providers answer as its text says: now and then the first one fails, and the other one answers. */
function ask(port: number, round: number): Promise<void> {
  const used = { input: 150 + ((round * 37) % 400), output: 40 + ((round * 13) % 160), cached: 60 };
  const behaviour = round % 60 === 0 ? { only: 'openai', status: 503, used } : { used };
  const model = round % 36 === 0 ? 'claude-sonnet-4-5' : 'gpt-4o';
  const team = ['search', 'support', 'shop'][(round % 7) % 3] ?? 'shop';
  const headers = { host: 'ai.localhost', 'content-type': 'application/json', 'x-team': team };
  return new Promise((resolve) => {
    http
      .request(
        { host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST', headers, agent: false },
        (answer) => {
          answer.resume().once('close', () => resolve());
        },
      )
      .once('error', () => resolve())
      .end(JSON.stringify({ model, messages: [{ role: 'user', content: JSON.stringify(behaviour) }] }));
  });
}
