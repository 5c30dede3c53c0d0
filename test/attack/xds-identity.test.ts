import { status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { issueCertificate } from '../../scripts/example/certificate.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import { type ClientOptions, DeltaClient, SotwClient } from '../support/grpc.ts';
import { createAuthorities, startMutualTlsControlPlane } from '../support/mutual-tls.ts';
import { gateway, gatewayClass, secret } from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';
import { trusting } from '../support/xds-tls.ts';

// Clients with certificates that an authority of proxies signed, at a control plane with Gateways default/a and secretns/b.

const authorities = await createAuthorities();
const { authority, proxies } = authorities;
const planted = await issueCertificate(['b.test']);
const types = [typeUrls.secret, typeUrls.listener, typeUrls.cluster, typeUrls.scopedRoute] as const;

const tlsListener = (name: string) => ({
  name: 'https',
  port: 9443,
  protocol: 'HTTPS',
  tls: { certificateRefs: [{ name }] },
});

async function world(t: ExecutionContext) {
  const keyPair = { 'tls.crt': planted.certificatePem, 'tls.key': planted.keyPem };
  const objects = [
    gatewayClass(),
    gateway('a'),
    gateway('b', [tlsListener('b-tls') as never], { namespace: 'secretns' }),
    { ...secret('b-tls', keyPair, { namespace: 'secretns' }), type: 'kubernetes.io/tls' },
  ];
  const hostnames = ['localhost'];
  const { xds, json, output } = await startMutualTlsControlPlane(t, { authorities, hostnames, objects });
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
  return { client, nodes: () => json<object[]>('/v1/nodes'), output };
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

thorough(test)(
  'a client of one Gateway with the node id of another Gateway’s proxy does not keep that proxy out',
  async (t) => {
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
  },
);
