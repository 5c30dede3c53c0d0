import { readFileSync } from 'node:fs';
import test from 'ava';
import { parse } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { startEnvoy } from '../support/envoy.ts';
import { createAuthorities, startMutualTlsControlPlane } from '../support/mutual-tls.ts';
import { request } from '../support/request.ts';
import { gatewayObjects, routeObject } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

const page = readFileSync(new URL('../../docs/data-plane.md', import.meta.url), 'utf8');
const [, documented = ''] = /^## An Envoy of your own$.*?^```yaml\n(.*?)^```$/ms.exec(page) ?? [];

const redirect = (to: string) => [
  { filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: to, statusCode: 302 } }] },
];

test('an Envoy without an agent, started as docs/data-plane.md says, serves and follows', async (t) => {
  const authorities = await createAuthorities();
  const { authority, proxies } = authorities;
  const traffic = await freePort();
  const objectsTo = (to: string) => [...gatewayObjects(traffic), routeObject('moved', 'own.test', redirect(to))];
  const objects = objectsTo('first.test');
  const hostnames = ['control.example.com'];
  const { xds, write, put, json } = await startMutualTlsControlPlane(t, { authorities, hostnames, objects });
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
  put(objectsTo('second.test'));
  await untilLedTo('second.test');
  const nodes = () => json<Record<string, unknown>[]>('/v1/nodes');
  const [node] = await untilFits('the node to be ready', nodes, ([first]) => first?.ready === true);
  t.like(node, { nodeId: 'edge-1', gateway: 'default/edge', gatewayKnown: true, version: '', lastConfigStatus: 'ACK' });
});
