import { X509Certificate } from 'node:crypto';
import test from 'ava';
import { worldFigures } from '../../../src/admin/index.ts';
import { kindModules } from '../../../src/controllers/index.ts';
import type { KindName } from '../../../src/gateway-api/index.ts';
import { Graph } from '../../../src/graph/index.ts';
import { nodeView } from '../../support/admin.ts';
import { testCertificates } from '../../support/certificates.ts';
import { controllerName, gateway, gatewayClass, secret } from '../../support/objects.ts';

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

test('connected data planes count by whether they have the newest snapshot; those that left do not count', (t) => {
  const graph = graphWithCertificate();
  const { id } = graph.build(new Date()).snapshot;
  const all = [
    nodeView('a', { lastAckVersion: id }),
    nodeView('b', { lastAckVersion: 'older' }),
    nodeView('c'),
    nodeView('d', { connected: false, lastAckVersion: 'older' }),
  ];
  const nodes = { list: () => all, find: () => undefined };
  t.deepEqual(worldFigures({ graph, nodes, now: () => new Date() }).nodes, { current: 1, drifted: 2 });
});

test('a certificate counts, and is named from 30 days before its end on', (t) => {
  const graph = graphWithCertificate();
  const nodes = { list: () => [], find: () => undefined };
  t.is(worldFigures({ graph, nodes, now: () => ends }).certificates, 0, 'before there is a snapshot');
  graph.build(new Date());
  const endingAt = (ms: number) => worldFigures({ graph, nodes, now: () => new Date(ms) }).ending;
  t.deepEqual(endingAt(ends.getTime() - 31 * dayMs), []);
  t.deepEqual(endingAt(ends.getTime() - 29 * dayMs), [{ secret: 'default/cert', notAfter: ends }]);
  t.deepEqual(endingAt(ends.getTime() + dayMs).length, 1);
});
