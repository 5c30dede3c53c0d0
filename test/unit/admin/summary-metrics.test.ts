import { X509Certificate } from 'node:crypto';
import test from 'ava';
import { summaryMetrics } from '../../../src/admin/index.ts';
import { kindModules } from '../../../src/controllers/index.ts';
import type { KindName } from '../../../src/gateway-api/index.ts';
import { Graph } from '../../../src/graph/index.ts';
import { MetricSet } from '../../../src/telemetry/index.ts';
import { nodeView } from '../../support/admin.ts';
import { testCertificates } from '../../support/certificates.ts';
import { clusterTrustBundle, configMap, controllerName, gateway, gatewayClass, secret } from '../../support/objects.ts';

const [pair] = testCertificates;
const dayMs = 86_400_000;
const ends = new X509Certificate(pair.certificate).validToDate;

const https = {
  name: 'https',
  port: 443,
  protocol: 'HTTPS',
  tls: { mode: 'Terminate' as const, certificateRefs: [{ name: 'cert' }] },
};

function graphWithCertificate(): Graph {
  const graph = new Graph({
    controllerName,
    kinds: kindModules,
    bind: (_gateway, port) => ({ address: '127.0.0.1', port }),
  });
  const objects = [
    gatewayClass(),
    gateway('edge', [https]),
    secret('cert', { 'tls.crt': pair.certificate, 'tls.key': pair.key }),
  ];
  for (const object of objects) graph.upsert(object.kind as KindName, object as never);
  return graph;
}

type Followed = Parameters<ReturnType<typeof summaryMetrics>['follow']>[0];

/** The lines of a scrape at the time that `now` gives. */
function scrapes(followed: Followed): () => Promise<string[]> {
  const set = new MetricSet();
  summaryMetrics(set).follow(followed);
  return async () => (await set.text()).split('\n').filter((line) => !line.startsWith('#'));
}

test('connected data planes count by whether they have the newest snapshot; those that left do not count', async (t) => {
  const graph = graphWithCertificate();
  const { id } = graph.build(new Date()).snapshot;
  const all = [
    nodeView('a', { lastAckVersion: id }),
    nodeView('b', { lastAckVersion: 'older' }),
    nodeView('c'),
    nodeView('d', { connected: false, lastAckVersion: 'older' }),
  ];
  const nodes = { list: () => all, find: () => undefined };
  const scrape = scrapes({ graph, nodes, now: () => new Date() });
  const lines = await scrape();
  t.true(lines.includes('gatewright_xds_nodes{sync="current"} 1'));
  t.true(lines.includes('gatewright_xds_nodes{sync="drifted"} 2'));
});

test('a certificate counts, and is named from 30 days before its end on', async (t) => {
  const graph = graphWithCertificate();
  const nodes = { list: () => [], find: () => undefined };
  let now = ends.getTime() - 31 * dayMs;
  const scrape = scrapes({ graph, nodes, now: () => new Date(now) });
  t.true((await scrape()).includes('gatewright_certificates 0'), 'before there is a snapshot');
  graph.build(new Date());
  const named = async () => (await scrape()).filter((line) => line.startsWith('gatewright_certificate_expiry_seconds'));
  t.true((await scrape()).includes('gatewright_certificates 1'));
  t.deepEqual(await named(), []);
  const line = `gatewright_certificate_expiry_seconds{kind="Secret",secret="default/cert"} ${ends.getTime() / 1000}`;
  now = ends.getTime() - 29 * dayMs;
  t.deepEqual(await named(), [line]);
  now = ends.getTime() + dayMs;
  t.deepEqual(await named(), [line]);
  now = ends.getTime() - 31 * dayMs;
  t.deepEqual(await named(), [], 'nothing of before stays');
});

test('authorities that clients are checked by have a series too, by the one that ends first', async (t) => {
  const graph = graphWithCertificate();
  const refs = [
    { group: '', kind: 'ConfigMap', name: 'ca' },
    { group: 'certificates.k8s.io', kind: 'ClusterTrustBundle', name: 'all' },
  ];
  const edge = gateway('edge');
  const tls = { frontend: { default: { validation: { caCertificateRefs: refs } } } };
  graph.upsert('Gateway', { ...edge, spec: { ...edge.spec, tls } } as never);
  graph.upsert('ConfigMap', configMap('ca', { 'ca.crt': pair.certificate }));
  graph.upsert('ClusterTrustBundle', clusterTrustBundle('all', pair.certificate));
  graph.build(new Date());
  const nodes = { list: () => [], find: () => undefined };
  const scrape = scrapes({ graph, nodes, now: () => new Date(ends.getTime() - 29 * dayMs) });
  t.deepEqual(
    (await scrape()).filter((line) => line.startsWith('gatewright_certificate_expiry_seconds')),
    ['ConfigMap",secret="default/ca', 'ClusterTrustBundle",secret="all'].map(
      (labels) => `gatewright_certificate_expiry_seconds{kind="${labels}"} ${ends.getTime() / 1000}`,
    ),
  );
});
