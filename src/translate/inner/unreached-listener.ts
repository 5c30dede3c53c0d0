import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { HttpConnectionManagerSchema, ListenerSchema, packAny, typeUrls } from '../../envoy/index.ts';
import { type EnvoyResource, type HttpFilter, resourceOf } from '../resource/index.ts';
import { quietRouter } from './internal-listener.ts';

/**
 * LDS: a listener that binds nothing and to which nothing leads. It is there for what its filters subscribe to. Any Envoy takes it, also without the extension for
 * internal listeners.
 */
export function unreachedListener(name: string, filters: readonly HttpFilter[]): EnvoyResource {
  // Agents leave out what begins so.
  const statPrefix = 'gatewright_unreached';
  const manager = create(HttpConnectionManagerSchema, {
    statPrefix,
    routeSpecifier: { case: 'routeConfig', value: { name: 'nowhere' } },
    httpFilters: [...filters, quietRouter()],
  });
  const listener = create(ListenerSchema, {
    name,
    statPrefix,
    address: { address: { case: 'socketAddress', value: addressFor(name) } },
    bindToPort: false,
    filterChains: [
      {
        filters: [
          {
            name: 'envoy.filters.network.http_connection_manager',
            configType: { case: 'typedConfig', value: packAny(HttpConnectionManagerSchema, manager) },
          },
        ],
      },
    ],
  });
  return resourceOf(typeUrls.listener, name, ListenerSchema, listener);
}

/** Envoy has each address once, also of those that it does not bind. */
function addressFor(name: string) {
  const digest = createHash('sha256').update(name).digest();
  const [second, third, fourth] = digest;
  return {
    address: `127.${second}.${third}.${fourth}`,
    portSpecifier: { case: 'portValue' as const, value: Math.max(2, digest.readUInt16BE(3)) },
  };
}
