import test from 'ava';
import { nodeDiff, nodeDiffText } from '../../../src/cli/diff/node-diff.ts';
import type { AdminClient } from '../../../src/cli/kit/admin-client.ts';

const typeOf = (name: string): string => `type.googleapis.com/envoy.config.any.v3.${name}`;

const cluster = (name: string, timeout: string) => ({ name, connect_timeout: timeout });
const endpoints = (...ports: readonly number[]) => ({
  cluster_name: 'a',
  endpoints: [
    {
      lb_endpoints: ports.map((port) => ({
        endpoint: { address: { socket_address: { address: '10.0.0.1', port_value: port } } },
      })),
    },
  ],
});

/** Answers of a control plane and, through it, of an agent. */
const clientOf = (
  sent: readonly { type: string; name: string; resource: object }[],
  configs: readonly object[],
): AdminClient =>
  ({
    get: async (path: string) =>
      path.startsWith('/v1/snapshot')
        ? {
            id: 'x',
            gateway: 'g',
            resources: sent.map(({ type, ...rest }) => ({ typeUrl: typeOf(type), version: '1', ...rest })),
          }
        : { configs },
  }) as unknown as AdminClient;

const clusters = (...bodies: readonly object[]) => ({
  '@type': typeOf('ClustersConfigDump'),
  dynamic_active_clusters: bodies.map((body) => ({ cluster: { '@type': typeOf('Cluster'), ...body } })),
});

test('missing, different and unknown resources are distinguished', async (t) => {
  const client = clientOf(
    [
      { type: 'Cluster', name: 'a', resource: cluster('a', '1s') },
      { type: 'Cluster', name: 'b', resource: cluster('b', '1s') },
      { type: 'Cluster', name: 'c', resource: cluster('c', '1s') },
    ],
    [clusters(cluster('a', '1s'), cluster('b', '2s'), cluster('d', '1s'))],
  );
  const differences = await nodeDiff(client, 'n1');
  t.deepEqual(
    differences.map(({ name, state }) => [name, state]),
    [
      ['b', 'different'],
      ['c', 'missing'],
      ['d', 'unknown to the control plane'],
    ],
  );
  const text = nodeDiffText(differences);
  t.regex(
    text,
    /--- sent\/Cluster b\n\+\+\+ held\/Cluster b\n@@ .*\n-connect_timeout: 1s\n\+connect_timeout: 2s\n name: b\n/,
  );
  t.regex(text, /--- sent\/Cluster c\n\+\+\+ \/dev\/null/);
  t.regex(text, /3 resources differ$/);
});

test('endpoints are compared by where they are, whatever else Envoy adds, and nothing is said of equal ones', async (t) => {
  const held = {
    '@type': typeOf('EndpointsConfigDump'),
    dynamic_endpoint_configs: [
      { endpoint_config: { '@type': typeOf('ClusterLoadAssignment'), policy: {}, ...endpoints(81, 80) } },
    ],
  };
  const same = await nodeDiff(
    clientOf([{ type: 'ClusterLoadAssignment', name: 'a', resource: endpoints(80, 81) }], [held]),
    'n1',
  );
  t.deepEqual(same, []);
  t.is(nodeDiffText(same), 'the data plane holds what it is sent');
  const other = await nodeDiff(
    clientOf([{ type: 'ClusterLoadAssignment', name: 'a', resource: endpoints(80, 82) }], [held]),
    'n1',
  );
  t.regex(nodeDiffText(other), /-- 10\.0\.0\.1:82 weight 1 priority 0\n/);
});
