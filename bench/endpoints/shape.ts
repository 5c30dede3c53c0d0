import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import { podPort } from '../host/own-network.ts';
import { namespace } from '../peer/world.ts';
import type { Typed } from '../support/apply-all.ts';

/** How endpoints are spread over Services. */
export interface Shape {
  readonly name: string;
  /** Writes all of it, and waits until Envoy has it. */
  write(): Promise<void>;
  /** Writes that one endpoint changed. */
  change(at: number): Promise<void>;
  /** Waits until Envoy has the last change. */
  arrived(): Promise<void>;
  remove(): Promise<void>;
}

export const service = (name: string): Typed => [
  kinds.Service,
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { ports: [{ port: 80, targetPort: podPort }] },
  },
];

/** One of a Service's slices. */
export function slice(of: string, name: string, addresses: readonly string[]): Typed {
  const object = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': of } },
    addressType: 'IPv4',
    ports: [{ port: podPort }],
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  };
  return [kinds.EndpointSlice, object as KubernetesObject];
}
