import fc from 'fast-check';
import { service } from '../../../support/objects.ts';
import { maybe, names, namespaces } from './parts/names.ts';
import { shares } from './shares.ts';

/** Beside a TCP port of the same number. */
const udpPort = { port: 80, name: 'p80', protocol: 'UDP' } as const;

export const objects = shares({
  anywhere: {
    arbitrary: fc
      .record({ name: names, namespace: namespaces, ports: fc.subarray([80, 81, udpPort]) })
      .map(({ name, namespace: where, ports }) => service(name, ports as number[], { namespace: where })),
    weight: 3,
  },
  streams: {
    arbitrary: fc
      .record({ name: names, ports: fc.subarray([80, udpPort]) })
      .map(({ name, ports }) => service(name, ports as number[])),
    weight: 2,
  },
  experimental: {
    arbitrary: fc
      .record({ name: names, clusterIP: maybe(fc.constantFrom('10.96.0.7', 'None')) })
      .map(({ name, clusterIP }) => {
        const { spec, ...rest } = service(name, [80]);
        return { ...rest, spec: { ...spec, ...(clusterIP !== undefined && { clusterIP }) } };
      }),
    weight: 2,
  },
  models: { arbitrary: names.map((name) => service(name, [80])), weight: 1 },
  sets: {
    arbitrary: fc
      .record({ name: names, number: fc.constantFrom(80, 81) })
      .map(({ name, number }) => service(name, [{ port: number }] as never)),
    weight: 2,
  },
  fleets: { arbitrary: names.map((name) => service(name, [80])), weight: 2 },
});
