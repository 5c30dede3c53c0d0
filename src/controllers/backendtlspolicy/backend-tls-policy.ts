import { type Condition, keyOf, type ObjectByKind, type ServicePort } from '../../gateway-api/index.ts';
import { backendsOfOwner, type ResolvedTls, resolveValidation } from '../../graph/backends/index.ts';
import { authorityKey, bundleKey } from '../../graph/certificates/index.ts';
import type {
  BackendSetting,
  Change,
  Edge,
  GatewayConditions,
  Lookup,
  Marking,
  StatusContext,
  StoredObjects,
} from '../../graph/engine/index.ts';
import {
  appliesPolicies,
  type BackendKeyParts,
  type ConditionFault,
  combineFaults,
  compareAge,
  conditionOf,
  parseBackendKey,
  transportOf,
} from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { conditionsAt } from '../policies/index.ts';

type Policy = ObjectByKind['BackendTLSPolicy'];

/** What policies refer to. */
export const backendTlsEdges = {
  service: {
    to: { Service: (key) => key },
    targets: (policy) => servicesOf(policy),
    marks: (source, { dirty }) => dirty.markStatus('BackendTLSPolicy', source),
  },
  authority: {
    to: { ConfigMap: (key) => key, ClusterTrustBundle: bundleKey },
    targets: ({ metadata: { namespace = '' }, spec }) =>
      (spec.validation.caCertificateRefs ?? []).map((ref) => authorityKey({ ...ref, namespace })),
    marks: (source, marking) => markServices(marking.store.find('BackendTLSPolicy', source), marking),
  },
} as const satisfies Record<string, Edge<'BackendTLSPolicy'>>;

/** Marks a policy's Services, and the other policies that they have: another one may win now. */
function markServices(policy: Policy | undefined, { dirty, store, edges }: Marking): void {
  for (const service of policy ? servicesOf(policy) : []) {
    dirty.markStatuses('BackendTLSPolicy', edges.of(backendTlsEdges.service).sourcesOf(service));
    for (const backend of backendsOfOwner(service, store)) dirty.backends.add(backend);
  }
}

export function markBackendTlsPolicy({ key, before, after }: Change<'BackendTLSPolicy'>, marking: Marking): void {
  marking.dirty.markStatus('BackendTLSPolicy', key);
  markServices(before, marking);
  markServices(after, marking);
}

/** What a policy asks for, with its references followed. Source: BackendTLSPolicy.spec.validation. */
const resolveTls = ({ metadata, spec }: Policy, store: StoredObjects): ResolvedTls =>
  resolveValidation(spec.validation, { kind: 'BackendTLSPolicy', namespace: metadata.namespace ?? '' }, store);

/** `NAMESPACE/NAME` of the Services a policy is for. */
const servicesOf = ({ metadata, spec }: Policy): string[] => [
  ...new Set(spec.targetRefs.filter(isService).map(({ name }) => `${metadata.namespace}/${name}`)),
];

const isService = ({ group, kind }: Policy['spec']['targetRefs'][number]): boolean =>
  group === '' && kind === 'Service';

/** The policy that a section of a Service (undefined: the whole of it) has, of those that are for exactly that. */
function winnerOf(service: string, section: string | undefined, lookup: Lookup): Policy | undefined {
  const [first] = policiesOf(service, lookup)
    .filter((policy) =>
      policy.spec.targetRefs.some((ref) => targets(policy, ref, service) && ref.sectionName === section),
    )
    .sort(compareAge);
  return first;
}

const targets = (policy: Policy, ref: Policy['spec']['targetRefs'][number], service: string): boolean =>
  isService(ref) && `${policy.metadata.namespace}/${ref.name}` === service;

const policiesOf = (service: string, { store, edges }: Lookup): Policy[] =>
  [...edges.of(backendTlsEdges.service).sourcesOf(service)].flatMap((key) => store.find('BackendTLSPolicy', key) ?? []);

/** The policy for one port of a Service: one for the port itself beats one for the Service. */
function policyOf(service: string, port: Pick<ServicePort, 'name'>, lookup: Lookup): Policy | undefined {
  const own = port.name ? winnerOf(service, port.name, lookup) : undefined;
  return own ?? winnerOf(service, undefined, lookup);
}

/** TLS towards a backend of a Service. A policy that cannot be followed closes it: plain text is what it forbids. */
export function tlsSetting(backend: Pick<ir.Backend, 'key'>, lookup: Lookup): BackendSetting | undefined {
  const parts = parseBackendKey(backend.key);
  if (parts.source || !appliesPolicies(parts)) return undefined;
  const policy = policyOf(`${parts.namespace}/${parts.service}`, portOf(parts, lookup.store), lookup);
  if (!policy) return undefined;
  const { tls } = resolveTls(policy, lookup.store);
  const { clientCertificate } = parts;
  return tls ? { fields: { tls: { ...tls, ...(clientCertificate && { clientCertificate }) } } } : { isClosed: true };
}

function portOf(
  { namespace, service, port, transport }: BackendKeyParts,
  store: StoredObjects,
): Pick<ServicePort, 'name'> {
  const ports = store.find('Service', `${namespace}/${service}`)?.spec.ports ?? [];
  return ports.find((entry) => entry.port === port && transportOf(entry) === transport) ?? {};
}

/** The conditions of a policy, for the Gateways that send requests to its Services. */
export function backendTlsPolicyConditions(policy: Policy, context: StatusContext): GatewayConditions {
  const generation = policy.metadata.generation ?? 0;
  const { acceptFault, referenceFault } = resolveTls(policy, context.store);
  const backends = context.backends.of(servicesOf(policy)).filter((key) => appliesPolicies(parseBackendKey(key)));
  const conditions: Condition[] = [
    conditionOf('Accepted', generation, targetFault(policy, context) ?? acceptFault),
    conditionOf('ResolvedRefs', generation, referenceFault),
  ];
  return conditionsAt(context.backends.gatewaysOf(backends), conditions, context.backends.rejectionOf(backends));
}

/** A target that is not there, or that another policy has already. */
function targetFault(policy: Policy, lookup: Lookup): ConditionFault | undefined {
  const faults = policy.spec.targetRefs.map((ref): ConditionFault | undefined => {
    const { kind, name, sectionName } = ref;
    if (!isService(ref))
      return { reason: 'TargetNotFound', message: `targetRef ${name} is a ${kind}: only Services are supported` };
    const key = `${policy.metadata.namespace}/${name}`;
    const ports = lookup.store.find('Service', key)?.spec.ports ?? [];
    if (sectionName && !ports.some((port) => port.name === sectionName)) {
      const has = ports.flatMap((port) => port.name ?? []).join(', ') || 'none';
      return { reason: 'TargetNotFound', message: `Service ${key} has no port named ${sectionName}: it has ${has}` };
    }
    const winner = winnerOf(key, sectionName, lookup);
    if (!winner || keyOf(winner) === keyOf(policy)) return undefined;
    const what = sectionName ? `port ${sectionName} of Service ${key}` : `Service ${key}`;
    return {
      reason: 'Conflicted',
      message: `${what} has the older BackendTLSPolicy ${keyOf(winner)} already: change or remove one of them`,
    };
  });
  return combineFaults(faults.flatMap((fault) => fault ?? []));
}
