import { status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { createAuthority, type IssuedCertificate } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import { farNetwork } from '../support/far-network.ts';
import { DeltaClient } from '../support/grpc.ts';
import { createAuthorities, startMutualTlsControlPlane, startUntilTeardown } from '../support/mutual-tls.ts';
import { thorough } from '../support/repetitions.ts';
import { gatewayObjects, routeObject } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';
import { trusting } from '../support/xds-tls.ts';

// A control plane over a directory, with no cluster, and data planes on another machine: who connects proves who it is.

const authorities = await createAuthorities();
const { authority, proxies } = authorities;
const spiffe = (gateway: string) => proxies.issue({ hostnames: ['proxy'], uris: [`spiffe://test/gateway/${gateway}`] });

interface GatewayRecord {
  readonly addresses?: readonly { readonly value: string }[];
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}

/** The control plane over a Gateway `default/edge`, whose only route answers by itself. */
async function startControlPlane(t: ExecutionContext) {
  const traffic = await freePort();
  const redirect = { type: 'RequestRedirect', requestRedirect: { hostname: 'moved.test', statusCode: 302 } };
  const objects = [...gatewayObjects(traffic), routeObject('moved', 'far.test', [{ filters: [redirect] }])];
  const hostnames = ['control.test', 'localhost'];
  return { traffic, ...(await startMutualTlsControlPlane(t, { authorities, hostnames, host: '', objects })) };
}

const ask = `
const [url, host] = process.argv.slice(1);
require('node:http').get(url, { headers: { host }, agent: false }, ({ statusCode, headers }) => {
  console.log(JSON.stringify({ status: statusCode, location: headers.location }));
  process.exit(0);
}).on('error', ({ code }) => { console.log(JSON.stringify({ code })); process.exit(0); });
`;

thorough(test)('a data plane on another machine is served by mutual TLS, without a cluster', async (t) => {
  const far = await farNetwork(t);
  if (typeof far === 'string') {
    t.pass(far);
    return;
  }
  const { xds, traffic, json, write, output } = await startControlPlane(t);
  const own = await spiffe('default/edge');
  const config = {
    dataplane: {
      cluster: 'default/edge',
      config: { nodeId: 'far-1' },
      xdsAddress: `${far.here}:${xds}`,
      adminListen: '127.0.0.1:8082',
      tls: {
        caFile: write('ca.crt', authority.certificatePem),
        certFile: write('own.crt', own.certificatePem),
        keyFile: write('own.key', own.keyPem),
        serverName: 'control.test',
      },
    },
  };
  const args = ['data-plane', '--config', write('data.yaml', JSON.stringify(config))];
  const agent = startUntilTeardown(t, args, { SVC_GW_NODE_ID: 'far-1' }, far.prefix);
  const url = `http://127.0.0.1:${traffic}/`;
  const answer = await untilFits(
    'the far proxy to serve',
    async () => JSON.parse(await far.run(ask, url, 'far.test')),
    ({ status: code }) => code === 302,
  );
  t.is(answer.location, `http://moved.test:${traffic}/`);
  const [gateway] = await untilFits(
    'the Gateway to be programmed',
    () => json<GatewayRecord[]>('/v1/gateways'),
    ([{ conditions } = { conditions: [] }]) =>
      conditions.some((is) => is.type === 'Programmed' && is.status === 'True'),
  );
  t.deepEqual(
    gateway?.addresses?.map(({ value }) => value),
    [far.there],
  );
  t.notRegex(output.stdout, /plain text/);
  t.notRegex(agent.output.stdout, /plain text/);
});

test('who shows no certificate, one of another authority, or one of another Gateway gets nothing', async (t) => {
  const { xds, json } = await startControlPlane(t);
  const strangers = await createAuthority('strangers');
  const cases: readonly [string, IssuedCertificate | undefined, number][] = [
    ['none', undefined, status.UNAUTHENTICATED],
    [
      'another authority',
      await strangers.issue({ hostnames: ['p'], uris: ['spiffe://test/gateway/default/edge'] }),
      status.UNAUTHENTICATED,
    ],
    ['another Gateway', await spiffe('default/other'), status.PERMISSION_DENIED],
  ];
  for (const [title, own, expected] of cases) {
    const credentials = trusting({ certificate: authority.certificatePem }, own);
    const client = new DeltaClient({ target: `localhost:${xds}`, cluster: 'default/edge', nodeId: title, credentials });
    t.teardown(() => client.close());
    client.subscribe(typeUrls.secret, '*');
    const { code } = await client.ended;
    t.is(code, expected, title);
  }
  t.deepEqual(await json<unknown[]>('/v1/nodes'), []);
});
