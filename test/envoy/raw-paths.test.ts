import test from 'ava';
import { backend, refs, startWorld } from '../support/graph-proxy.ts';
import { startBackend } from '../support/http.ts';
import { gateway, httpRoute, ownObject } from '../support/objects.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';

/** Rules by path at listeners that leave paths as clients write them, with a real Envoy. */

const target = (kind: string, name: string, sectionName?: string) => ({
  group: 'gateway.networking.k8s.io',
  kind,
  name,
  ...(sectionName && { sectionName }),
});
const listenerPolicy = (path: object) =>
  ownObject('ListenerPolicy', 'raw', { targetRefs: [target('Gateway', 'edge', 'raw')], path });
const accessPolicy = (of: object, authorization: object, name = 'rules') =>
  ownObject('AccessPolicy', name, { targetRefs: [of], authorization });
/** All but what is below `/admin`. */
const byPath = {
  default: 'Allow',
  rules: [{ name: 'admin', action: 'Deny', when: { paths: [{ prefix: '/admin' }] } }],
};
const byMethod = { rules: [{ name: 'reading', action: 'Allow', when: { methods: ['GET'] } }] };
const raw = [{ normalize: false }, { mergeSlashes: false }, { escapedSlashes: 'Keep' }];
const byExpression = {
  rules: [{ name: 'open', action: 'Allow', when: { cel: "!(request.url_path in ['/admin', '/admin/'])" } }],
};
const hosts = ['a.test', 'b.wild.test'];
const paths = ['/', '/admin', '/x/../admin', '//admin'];

test('rules by path let no request in where paths are raw, and hold elsewhere', async (t) => {
  const web = await startBackend(t);
  const { envoy, apply } = await startWorld(
    t,
    gateway('edge', [
      { name: 'plain', port: 80, protocol: 'HTTP' },
      { name: 'raw', port: 81, protocol: 'HTTP' },
    ]),
    ...backend('web', web.port),
    httpRoute('web', { hostnames: ['a.test', '*.wild.test'], rules: refs({ web: 1 }) as never }),
    httpRoute('other', { hostnames: ['other.test'], rules: refs({ web: 1 }) as never }),
  );
  const ports = { plain: await envoy.port('http/80'), raw: await envoy.port('http/81') };
  const statuses = async (at: keyof typeof ports, host: string) =>
    Promise.all(
      paths.map(async (path) => {
        const { status } = await exchange(ports[at], rawRequest(path, [`Host: ${host}`]));
        return status;
      }),
    );
  const escaped = rawRequest('/x%2F..%2Fadmin', ['Host: a.test']);
  const holding = [200, 403, 403, 403];
  const closed = [500, 500, 500, 500];
  const open = [200, 200, 200, 200];
  for (const [level, of] of [
    ['the Gateway', target('Gateway', 'edge')],
    ['the route', target('HTTPRoute', 'web')],
  ] as const) {
    await apply(accessPolicy(of, byPath));
    for (const path of raw) {
      await apply(listenerPolicy(path));
      for (const host of hosts) {
        t.deepEqual(await statuses('plain', host), holding, `${level}, ${host}`);
        t.deepEqual(await statuses('raw', host), closed, `${level}, ${host}, ${JSON.stringify(path)}`);
      }
      t.is((await statuses('raw', 'other.test'))[0], level === 'the route' ? 200 : 500);
      await apply(listenerPolicy({ normalize: true }));
      t.deepEqual(await statuses('raw', 'a.test'), holding, `${level}, normalized again`);
    }
    await apply(listenerPolicy({ normalize: false, mergeSlashes: false, escapedSlashes: 'Keep' }));
    t.is((await exchange(ports.raw, escaped)).status, 500, level);
    await apply(accessPolicy(of, byExpression));
    t.deepEqual(await statuses('plain', 'a.test'), holding, `${level}: by an expression`);
    t.deepEqual(await statuses('raw', 'a.test'), closed, `${level}: by an expression`);
    await apply(accessPolicy(of, byMethod));
    for (const host of hosts) t.deepEqual(await statuses('raw', host), open, `${level}, ${host}: rules by method`);
  }
});
