import type { ObjectByKind } from '../../gateway-api/index.ts';
import { objectKey } from '../../gateway-api/index.ts';
import { forbiddenHost, resolveValidation } from '../../graph/backends/index.ts';
import type { StoredObjects } from '../../graph/engine/index.ts';
import { type BackendUser, backendKey, type ConditionFault, type ResolvedBackend } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';

export type DynamicBackendObject = ObjectByKind['DynamicBackend'];

const isEncrypted = ({ spec }: DynamicBackendObject): boolean => spec.tls?.mode !== 'None';

/** The first is for requests that name none. */
const portsOf = (object: DynamicBackendObject): readonly number[] => {
  const { ports = [] } = object.spec;
  return ports.length > 0 ? ports : [isEncrypted(object) ? 443 : 80];
};

export const keyOfDynamicBackend = (object: DynamicBackendObject): string =>
  backendKey(object.metadata.namespace ?? '', object.metadata.name, portsOf(object)[0] as number, {
    source: 'dynamic',
  });

/** Where the reference of a route leads. Which server it is, each request says. */
export function resolveDynamicBackend(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  { kind, rule }: BackendUser,
  store: StoredObjects,
): ResolvedBackend {
  const where = `DynamicBackend ${namespace}/${name}`;
  const fault = (reason: string, message: string): ResolvedBackend => ({ fault: { reason, message } });
  if (kind !== 'HTTPRoute' || rule === undefined)
    return fault('InvalidKind', `${where} is for backendRefs of HTTPRoutes alone`);
  const object = store.find('DynamicBackend', objectKey(namespace, name));
  return object ? { key: keyOfDynamicBackend(object) } : fault('BackendNotFound', `${where} does not exist`);
}

/** What a DynamicBackend comes to now. With a fault nothing is sent. */
interface ResolvedDynamicBackend {
  readonly tls?: ir.BackendTls;
  readonly acceptFault?: ConditionFault;
  readonly referenceFault?: ConditionFault;
}

export function resolveReferences(object: DynamicBackendObject, store: StoredObjects): ResolvedDynamicBackend {
  const { tls, acceptFault, referenceFault } = tlsOf(object, store);
  const host = object.spec.hosts.map((name, index) => hostFault(object, name, index, store)).find((fault) => fault);
  const fault = host ?? acceptFault;
  return {
    ...(tls && { tls }),
    ...(fault && { acceptFault: fault }),
    ...(referenceFault && { referenceFault }),
  };
}

/** Of many names at once, what all of them are below. What single ones lead to is judged where they are resolved. */
function hostFault(
  object: DynamicBackendObject,
  pattern: string,
  index: number,
  store: StoredObjects,
): ConditionFault | undefined {
  const host = pattern.replace(/^\*\.?/, '');
  return host === '' ? undefined : forbiddenHost(object, { field: `hosts[${index}]`, host }, store);
}

function tlsOf(object: DynamicBackendObject, store: StoredObjects): ResolvedDynamicBackend {
  if (!isEncrypted(object)) return {};
  const namespace = object.metadata.namespace ?? '';
  const refs = (object.spec.tls?.caCertificateRefs ?? []).map(({ name }) => ({ group: '', kind: 'ConfigMap', name }));
  const authorities = refs.length > 0 ? { caCertificateRefs: refs } : { wellKnownCACertificates: 'System' as const };
  const { tls, ...faults } = resolveValidation(
    { hostname: '', ...authorities },
    { kind: 'DynamicBackend', namespace },
    store,
  );
  return { ...(tls && { tls: { ...tls, names: [] } }), ...faults };
}

/** Undefined: it is gone, or has another port now. Without `named` it must not be used: then it has no servers. */
export function backendOf(key: string, object: DynamicBackendObject, store: StoredObjects): ir.Backend | undefined {
  if (keyOfDynamicBackend(object) !== key) return undefined;
  const { tls, acceptFault } = resolveReferences(object, store);
  const { metadata, spec } = object;
  const ports = portsOf(object);
  const backend: ir.Backend = {
    key,
    kind: 'DynamicBackend',
    namespace: metadata.namespace ?? '',
    service: metadata.name,
    port: ports[0] as number,
    protocol: 'http1',
  };
  if (acceptFault) return backend;
  const named = {
    hosts: [...new Set(spec.hosts)],
    ports,
    ...(spec.privateAddresses === 'Allowed' && { reachesPrivate: true as const }),
  };
  return { ...backend, ...(tls && { tls }), named };
}
