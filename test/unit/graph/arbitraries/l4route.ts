import fc from 'fast-check';
import { l4Route } from '../../../support/objects.ts';
import type { AnyObject } from '../../../support/world.ts';
import { created, generation, hostnames, identity, maybe, names, place } from './parts/names.ts';
import { backendRefs, parentRefs } from './parts/references.ts';
import { shares } from './shares.ts';

const streamKinds = fc.constantFrom('TLSRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute');

/** Only those of TLS have hosts. */
const l4RouteOf = (kind: string, name: string, hosts: readonly string[], spec: object, meta: object): AnyObject =>
  l4Route(kind as 'TLSRoute', name, (kind === 'TLSRoute' ? { ...spec, hostnames: hosts } : spec) as never, meta);

export const objects = shares({
  anywhere: {
    arbitrary: fc
      .record({
        kind: streamKinds,
        ...identity,
        parentRefs,
        backendRefs,
        hostnames: fc.array(hostnames, { minLength: 1, maxLength: 3 }),
      })
      .map(({ kind, name, parentRefs: parents, backendRefs: refs, hostnames: hosts, ...meta }) => {
        return l4RouteOf(kind, name, hosts, { parentRefs: parents, rules: [{ backendRefs: refs }] }, meta);
      }),
    weight: 6,
  },
  streams: {
    arbitrary: fc
      .record({
        kind: streamKinds,
        name: names,
        generation,
        created,
        backend: names,
        section: maybe(fc.constantFrom('any', 'wide')),
        hosts: fc.array(hostnames, { minLength: 1, maxLength: 2 }),
      })
      .map(({ kind, name, backend, section, hosts, ...meta }) => {
        const spec = {
          parentRefs: [{ name: 'edge', ...(section && { sectionName: section }) }],
          rules: [{ backendRefs: [{ name: backend, port: 80 }] }],
        };
        return l4RouteOf(kind, name, hosts, spec, meta);
      }),
    weight: 8,
  },
  fleets: {
    arbitrary: fc
      .record({
        kind: fc.constantFrom('TCPRoute', 'TLSRoute'),
        name: names,
        generation,
        created,
        backend: names,
        parent: place,
      })
      .map(({ kind, name, backend, parent, ...meta }) => {
        const spec = { parentRefs: [parent], rules: [{ backendRefs: [{ name: backend, port: 80 }] }] };
        return l4Route(kind as 'TCPRoute', name, spec as never, meta) as AnyObject;
      }),
    weight: 2,
  },
});
