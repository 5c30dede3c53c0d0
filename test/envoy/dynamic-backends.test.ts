import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { addresses, startLyingDns } from '../support/lying-dns.ts';
import { ownObject } from '../support/objects.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** Names may lead there. */
const open = '127.0.0.2';

const ref = (name: string) => ({ group: 'gatewright.dev', kind: 'DynamicBackend', name });
const toDynamic = (name: string, host: string, backend: string, more: object = {}) =>
  routeObject(name, host, [{ backendRefs: [ref(backend)], ...more }]);

/** A server of WebSockets, for which one line after the opening is enough. */
async function startSockets(t: ExecutionContext): Promise<{ readonly port: number }> {
  const server = createPlainServer().on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    socket.once('data', (said) => socket.end(`you said ${said}`)).on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, open, resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port };
}

/** All that comes back until the connection ends. What is said is sent when the WebSocket is open. */
async function sayByWebSocket(port: number, host: string, said: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  let text = '';
  for await (const piece of socket) {
    text += piece;
    if (text.endsWith('\r\n\r\n')) socket.write(said);
    if (text.startsWith('HTTP/1.1 4')) break;
  }
  return text;
}

test('requests name the server that they go to, among the hosts and ports that may be named', async (t) => {
  const dns = await startLyingDns(t);
  const server = await startBackend(
    t,
    (request, response) => response.end(`${request.method} ${request.headers.host} ${request.url}`),
    open,
    await freePort(),
  );
  const sockets = await startSockets(t);
  const neighbour = await startBackend(t);
  for (const name of ['a.outside.test', 'exact.test', 'other.test']) dns.set(name, addresses(name, [open]));
  const backend = (hosts: readonly string[]) =>
    ownObject('DynamicBackend', 'outside', { hosts, ports: [server.port, sockets.port], tls: { mode: 'None' } });
  const gateway = await startStandalone(
    {
      'backend.yaml': [backend(['*.outside.test', 'exact.test'])],
      'routes.yaml': [
        // A host that is found late, and an exact one.
        toDynamic('late', '*.outside.test', 'outside'),
        toDynamic('exact', 'exact.test', 'outside'),
        toDynamic('denied', 'other.test', 'outside'),
        toDynamic('rewritten', 'front.test', 'outside', {
          filters: [{ type: 'URLRewrite', urlRewrite: { hostname: 'exact.test' } }],
        }),
        ...serviceObjects('service', [neighbour.port]),
        routeObject('service', 'service.test', [{ backendRefs: [{ name: 'service', port: 80 }] }]),
      ],
    },
    { allowedAddresses: [`${open}/32`], nameServers: [dns] },
  );
  t.teardown(() => gateway.stop());
  const ask = (host: string, more: object = {}) => send(gateway.port, { host, path: '/x?y=1', ...more });
  const is = (host: string, status: number) =>
    untilFits(
      `${host} to be answered ${status}`,
      () => ask(host),
      (answer) => answer.status === status,
    );
  t.is((await is('a.outside.test', 200)).body, 'GET a.outside.test /x?y=1');
  t.is((await is('exact.test', 200)).body, 'GET exact.test /x?y=1');
  t.is((await ask(`a.outside.test:${server.port}`)).body, `GET a.outside.test:${server.port} /x?y=1`);
  t.is((await ask('A.Outside.Test')).status, 200);
  t.is((await is('front.test', 200)).body, 'GET exact.test /x?y=1', 'the Host that backends see decides');
  const body = 'x'.repeat(2_000_000);
  t.is((await ask('exact.test', { method: 'POST', body })).body, 'POST exact.test /x?y=1');
  const wrongPort = await ask('a.outside.test:22');
  t.is(wrongPort.status, 403);
  t.is(wrongPort.body, `this port of the host may not be asked for: ${server.port}, ${sockets.port} may\n`);
  t.is((await is('other.test', 403)).body, 'this host may not be asked for\n');
  t.is((await ask('service.test')).status, 200);
  const { body: seen } = await gateway.json(gateway.agentPort, '/api/v1/stats/backends');
  const found = (seen as { name: string; endpoints: { address: string }[] }[]).find(
    ({ name }) => name === `outside:${server.port}`,
  );
  t.deepEqual([...new Set(found?.endpoints.map(({ address }) => address))], [`${open}:${server.port}`]);

  for (const host of ['a.outside.test', 'exact.test'])
    t.regex(
      await sayByWebSocket(gateway.port, `${host}:${sockets.port}`, 'hello'),
      /^HTTP\/1\.1 101 .*you said hello$/s,
    );
  t.regex(await sayByWebSocket(gateway.port, `other.test:${sockets.port}`, 'hello'), /^HTTP\/1\.1 403 /);

  // A host that is taken away is gone for connections that are open already, and no other host notices.
  gateway.write('backend.yaml', backend(['*.outside.test', 'other.test']));
  await is('exact.test', 403);
  await is('other.test', 200);
  t.is((await ask('a.outside.test')).status, 200);
  t.is((await ask('service.test')).status, 200);

  // With a host that is never reached it is closed as a whole, and opens when that is gone.
  gateway.write('backend.yaml', backend(['*.outside.test', 'localhost']));
  await is('a.outside.test', 503);
  t.is((await ask('service.test')).status, 200);
  gateway.write('backend.yaml', backend(['*.outside.test']));
  await is('a.outside.test', 200);

  gateway.remove('backend.yaml');
  await is('a.outside.test', 500);
  t.is((await ask('service.test')).status, 200);
});

test('a server must have a certificate for the host that the request names', async (t) => {
  const dns = await startLyingDns(t);
  const authority = await createAuthority('ours');
  const { certificatePem: cert, keyPem: key } = await authority.issue({ hostnames: ['pay.outside.test'] });
  const asked: (string | false | undefined)[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    asked.push((request.socket as unknown as { servername?: string }).servername);
    response.end('paid');
  });
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, open, resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  for (const name of ['pay.outside.test', 'steal.outside.test']) dns.set(name, addresses(name, [open]));
  const gateway = await startStandalone(
    {
      'outside.yaml': [
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'ours' },
          data: { 'ca.crt': authority.certificatePem },
        },
        ownObject('DynamicBackend', 'outside', {
          hosts: ['*'],
          ports: [port],
          tls: { caCertificateRefs: [{ name: 'ours' }] },
        }),
        toDynamic('late', '*.outside.test', 'outside'),
        ownObject('DynamicBackend', 'strangers', { hosts: ['*'], ports: [port] }),
        toDynamic('strangers', 'steal.outside.test', 'strangers'),
        toDynamic('paid', 'paid.test', 'strangers', {
          filters: [{ type: 'URLRewrite', urlRewrite: { hostname: 'pay.outside.test' } }],
        }),
      ],
    },
    { allowedAddresses: [`${open}/32`], nameServers: [dns] },
  );
  t.teardown(() => gateway.stop());
  await untilFits(
    'the server to answer',
    () => send(gateway.port, { host: 'pay.outside.test' }),
    ({ status, body }) => status === 200 && body === 'paid',
  );
  t.deepEqual(new Set(asked), new Set(['pay.outside.test']));
  for (const host of ['steal.outside.test', 'paid.test']) t.is((await send(gateway.port, { host })).status, 503, host);
  const before = asked.length;
  t.is((await send(gateway.port, { host: 'pay.outside.test' })).status, 200);
  t.is(asked.length, before + 1);
});
