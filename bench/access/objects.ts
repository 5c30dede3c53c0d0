import { issueCertificate } from '../../scripts/example/certificate.ts';
import { type KubernetesObject, kinds } from '../../src/gateway-api/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import { backendAddress } from '../host/own-network.ts';
import type { Subject } from '../peer/subject.ts';
import { backend, namespace } from '../peer/world.ts';
import type { Typed } from '../support/apply-all.ts';
import { type Case, secrets } from './cases.ts';
import type { Servers } from './servers.ts';

const securityPolicies: ResourceType = {
  group: 'gateway.envoyproxy.io',
  version: 'v1alpha1',
  plural: 'securitypolicies',
};
const core = 'gateway.networking.k8s.io';
const apiVersion = `${core}/v1`;

/** Where a subject’s Gateway listens. */
export interface Ports {
  /** Of the hosts with policies. */
  readonly http: number;
  /** Where no host has a policy. */
  readonly alone: number;
  /** Where browsers log in. */
  readonly https: number;
}

export const hostOf = ({ key }: Case): string => `${key}.example.com`;

/** What both subjects’ policies name. */
export async function sharedObjects(servers: Servers): Promise<Typed[]> {
  const { certificatePem, keyPem } = await issueCertificate(['*.example.com']);
  const all = Object.entries(await secrets()).map(([name, entries]) => secret(name, entries));
  return [
    ...all,
    secret('edge-tls', { 'tls.crt': certificatePem, 'tls.key': keyPem }, 'kubernetes.io/tls'),
    ...service('http-auth', servers.httpAuthPort),
    ...service('grpc-auth', servers.grpcAuthPort),
    ...service('tokens', servers.tokenPort),
  ];
}

/** A subject’s Gateway with three listeners, and a route and a policy for each case. */
export function objectsOf(subject: Subject, ports: Ports, cases: readonly Case[]): Typed[] {
  const isOurs = subject.gateway === 'gatewright';
  const routes = cases.map((each): Typed => [kinds.HTTPRoute, route(subject.gateway, each)]);
  const policies = cases.flatMap((each): Typed[] => {
    const spec = isOurs ? each.ours : each.theirs;
    if (spec === undefined || Object.keys(spec).length === 0) return [];
    const targetRefs = [{ group: core, kind: 'HTTPRoute', name: nameOf(subject.gateway, each) }];
    const metadata = { name: nameOf(subject.gateway, each), namespace };
    const object = { metadata, spec: { targetRefs, ...spec } };
    return isOurs
      ? [[kinds.AccessPolicy, { apiVersion: 'gatewright.dev/v1alpha1', kind: 'AccessPolicy', ...object }]]
      : [[securityPolicies, { apiVersion: 'gateway.envoyproxy.io/v1alpha1', kind: 'SecurityPolicy', ...object }]];
  });
  return [[kinds.Gateway, gateway(subject.gateway, ports)], ...routes, ...policies];
}

function gateway(name: string, ports: Ports): KubernetesObject {
  const listeners = [
    { name: 'http', port: ports.http, protocol: 'HTTP' },
    { name: 'alone', port: ports.alone, protocol: 'HTTP' },
    { name: 'https', port: ports.https, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'edge-tls' }] } },
  ];
  return { apiVersion, kind: 'Gateway', metadata: { name, namespace }, spec: { gatewayClassName: name, listeners } };
}

const nameOf = (of: string, { key }: Case): string => `${of}-${key}`;

function route(of: string, each: Case): KubernetesObject {
  const spec = {
    parentRefs: [{ name: of, sectionName: each.listener }],
    hostnames: [hostOf(each)],
    rules: [{ backendRefs: [{ name: backend.name, port: backend.port }] }],
  };
  return { apiVersion, kind: 'HTTPRoute', metadata: { name: nameOf(of, each), namespace }, spec };
}

function secret(name: string, entries: Readonly<Record<string, string>>, type = 'Opaque'): Typed {
  const labels = { 'gatewright.dev/credentials': 'true' };
  const metadata = { name, namespace, labels };
  return [kinds.Secret, { apiVersion: 'v1', kind: 'Secret', metadata, type, stringData: entries } as KubernetesObject];
}

function service(name: string, port: number): Typed[] {
  const labels = { 'kubernetes.io/service-name': name };
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels },
    addressType: 'IPv4',
    ports: [{ name: 'one', port }],
    endpoints: [{ addresses: [backendAddress], conditions: { ready: true } }],
  } as KubernetesObject;
  const spec = { ports: [{ name: 'one', port: 80, targetPort: port }] };
  return [
    [kinds.Service, { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec } as KubernetesObject],
    [kinds.EndpointSlice, slice],
  ];
}
