import { idOf, type SourceObject } from '../kit/objects.ts';
import { type Output, objectOf } from '../kit/output.ts';
import type { Converted } from '../kit/result.ts';
import { Visit } from '../kit/table.ts';
import type { Fields } from '../kit/values.ts';
import type { Moving } from './moving.ts';
import { noteOf } from './policy.ts';
import type { BackendPolicies } from './services.ts';
import { backend, tlsOf } from './tables/backend.ts';

/** What the references to a Backend become. */
export interface BackendsMade {
  /** Fields of a backendRef; undefined: it has no equivalent here. */
  refOf(namespace: string, name: string): Fields | undefined;
}

/** Backends: an XBackend, a Service with addresses, or a DynamicBackend. */
export function convertBackends(
  moving: Moving,
  policies: BackendPolicies,
  output: Output,
): BackendsMade & { readonly converted: readonly Converted[] } {
  const refs = new Map<string, Fields>();
  const converted = moving.objects.of('Backend').map((source): Converted => {
    const visit = new Visit(false);
    visit.walk(source.spec, backend);
    const ref = write(source, visit, moving, policies, output);
    if (ref !== undefined) refs.set(`${source.namespace}/${source.name}`, ref);
    return { id: idOf(source), outcome: ref === undefined ? 'left' : 'converted', notes: visit.notes };
  });
  return { converted, refOf: (namespace, name) => refs.get(`${namespace}/${name}`) };
}

function write(
  source: SourceObject,
  visit: Visit,
  moving: Moving,
  policies: BackendPolicies,
  output: Output,
): Fields | undefined {
  const { draft, notes } = visit;
  const { namespace, name, spec } = source;
  const file = `${namespace}/backend-${name}.yaml`;
  const dynamic = draft.of('DynamicBackend');
  if (dynamic !== undefined) {
    const tls = spec.tls === undefined ? { mode: 'None' } : { mode: 'Simple' };
    output.add(
      file,
      objectOf('gatewright.dev/v1alpha1', 'DynamicBackend', namespace, name, { ...dynamic, tls }),
      notes,
    );
    return { group: 'gatewright.dev', kind: 'DynamicBackend', name };
  }
  const addresses = draft.of('Addresses');
  if (addresses !== undefined) {
    if (spec.tls !== undefined) notes.push(noteOf('decision', 'tls', 'write a BackendTLSPolicy for the Service'));
    return writeAddresses(file, namespace, moving.newName(name), addresses as never, visit, output);
  }
  const outside = draft.of('XBackend');
  if (outside === undefined) return undefined;
  const own = draft.of('BackendPolicy');
  if (own !== undefined) policies.addOwn({ kind: 'XBackend', namespace, name }, own);
  notes.push(noteOf('differs', 'endpoints', 'the backend sees its own name as Host, not the one that was asked for'));
  const { hostname } = outside.externalHostname as { readonly hostname: string };
  output.add(
    file,
    objectOf('gateway.networking.x-k8s.io/v1alpha1', 'XBackend', namespace, name, {
      type: 'ExternalHostname',
      externalHostname: { hostname },
      port: outside.port,
      protocol: draft.get('Protocol.name') ?? 'HTTP',
      tls: tlsOf(spec, visit),
    }),
    notes,
  );
  return { group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name };
}

function writeAddresses(
  file: string,
  namespace: string,
  name: string,
  { port, addresses }: { readonly port: number; readonly addresses: readonly string[] },
  { draft, notes }: Visit,
  output: Output,
): Fields {
  const appProtocol = draft.get('Protocol.name') === 'H2C' ? { appProtocol: 'kubernetes.io/h2c' } : {};
  output.add(
    file,
    objectOf('v1', 'Service', namespace, name, {
      clusterIP: 'None',
      ports: [{ name: 'backend', port, protocol: 'TCP', ...appProtocol }],
    }),
    notes,
  );
  for (const [family, some] of Map.groupBy(addresses, (address) => (address.includes(':') ? 'IPv6' : 'IPv4')))
    output.add(file, {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: `${name}-${family.toLowerCase()}`, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType: family,
      ports: [{ name: 'backend', port, protocol: 'TCP' }],
      endpoints: some.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    });
  return { name, port };
}
