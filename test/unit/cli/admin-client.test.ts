import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { AdminClient } from '../../../src/cli/kit/admin-client.ts';

/** An admin API that closes the connection on which the second request comes; says what it has read. */
async function startHasty(t: ExecutionContext): Promise<{ readonly client: AdminClient; readonly read: string[] }> {
  const read: string[] = [];
  const server = createServer((request, response) => {
    read.push(request.method ?? '');
    if (read.length === 2) return void request.socket.destroy();
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
  // It closes connections when it is to, and not for having been idle.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { client: new AdminClient({ server: `http://127.0.0.1:${port}` }), read };
}

test('what is read is asked for once more when the connection is closed meanwhile', async (t) => {
  const { client, read } = await startHasty(t);
  t.deepEqual(await client.get('/v1/summary'), {});
  t.deepEqual(await client.get('/v1/summary'), {});
  t.deepEqual(read, ['GET', 'GET', 'GET']);
});

test('what changes something is not', async (t) => {
  const { client, read } = await startHasty(t);
  t.deepEqual(await client.post('/v1/changes', {}), {});
  await t.throwsAsync(client.post('/v1/changes', {}), { message: /^cannot reach the admin API/ });
  t.deepEqual(read, ['POST', 'POST']);
});
