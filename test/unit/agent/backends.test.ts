import test from 'ava';
import { backendsRecord } from '../../../src/agent/admin/backends.ts';
import type { EnvoyCluster, EnvoyHost } from '../../../src/agent/envoy/clusters.ts';
import { invalidCluster } from '../../../src/translate/names.ts';

const host = (address: string): EnvoyHost => ({ address, healthy: true, failure: null, weight: 1, zone: '' });

const clusterOf = (name: string, ...addresses: readonly string[]): EnvoyCluster => ({
  name,
  hosts: addresses.map(host),
});

const namesOf = (clusters: readonly EnvoyCluster[]): string[] =>
  backendsRecord(clusters).map(({ namespace, name }) => `${namespace}/${name}`);

test('a namespace of users that is called as we are has its backends listed, and a cluster of ours is none', (t) => {
  t.deepEqual(namesOf([clusterOf('gatewright/web/80', '10.0.0.1:80'), clusterOf(invalidCluster)]), [
    'gatewright/web:80',
  ]);
});
