import test from 'ava';
import { backendHealthList, backendsRecord } from '../../../src/agent/admin/backends.ts';
import type { EnvoyCluster, EnvoyHost } from '../../../src/agent/envoy/clusters.ts';
import { keyOfAiRoute } from '../../../src/controllers/aiservice/ai-route.ts';
import { aiStepsName, clusterName, invalidCluster } from '../../../src/translate/resource/names.ts';

const host = (address: string): EnvoyHost => ({ address, healthy: true, failure: null, weight: 1, zone: '' });

const clusterOf = (name: string, ...addresses: readonly string[]): EnvoyCluster => ({
  name,
  hosts: addresses.map(host),
});

const namesOf = (clusters: readonly EnvoyCluster[]): string[] =>
  backendsRecord(clusters)
    .map(({ namespace, name }) => `${namespace}/${name}`)
    .sort();

test('a namespace of users that is called as we are has its backends listed, and a cluster of ours is none', (t) => {
  t.deepEqual(namesOf([clusterOf('gatewright/web/80', '10.0.0.1:80'), clusterOf(invalidCluster)]), [
    'gatewright/web:80',
  ]);
});

test('what chooses among AIServices is no backend; the provider of one is', (t) => {
  const rule = keyOfAiRoute('shop', 'chat', 0);
  const provider = 'shop/openai/443/ai/~0123abcd';
  const clusters = [
    clusterOf(clusterName(rule), ''),
    clusterOf(aiStepsName(rule, [{ service: 'shop/openai', backend: provider }]), ''),
    clusterOf(provider, '10.0.0.1:443'),
    clusterOf('shop/ai-route/80', '10.0.0.2:80'),
    clusterOf('shop/web/443/as/shop/ai-route', '10.0.0.3:443'),
  ];
  t.deepEqual(namesOf(clusters), ['shop/ai-route:80', 'shop/openai:443', 'shop/web:443']);
});

test('ports of a Service are in the order of their numbers', (t) => {
  const orderOf = backendHealthList.sorts.namespace;
  const places = ['web:80', 'web:443', 'web-api:80'].map((name) => orderOf?.({ namespace: 'shop', name }) ?? '');
  t.deepEqual([...places].sort(), places);
});
