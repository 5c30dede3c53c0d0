/**
 * A program that does to an API server what every leader has to, with Node's own client: it renews a Lease every two seconds, as Kubernetes' own
 * components do, and holds a watch of each path in `WATCHED`. It understands nothing of what it reads. Environment: `SERVER`, `TOKEN`, `CA` (a file).
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createSecureContext } from 'node:tls';
import { ready } from './ready.ts';

const { SERVER = '', TOKEN = '', CA = '', WATCHED = '' } = process.env;
const retryMs = 2000;
const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const agent = new Agent({ keepAlive: true, secureContext: createSecureContext({ ca: readFileSync(CA) }) });
const identity = `floor-${process.pid}`;

const paths = WATCHED.split(' ');
const statuses = await Promise.all(paths.map(watch));
if (statuses.some((status) => status !== 200)) throw new Error(`not all is served: ${statuses}`);
let metadata = await lease('POST', leases, { name: identity });
setInterval(async () => {
  metadata = await lease('PUT', `${leases}/${identity}`, metadata);
}, retryMs);
ready();

async function watch(path: string): Promise<number> {
  const answer = await ask('GET', `${path}?watch=1&allowWatchBookmarks=true&resourceVersion=0`);
  answer.resume();
  return answer.statusCode ?? 0;
}

async function lease(method: 'POST' | 'PUT', path: string, given: object): Promise<object> {
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: identity, leaseDurationSeconds: 15, renewTime };
  const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: given, spec };
  const answer = await ask(method, path, JSON.stringify(body));
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  if ((answer.statusCode ?? 0) >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  return JSON.parse(text).metadata;
}

function ask(method: string, path: string, body?: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    request(`${SERVER}${path}`, { method, agent, headers }, resolve).once('error', reject).end(body);
  });
}
