import { type ObjectKey, objectKey, type Service } from '../../gateway-api/index.ts';
import type { Ingress, IngressBackend } from '../world/objects.ts';
import { readyEndpoints, type World } from '../world/world.ts';
import { Annotations } from './annotations.ts';
import { type Canary, canaryOf } from './canary.ts';

/** One port of a Service, as all paths use it that lead there. */
export interface Upstream {
  readonly name: string;
  readonly namespace: string;
  readonly service: string;
  readonly port: string;
  /** Undefined: it is a primary. Of the first Ingress that names it. */
  readonly canary: Canary | undefined;
  /** `unknown`: nothing was read about endpoints; they are taken to be there. */
  readonly hasEndpoints: boolean | 'unknown';
  /** The names of canaries of it; the first counts. */
  readonly alternatives: string[];
}

/** The one of requests that no Ingress takes. */
export const defaultUpstream = 'upstream-default-backend';

export function upstreamName({ metadata }: Ingress, { service }: IngressBackend): string | undefined {
  if (service === undefined) return undefined;
  return [metadata.namespace, service.name, service.port?.name || service.port?.number || ''].join('-');
}

/** By name. The Ingress that names one first decides whether it is a canary. */
export function makeUpstreams(ingresses: readonly Ingress[], world: World): Map<string, Upstream> {
  const upstreams = new Map<string, Upstream>();
  for (const ingress of ingresses) {
    const { defaultBackend, rules = [] } = ingress.spec;
    const canary = canaryOf(new Annotations(ingress, world.controller));
    if (defaultBackend?.service) upstreams.delete(upstreamName(ingress, defaultBackend) ?? '');
    const backends = [defaultBackend, ...rules.flatMap(({ http }) => http?.paths.map(({ backend }) => backend) ?? [])];
    for (const backend of backends) {
      const name = backend && upstreamName(ingress, backend);
      if (name === undefined || !backend?.service || upstreams.has(name)) continue;
      upstreams.set(name, makeUpstream(name, ingress.metadata.namespace, backend.service, canary, world));
    }
  }
  return upstreams;
}

function makeUpstream(
  name: string,
  namespace = 'default',
  { name: service, port }: NonNullable<IngressBackend['service']>,
  canary: Canary | undefined,
  world: World,
): Upstream {
  const written = port?.name || String(port?.number ?? '');
  const hasEndpoints = endpointsOf(world, objectKey(namespace, service), written);
  return { name, namespace, service, port: written, canary, hasEndpoints, alternatives: [] };
}

function endpointsOf(world: World, key: ObjectKey, port: string): Upstream['hasEndpoints'] {
  const service = world.services.get(key);
  if (service === undefined) return world.unread.has('Service') ? 'unknown' : false;
  if (service.spec.type === 'ExternalName') return world.controller.flags.get('disable-svc-external-name') !== 'true';
  if (!hasPort(service, port)) return false;
  const ready = readyEndpoints(world, key);
  return ready === 'unknown' ? 'unknown' : ready > 0;
}

/** By number, name or targetPort. */
const hasPort = ({ spec: { ports = [] } }: Service, wanted: string): boolean =>
  ports.some(({ port, name, targetPort }) => [String(port), name, String(targetPort ?? port)].includes(wanted));
