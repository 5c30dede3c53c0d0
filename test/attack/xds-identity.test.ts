import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { stringify } from 'yaml';
import { createAuthority, issueCertificate } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import { type ClientOptions, DeltaClient, SotwClient } from '../support/grpc.ts';
import { gateway, gatewayClass, secret } from '../support/objects.ts';
import { startProgram } from '../support/program.ts';
import { request } from '../support/request.ts';
import { until } from '../support/until.ts';
import { filesFor, trusting } from '../support/xds-tls.ts';

// Clients with certificates that an authority of proxies signed, at a control plane with Gateways default/a and secretns/b.

const authority = await createAuthority('control planes');
const proxies = await createAuthority('proxies');
const planted = await issueCertificate(['b.test']);
const types = [typeUrls.secret, typeUrls.listener, typeUrls.cluster, typeUrls.scopedRoute] as const;

const tlsListener = (name: string) => ({
  name: 'https',
  port: 9443,
  protocol: 'HTTPS',
  tls: { certificateRefs: [{ name }] },
});

async function world(t: ExecutionContext) {
  const write = filesFor(t);
  const [xds, admin, layout2, metrics] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const keyPair = { 'tls.crt': planted.certificatePem, 'tls.key': planted.keyPem };
  const objects = [
    gatewayClass(),
    gateway('a'),
    gateway('b', [tlsListener('b-tls') as never], { namespace: 'secretns' }),
    { ...secret('b-tls', keyPair, { namespace: 'secretns' }), type: 'kubernetes.io/tls' },
  ];
  const resources = filesFor(t);
  const file = resources('world.yaml', objects.map((object) => stringify(object)).join('---\n'));
  const own = await authority.issue({ hostnames: ['localhost'] });
  const config = {
    source: { directory: join(file, '..') },
    xds: {
      listen: `127.0.0.1:${xds}`,
      tls: {
        certFile: write('tls.crt', own.certificatePem),
        keyFile: write('tls.key', own.keyPem),
        clientCAFile: write('clients.crt', proxies.certificatePem),
      },
    },
    admin: { listen: `127.0.0.1:${admin}`, layout2Listen: `127.0.0.1:${layout2}` },
    metrics: { listen: `127.0.0.1:${metrics}` },
    state: { directory: join(write('state', ''), '../state.d') },
  };
  const program = startProgram(['control-plane', '--config', write('config.yaml', JSON.stringify(config))]);
  t.teardown(async () => {
    program.kill('SIGTERM');
    await program.ended;
  });
  await until('the control plane to publish', () => /first snapshot published/.test(program.output.stdout));
  const client = async <C extends DeltaClient | SotwClient = DeltaClient>(
    uris: readonly string[],
    options: Omit<ClientOptions, 'target'>,
    Client: new (options: ClientOptions) => C = DeltaClient as never,
  ): Promise<C> => {
    const shown = await proxies.issue({ hostnames: ['proxy'], uris });
    const credentials = trusting({ certificate: authority.certificatePem }, shown);
    const made = new Client({ target: `localhost:${xds}`, credentials, ...options });
    t.teardown(() => made.close());
    return made;
  };
  const nodes = async () => (await (await request(`http://127.0.0.1:${admin}/v1/nodes`)).json()) as object[];
  return { client, nodes, output: program.output };
}

const forged: readonly (readonly string[])[] = [
  ['spiffe://t/gateway/default/../secretns/b'],
  ['spiffe://t/gateway/default/%2e%2e/secretns/b'],
  ['spiffe://t/gateway/secretns/b#default/a'],
  ['spiffe://t/gateway/secretns/b?default/a'],
  ['spiffe://t/gateway/default/a', 'spiffe://t/gateway/secretns/b'],
  ['spiffe://t/gateway/default/a, URI:spiffe://t/gateway/secretns/b'],
  ['SPIFFE://t/gateway/secretns/b'],
];

test('a certificate whose identity reads as another one after normalisation gets no private key', async (t) => {
  const { client, nodes, output } = await world(t);
  for (const uris of forged) {
    for (const Client of [DeltaClient, SotwClient]) {
      const title = `${Client.name} ${uris.join(' and ')}`;
      const thief = await client<DeltaClient | SotwClient>(uris, { nodeId: 'thief', cluster: 'secretns/b' }, Client);
      for (const typeUrl of types) thief.subscribe(typeUrl, '*');
      const { code, details } = await thief.ended;
      t.is(code, status.UNAUTHENTICATED, title);
      t.regex(details, /^the client certificate .* written exactly so$/, title);
      t.deepEqual(thief.received, [], title);
    }
  }
  t.deepEqual(await nodes(), [], 'none of them was a node');
  t.false(output.stdout.includes('PRIVATE KEY'));

  const owner = await client(['spiffe://t/gateway/secretns/b'], { nodeId: 'b-proxy-1', cluster: 'secretns/b' });
  owner.subscribe(typeUrls.secret, '*');
  const [sent] = (await owner.take(typeUrls.secret)).resources;
  t.true(
    Buffer.from(sent?.resource?.value ?? [])
      .toString()
      .includes(planted.keyPem.trim()),
    'the owner has it',
  );
});

test('a client of one Gateway with the node id of another Gateway’s proxy does not keep that proxy out', async (t) => {
  const { client, nodes } = await world(t);
  const squatter = await client(['spiffe://t/gateway/default/a'], { nodeId: 'b-proxy-1', cluster: 'default/a' });
  squatter.subscribe(typeUrls.listener, '*');
  await squatter.take(typeUrls.listener);
  const proxy = await client(['spiffe://t/gateway/secretns/b'], { nodeId: 'b-proxy-1', cluster: 'secretns/b' });
  proxy.subscribe(typeUrls.secret, '*');
  t.is((await proxy.take(typeUrls.secret)).resources.length, 1);
  squatter.subscribe(typeUrls.secret, '*');
  t.deepEqual((await squatter.take(typeUrls.secret)).resources, []);
  t.is((await nodes()).length, 2);
});
