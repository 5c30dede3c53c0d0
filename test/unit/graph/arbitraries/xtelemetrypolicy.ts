import fc from 'fast-check';
import { xObject } from '../../../support/objects.ts';
import { identity, maybe, names } from './parts/names.ts';
import { shares } from './shares.ts';

export const objects = shares({
  experimental: {
    arbitrary: fc
      .record({
        ...identity,
        target: names,
        receiver: names,
        kind: fc.constantFrom('Service', 'XBackend'),
        namespace: maybe(fc.constantFrom('default', 'other')),
        numerator: fc.constantFrom(0, 10),
      })
      .map(({ name, target, receiver, kind, namespace, numerator, ...meta }) => {
        const backendRef =
          kind === 'Service'
            ? { name: receiver, port: 80, ...(namespace !== undefined && { namespace }) }
            : { group: 'gateway.networking.x-k8s.io', kind, name: receiver };
        return xObject(
          'XTelemetryPolicy',
          name,
          {
            targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: target }],
            tracing: { mode: 'Enabled', provider: { backendRef }, samplingRate: { numerator } },
          },
          meta,
        );
      }),
    weight: 3,
  },
});
