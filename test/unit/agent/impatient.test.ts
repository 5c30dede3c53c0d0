import { once } from 'node:events';
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import {
  type ChannelCredentials,
  Client,
  connectivityState,
  credentials,
  Server,
  ServerCredentials,
} from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { impatient } from '../../../src/agent/access/impatient.ts';
import { attemptsAt } from '../../support/attempts-at.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { serving, testAuthority, trusting } from '../../support/xds-tls.ts';

const authority = await testAuthority();
const { certificate, key } = await serving(authority);

const portOf = (server: NetServer) => (server.address() as AddressInfo).port;

/** A server of gRPC; gives its port. */
async function serve(t: ExecutionContext, serverCredentials: ServerCredentials): Promise<number> {
  const server = new Server();
  t.teardown(() => server.forceShutdown());
  return await new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', serverCredentials, (error, port) => (error ? reject(error) : resolve(port)));
  });
}

/** A channel that connects at once, and waits 200 ms for what grpc-js waits for without an end. */
function connectTo(t: ExecutionContext, port: number, channelCredentials: ChannelCredentials): Client {
  const client = new Client(`127.0.0.1:${port}`, impatient(channelCredentials, 200), {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.initial_reconnect_backoff_ms': 100,
  });
  t.teardown(() => client.close());
  client.getChannel().getConnectivityState(true);
  return client;
}

const untilReady = (client: Client) =>
  until('the channel to be ready', () => client.getChannel().getConnectivityState(true) === connectivityState.READY);

const kinds = [
  ['in plain text', ServerCredentials.createInsecure(), credentials.createInsecure()],
  [
    'over TLS',
    ServerCredentials.createSsl(null, [{ private_key: Buffer.from(key), cert_chain: Buffer.from(certificate) }]),
    trusting(authority),
  ],
] as const;
for (const [title, server, client] of kinds)
  test.serial(`${title}: a connection that is accepted and not answered makes way for another one`, async (t) => {
    await using proxy = await TcpProxy.start(await serve(t, server));
    proxy.silence();
    const sockets = attemptsAt(t, proxy.port);
    const channel = connectTo(t, proxy.port, client);
    await until('a connection', () => proxy.connections === 1);
    proxy.pass();
    await untilReady(channel);
    t.deepEqual(
      sockets.map(({ destroyed }) => destroyed),
      [true, false],
    );
  });

test.serial('over TLS: so does one whose server says nothing after the handshake', async (t) => {
  const server = createTlsServer({ key, cert: certificate, ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const sockets = attemptsAt(t, portOf(server));
  const channel = connectTo(t, portOf(server), trusting(authority));
  await until('a second connection', () => {
    channel.getChannel().getConnectivityState(true);
    return sockets.length > 1;
  });
  t.true(sockets[0]?.destroyed);
});

/** An empty SETTINGS frame, and the acknowledgement of the client's. RFC 9113, section 6.5. */
const settings = Buffer.from('000000040000000000000000040100000000', 'hex');

test.serial('a connection that we left does not wait until the other side leaves it, too', async (t) => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    t.teardown(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.resume().write(settings);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const sockets = attemptsAt(t, portOf(server));
  const channel = connectTo(t, portOf(server), credentials.createInsecure());
  await untilReady(channel);
  channel.close();
  await until('the connection to be closed', () => sockets[0]?.destroyed);
  t.is(sockets.length, 1);
});
