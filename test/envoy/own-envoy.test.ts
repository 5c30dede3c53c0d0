import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse, stringify } from 'yaml';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { startEnvoy } from '../support/envoy.ts';
import { startProgram } from '../support/program.ts';
import { request } from '../support/request.ts';
import { gatewayObjects, routeObject } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';
import { filesFor } from '../support/xds-tls.ts';

const page = readFileSync(new URL('../../docs/data-plane.md', import.meta.url), 'utf8');
const [, documented = ''] = /^## An Envoy of your own$.*?^```yaml\n(.*?)^```$/ms.exec(page) ?? [];

const redirect = (to: string) => [
  { filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: to, statusCode: 302 } }] },
];

test('an Envoy without an agent, started as docs/data-plane.md says, serves and follows', async (t) => {
  const write = filesFor(t);
  const resources = filesFor(t);
  const [authority, proxies] = [await createAuthority('control planes'), await createAuthority('proxies')];
  const [xds, admin, layout2, metrics, traffic] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const put = (to: string) =>
    resources(
      'gateway.yaml',
      [...gatewayObjects(traffic), routeObject('moved', 'own.test', redirect(to))]
        .map((each) => stringify(each))
        .join('---\n'),
    );
  const file = put('first.test');
  const own = await authority.issue({ hostnames: ['control.example.com'] });
  const config = {
    source: { directory: join(file, '..') },
    xds: {
      listen: `127.0.0.1:${xds}`,
      tls: {
        certFile: write('control.crt', own.certificatePem),
        keyFile: write('control.key', own.keyPem),
        clientCAFile: write('proxies.crt', proxies.certificatePem),
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
  const shown = await proxies.issue({ hostnames: ['edge-1'], uris: ['spiffe://example/gateway/default/edge'] });
  const text = documented
    .replace('address: control.example.com, port_value: 18080', `address: 127.0.0.1, port_value: ${xds}`)
    .replace('/etc/gatewright/tls.crt', write('tls.crt', shown.certificatePem))
    .replace('/etc/gatewright/tls.key', write('tls.key', shown.keyPem))
    .replace('/etc/gatewright/ca.crt', write('ca.crt', authority.certificatePem));
  const envoy = await startEnvoy({ bootstrap: parse(text) });
  t.teardown(() => envoy.stop());
  const untilLedTo = (to: string) =>
    untilFits(
      `a way to ${to}`,
      async () => {
        const answer = await request(`http://127.0.0.1:${traffic}/`, {
          headers: { host: 'own.test' },
        });
        return answer.headers.get('location');
      },
      (location) => location === `http://${to}:${traffic}/`,
    );
  await untilLedTo('first.test');
  put('second.test');
  await untilLedTo('second.test');
  const nodes = async () =>
    (await (await request(`http://127.0.0.1:${admin}/v1/nodes`)).json()) as Record<string, unknown>[];
  const [node] = await untilFits('the node to be ready', nodes, ([first]) => first?.ready === true);
  t.like(node, { nodeId: 'edge-1', gateway: 'default/edge', gatewayKnown: true, version: '', lastConfigStatus: 'ACK' });
});
