import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import type { Endings } from '../../test/support/endings.ts';
import { pickerObjects, podObject, poolObject, poolRef } from '../../test/support/pool-world.ts';
import { routeObject } from '../../test/support/standalone.ts';

/** Pools for long bodies, none of which a picker or a model server keeps. */

/** How a pool of that name is asked: without a picker, with the body of requests through it, with both bodies, with the request's in one message. */
export const streamedPools = {
  plain: undefined,
  request: 'FullDuplexRequest',
  both: 'FullDuplex',
  buffered: 'Buffered',
} as const;
export type StreamedPool = keyof typeof streamedPools;

const servers = ['127.0.0.11', '127.0.0.12'];

/** What is behind the pools, as objects for a Gateway `edge`; requests for `NAME.test` go to the pool NAME. */
export async function startStreamedPools(t: Endings): Promise<object[]> {
  const modelPort = await freePort();
  for (const address of servers) await startEcho(t, address, modelPort);
  const endpoints = servers.map((address) => `${address}:${modelPort}`);
  const ports = {
    streaming: await startPicker(t, 'streaming', endpoints),
    message: await startPicker(t, 'message', endpoints),
  };
  return [
    ...Object.entries(ports).flatMap(([name, port]) => pickerObjects(name, port)),
    ...servers.map((address, at) => podObject(`model-${at}`, 'model', address)),
    ...Object.entries(streamedPools).flatMap(([name, mode]) => {
      const picker = mode === undefined ? null : mode === 'Buffered' ? 'message' : 'streaming';
      return [
        poolObject(name, modelPort, { app: 'model', picker, ...(mode && { mode }) }),
        routeObject(name, `${name}.test`, [{ backendRefs: [poolRef(name)] }]),
      ];
    }),
  ];
}

/** A model server that says each piece of the request as soon as it has it. */
async function startEcho(t: Endings, address: string, port: number): Promise<void> {
  const server = http.createServer((request, response) => void request.pipe(response));
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
}

async function startPicker(t: Endings, style: 'streaming' | 'message', endpoints: readonly string[]): Promise<number> {
  const child = fork(join(import.meta.dirname, 'picker.ts'), [style, ...endpoints]);
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.kill();
    await ended;
  });
  const failed = ended.then(([code]) => Promise.reject(new Error(`the picker ended with ${code}`)));
  const [port] = await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => undefined);
  return port;
}
