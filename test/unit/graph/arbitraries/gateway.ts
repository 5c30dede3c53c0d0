import fc from 'fast-check';
import { dataPlaneRef, gateway, listener } from '../../../support/objects.ts';
import { allowedListeners, gatewayTls, listeners, sharedListeners, streamListeners } from './parts/listeners.ts';
import { generation, identity, maybe, names, namespaces } from './parts/names.ts';
import { auth } from './parts/references.ts';
import { shares } from './shares.ts';

export const objects = shares({
  anywhere: {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        generation,
        listeners,
        tls: maybe(gatewayTls),
        infrastructure: maybe(names.map((parameters) => ({ parametersRef: dataPlaneRef(parameters) }))),
      })
      .map(({ name, listeners: specs, ...meta }) => gateway(name, specs, meta as never)),
    weight: 3,
  },
  streams: {
    arbitrary: fc
      .record({
        generation,
        listeners: streamListeners,
        hostname: fc.constantFrom('a.example.com', 'x.a.example.com'),
        mode: fc.constantFrom('Terminate', 'Passthrough'),
        tls: maybe(gatewayTls),
      })
      .map(({ listeners: specs, hostname, mode, ...meta }) => {
        const moved = specs.map((spec) => (spec.name === 'exact' ? { ...spec, hostname } : spec));
        const given = moved.map((spec) => (spec.name === 'wide' ? { ...spec, tls: { ...spec.tls, mode } } : spec));
        return gateway('edge', given as never, meta as never);
      }),
    weight: 3,
  },
  experimental: {
    arbitrary: fc
      .record({ generation, wide: maybe(auth), any: maybe(auth) })
      .map(({ generation: number, wide, any }) => {
        const filters = (filter: object | undefined) => filter && { filters: { requests: [filter] } };
        const specs = [
          { name: 'wide', hostname: '*.example.com', ...filters(wide) },
          { name: 'any', ...filters(any) },
        ];
        return gateway('edge', specs as never, { generation: number });
      }),
    weight: 3,
  },
  models: { arbitrary: generation.map((number) => gateway('edge', [listener()], { generation: number })), weight: 1 },
  sets: {
    arbitrary: fc
      .record({ generation, listeners: sharedListeners, allowedListeners, tls: maybe(gatewayTls) })
      .map(({ listeners: specs, ...meta }) => gateway('edge', specs as never, meta as never)),
    weight: 3,
  },
  fleets: {
    arbitrary: fc
      .record({
        ...identity,
        listeners: sharedListeners,
        allowedListeners,
        tls: maybe(gatewayTls),
        infrastructure: maybe(fc.constant({ parametersRef: dataPlaneRef('pool') })),
      })
      .map(({ name, listeners: specs, ...meta }) => gateway(name, specs as never, meta as never)),
    weight: 6,
  },
});
