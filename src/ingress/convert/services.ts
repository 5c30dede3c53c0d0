import { objectKey } from '../../gateway-api/index.ts';
import { type ExternalServer, externalServerName, type Fields } from '../features/part.ts';
import type { Judged } from '../judge/judge.ts';
import type { Site } from '../judge/site.ts';
import { upstreamName } from '../model/upstreams.ts';
import type { Ingress, IngressBackend } from '../world/objects.ts';
import { portNumber } from '../world/port-number.ts';
import { objectOf } from './object.ts';
import { externalName } from './rule-context.ts';

const own = 'gatewright.dev/v1alpha1';
const gatewayApi = 'gateway.networking.k8s.io';
const experimental = 'gateway.networking.x-k8s.io';

/** What a path of an Ingress leads to: a Service, or the XBackend of one of type ExternalName. */
export interface ServiceTarget {
  readonly name: string;
  readonly external?: { readonly hostname: string; readonly port: number };
}

interface Wants {
  readonly target: ServiceTarget;
  readonly backend: Fields[];
  readonly tls: Fields[];
  readonly by: string[];
}

/** What the paths of an Ingress lead to, each once. */
export function serviceTargets(ingress: Ingress, site: Site): readonly ServiceTarget[] {
  const { defaultBackend, rules = [] } = ingress.spec;
  const ofPaths = rules.flatMap(({ http }) => http?.paths.map(({ backend }) => backend) ?? []);
  const targets = [...(defaultBackend ? [defaultBackend] : []), ...ofPaths].flatMap((backend) => {
    const { service } = backend;
    if (service === undefined || upstreamName(ingress, backend) === undefined) return [];
    return targetOf(ingress.metadata.namespace, service, site);
  });
  return [...new Map(targets.map((target) => [target.name, target])).values()];
}

function targetOf(
  namespace: string | undefined,
  { name, port: written }: NonNullable<IngressBackend['service']>,
  { world }: Site,
): readonly ServiceTarget[] {
  const key = objectKey(namespace, name);
  const spec = world.services.get(key)?.spec as { readonly type?: string; readonly externalName?: string } | undefined;
  if (spec?.type !== 'ExternalName') return [{ name }];
  const port = portNumber(world, key, written?.name || String(written?.number ?? ''));
  if (spec.externalName === undefined || port === undefined) return [];
  return [{ name: externalName(name, port), external: { hostname: spec.externalName, port } }];
}

/** Policies of Services that Ingresses of a namespace want, by Service; what several want of one is joined, and the first of two for one field counts. */
export class ServicePolicies {
  readonly #wants = new Map<string, Wants>();
  /** ConfigMaps of authorities, by name. */
  readonly #authorities = new Map<string, string>();

  add({ ingress, part }: Judged, targets: readonly ServiceTarget[]): void {
    if (part.backendAuthority) this.#authorities.set(part.backendAuthority.name, part.backendAuthority.certificates);
    const wantsNothing = Object.keys(part.backend ?? {}).length === 0 && part.backendTls === undefined;
    for (const target of targets) {
      if (wantsNothing && target.external === undefined) continue;
      const found = this.#wants.get(target.name) ?? { target, backend: [], tls: [], by: [] };
      this.#wants.set(target.name, found);
      found.by.push(ingress.metadata.name);
      const wanted = backendOf(part.backend ?? {}, target);
      if (Object.keys(wanted).length > 0) found.backend.push(wanted);
      if (part.backendTls) found.tls.push(part.backendTls);
    }
  }

  /** Servers outside that policies ask. */
  addExternal(servers: readonly ExternalServer[]): void {
    for (const { hostname, port, isTls } of servers) {
      const name = externalServerName({ hostname, port, isTls });
      const tls = isTls ? [{ validation: { wellKnownCACertificates: 'System', hostname } }] : [];
      this.#wants.set(name, { target: { name, external: { hostname, port } }, backend: [], tls, by: [] });
    }
  }

  /** What is written for a namespace, with Services that Ingresses want in different ways. */
  objects(namespace: string): { readonly objects: readonly Fields[]; readonly disputed: readonly string[] } {
    const sorted = [...this.#wants.values()].sort((a, b) => (a.target.name < b.target.name ? -1 : 1));
    return {
      objects: [
        ...[...this.#authorities].sort().map(([name, text]) => authorityMap(namespace, name, text)),
        ...sorted.flatMap((wants) => objectsOf(wants, namespace)),
      ],
      disputed: sorted
        .filter(({ backend, tls }) =>
          [backend, tls].some((list) => new Set(list.map((each) => JSON.stringify(each))).size > 1),
        )
        .map(({ target: { name, external }, by }) => {
          const kind = external === undefined ? 'Service' : 'XBackend';
          return `${kind} ${namespace}/${name}: ${by.join(', ')}`;
        }),
    };
  }
}

const authorityMap = (namespace: string, name: string, text: string): Fields => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data: { 'ca.crt': text },
});

/** A server outside has no endpoints that could be missing, and a Service does not replace itself. */
function backendOf({ failover, ...others }: Fields, { name, external }: ServiceTarget): Fields {
  const refs = (failover as Fields | undefined)?.backendRefs as readonly Fields[] | undefined;
  const isUsed = external === undefined && refs?.some((ref) => ref.name !== name);
  return isUsed ? { ...others, failover } : others;
}

function objectsOf({ target: { name, external }, backend, tls: [tls] }: Wants, namespace: string): readonly Fields[] {
  const ref: Fields =
    external === undefined ? { group: '', kind: 'Service', name } : { group: experimental, kind: 'XBackend', name };
  const policy = (apiVersion: string, kind: string, spec: Fields): readonly Fields[] =>
    Object.keys(spec).length === 0
      ? []
      : [objectOf(apiVersion, kind, { name, namespace }, { targetRefs: [ref], ...spec })];
  const settings = policy(own, 'BackendPolicy', Object.assign({}, ...backend.toReversed()) as Fields);
  if (external === undefined) return [...settings, ...policy(`${gatewayApi}/v1`, 'BackendTLSPolicy', tls ?? {})];
  const { hostname, port } = external;
  const spec = {
    type: 'ExternalHostname',
    externalHostname: { hostname },
    port: { number: port },
    ...(tls !== undefined && { tls: { mode: 'ServerOnly', ...tls } }),
  };
  return [objectOf(`${experimental}/v1alpha1`, 'XBackend', { name, namespace }, spec), ...settings];
}
