import { setTimeout as delay } from 'node:timers/promises';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import type { Subject } from './subject.ts';
import { namespace, type World } from './world.ts';

/** Between changes, so that no subject gathers two into one. */
export const pauseMs = 300;

/** A Service of ten endpoints, with a route of the subject's to it. No request goes there: the addresses are dead. */
export async function addWideService(world: World, subject: Subject): Promise<void> {
  const metadata = { name: 'wide', namespace };
  const spec = { ports: [{ port: 80 }] };
  await world.api.client.apply(kinds.Service, { apiVersion: 'v1', kind: 'Service', metadata, spec });
  await world.api.client.apply(kinds.EndpointSlice, slice(10));
  await subject.probe.put('wide', 'wide.example.com', [{ backendRefs: [{ name: 'wide', port: 80 }] }]);
}

/** One of the ten comes or goes, so many times. */
export async function changeEndpoints(world: World, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    await world.api.client.apply(kinds.EndpointSlice, slice(at % 2 === 0 ? 9 : 10));
    await delay(pauseMs);
  }
}

function slice(endpoints: number): KubernetesObject {
  const addresses = Array.from({ length: endpoints }, (_, at) => `198.51.100.${at + 10}`);
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'wide', namespace, labels: { 'kubernetes.io/service-name': 'wide' } },
    addressType: 'IPv4',
    ports: [{ port: 1 }],
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  } as KubernetesObject;
}
