import { objectKey } from '../../gateway-api/index.ts';
import type { Fields } from '../features/part.ts';
import { passedTo, type Site } from '../judge/site.ts';
import { isHostname } from '../values/hostname.ts';
import { portNumber } from '../world/port-number.ts';
import { listenerName, nameOf } from './names.ts';
import { objectOf } from './object.ts';
import type { ConvertOptions } from './options.ts';

interface Passed {
  readonly host: string;
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
}

const gatewayApi = 'gateway.networking.k8s.io/v1';

/** Listeners and TLSRoutes of hosts whose TLS their Services end, by namespace. */
export function passthroughObjects(site: Site, options: ConvertOptions): ReadonlyMap<string, readonly Fields[]> {
  const hosts = [...site.servers.all.values()]
    .flatMap((server): readonly Passed[] => {
      const upstream = passedTo(server, site);
      const port = upstream && portNumber(site.world, objectKey(upstream.namespace, upstream.service), upstream.port);
      if (upstream === undefined || port === undefined || !isHostname(server.host)) return [];
      return [{ host: server.host, namespace: upstream.namespace, service: upstream.service, port }];
    })
    .sort((a, b) => (a.host < b.host ? -1 : 1));
  return new Map(
    [...Map.groupBy(hosts, ({ namespace }) => namespace)].map(([namespace, some]) => [
      namespace,
      objectsOf(namespace, some, options),
    ]),
  );
}

/** Listeners of a ListenerSet. Source: ListenerSet.spec.listeners. */
const mostListeners = 64;

function objectsOf(
  namespace: string,
  hosts: readonly Passed[],
  { gateway, httpsPort }: ConvertOptions,
): readonly Fields[] {
  const setOf = (host: Passed) => {
    const at = Math.floor(hosts.indexOf(host) / mostListeners);
    return nameOf(gateway.name, at === 0 ? 'passthrough' : `passthrough-${at + 1}`);
  };
  const parentRef = { kind: 'Gateway', name: gateway.name, namespace: gateway.namespace };
  const sets = [...Map.groupBy(hosts, setOf)].map(([name, some]) => {
    const listeners = some.map(({ host }) => ({
      name: listenerName(host, hosts),
      hostname: host,
      port: httpsPort,
      protocol: 'TLS',
      tls: { mode: 'Passthrough' },
    }));
    return objectOf(gatewayApi, 'ListenerSet', { name, namespace }, { parentRef, listeners });
  });
  const routes = hosts.map((passed) => {
    const { host, service, port } = passed;
    const parentRefs = [{ kind: 'ListenerSet', name: setOf(passed), sectionName: listenerName(host, hosts) }];
    const spec = { parentRefs, hostnames: [host], rules: [{ backendRefs: [{ name: service, port }] }] };
    return objectOf(gatewayApi, 'TLSRoute', { name: nameOf(listenerName(host, hosts), 'tls'), namespace }, spec);
  });
  return [...sets, ...routes];
}
