import test from 'ava';
import { configRecord } from '../../../src/agent/admin/config.ts';

const scope = (host: string) => ({
  '@type': 'type.googleapis.com/envoy.config.route.v3.ScopedRouteConfiguration',
  name: host,
  route_configuration: {
    name: `http/80/${host}`,
    virtual_hosts: [{ name: host, domains: ['*'], routes: [{ name: 'a' }, { name: 'b' }] }],
  },
});

/** As Envoy writes it. */
const dump = {
  configs: [
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.BootstrapConfigDump',
      bootstrap: { dynamic_listeners: [{ name: 'no' }] },
    },
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.ListenersConfigDump',
      dynamic_listeners: [
        { name: 'http/80', active_state: { version_info: 'v1', last_updated: '2026-01-01T00:00:00Z', listener: {} } },
        { name: 'http/81', error_state: { details: 'taken' } },
      ],
    },
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.ScopedRoutesConfigDump',
      dynamic_scoped_route_configs: [
        {
          name: 'one',
          version_info: 'v2',
          scoped_route_configs: [scope('a.test'), scope('b.test')],
          last_updated: 'T2',
        },
        { name: 'none', version_info: 'v3', last_updated: 'T3' },
        { name: 'two', version_info: 'v4', scoped_route_configs: [scope('c.test')] },
      ],
    },
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.RoutesConfigDump',
      static_route_configs: [{ route_config: { name: 'fixed', virtual_hosts: [{ name: 'x', domains: ['x.test'] }] } }],
      dynamic_route_configs: [{ version_info: 'v5', last_updated: 'T5', route_config: { name: 'moved' } }],
    },
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.ClustersConfigDump',
      static_clusters: [{ cluster: { name: 'agent' } }],
      dynamic_active_clusters: [{ version_info: 'v6', last_updated: 'T6', cluster: { name: 'default/web/80' } }],
    },
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.SecretsConfigDump',
      dynamic_active_secrets: [{ name: 'default/tls', secret: { tls_certificate: { private_key: 'S' } } }],
    },
  ],
};

async function* inChunks(text: string, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
}

test('what is shown of a dump, wherever it is cut', async (t) => {
  for (const size of [1, 13, 100_000])
    t.deepEqual(await configRecord(inChunks(JSON.stringify(dump, null, 1), size), undefined), {
      version: null,
      applied_at: null,
      listeners: [
        { name: 'http/80', version: 'v1', last_updated: '2026-01-01T00:00:00Z', error: '' },
        { name: 'http/81', version: '', last_updated: null, error: 'taken' },
      ],
      routes: [
        { name: 'moved', version: 'v5', last_updated: 'T5', hosts: [], routes: 0 },
        { name: 'fixed', version: '', last_updated: null, hosts: ['x.test'], routes: 0 },
        { name: 'http/80/a.test', version: 'v2', last_updated: 'T2', hosts: ['a.test'], routes: 2 },
        { name: 'http/80/b.test', version: 'v2', last_updated: 'T2', hosts: ['b.test'], routes: 2 },
        { name: 'http/80/c.test', version: 'v4', last_updated: null, hosts: ['c.test'], routes: 2 },
      ],
      clusters: [{ name: 'default/web/80', version: 'v6', last_updated: 'T6' }],
      secrets: ['default/tls'],
    });
});

test('a dump that ends in the middle is no configuration', async (t) => {
  const half = JSON.stringify(dump).slice(0, 700);
  await t.throwsAsync(configRecord(inChunks(half, 50), undefined), { message: /ends in the middle/ });
  t.deepEqual((await configRecord(inChunks('{}', 1), undefined)).routes, []);
});
