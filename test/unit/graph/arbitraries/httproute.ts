import fc from 'fast-check';
import { httpRoute } from '../../../support/objects.ts';
import { created, generation, hostnames, identity, maybe, names, namespaces } from './parts/names.ts';
import { anyBackendRef, auth, backendRefs, filters, serviceRef } from './parts/references.ts';
import { routesOf } from './parts/routes-of.ts';
import { shares } from './shares.ts';

const paths = fc.record({
  type: fc.constantFrom('PathPrefix', 'Exact', 'RegularExpression'),
  value: fc.constantFrom('/', '/a', '/a/b', '/(unclosed', '/.*'),
});

const rules = fc.array(
  fc.record({
    matches: fc.array(fc.record({ path: maybe(paths), method: maybe(fc.constantFrom('GET', 'POST')) }), {
      maxLength: 2,
    }),
    filters: fc.array(filters, { maxLength: 1 }),
    backendRefs,
    retry: maybe(fc.constantFrom({ codes: [500], attempts: 2 }, { attempts: 0 }, { backoff: '100ms' })),
    timeouts: maybe(fc.constant({ request: '2s', backendRequest: '1s' })),
  }),
  { minLength: 1, maxLength: 2 },
);

export const objects = shares({
  anywhere: {
    arbitrary: routesOf(httpRoute, rules, 3),
    weight: 8,
  },
  streams: {
    arbitrary: fc.record({ name: names, generation, created, backend: names }).map(({ name, backend, ...meta }) => {
      const rules = [{ backendRefs: [{ name: backend, port: 80 }] }];
      return httpRoute(name, { parentRefs: [{ name: 'edge' }], rules } as never, meta);
    }),
    weight: 2,
  },
  experimental: {
    arbitrary: fc
      .record({
        name: names,
        generation,
        created,
        refs: fc.array(anyBackendRef, { minLength: 1, maxLength: 2 }),
        asks: fc.array(auth, { maxLength: 1 }),
        host: hostnames,
      })
      .map(({ name, refs, asks, host, ...meta }) => {
        const rules = [{ backendRefs: refs, filters: asks }];
        return httpRoute(name, { parentRefs: [{ name: 'edge' }], rules, hostnames: [host] } as never, meta);
      }),
    weight: 6,
  },
  models: {
    arbitrary: fc
      .record({
        name: names,
        generation,
        created,
        refs: fc.array(serviceRef, { minLength: 1, maxLength: 2 }),
        others: fc.array(fc.constant({ name: 'a', port: 80 }), { maxLength: 1 }),
        host: hostnames,
      })
      .map(({ name, refs, others, host, ...meta }) => {
        const rules = [{ backendRefs: refs }, { backendRefs: [...others, ...refs] }];
        return httpRoute(name, { parentRefs: [{ name: 'edge' }], rules, hostnames: [host] } as never, meta);
      }),
    weight: 5,
  },
  sets: {
    arbitrary: fc
      .record({
        ...identity,
        hosts: fc.array(hostnames, { maxLength: 2 }),
        parents: fc.array(
          fc.record({
            kind: fc.constantFrom('Gateway', 'ListenerSet', 'ListenerSet'),
            set: names,
            namespace: namespaces,
            sectionName: maybe(fc.constantFrom('one', 'two')),
          }),
          { minLength: 1, maxLength: 2 },
        ),
      })
      .map(({ name, parents, hosts, ...meta }) => {
        const refs = parents.map(({ kind, set, namespace: where, ...rest }) =>
          kind === 'Gateway'
            ? { ...rest, name: 'edge', namespace: 'default' }
            : { ...rest, kind, name: set, namespace: where },
        );
        const rules = [{ backendRefs: [{ name: 'a', namespace: 'default', port: 80 }] }];
        return httpRoute(name, { parentRefs: refs, hostnames: hosts, rules } as never, meta);
      }),
    weight: 8,
  },
  fleets: {
    arbitrary: fc
      .record({
        ...identity,
        hosts: fc.array(hostnames, { maxLength: 2 }),
        backend: names,
        parents: fc.array(
          fc.record({ name: names, namespace: namespaces, sectionName: maybe(fc.constantFrom('one', 'two')) }),
          { minLength: 1, maxLength: 2 },
        ),
      })
      .map(({ name, parents, hosts, backend, ...meta }) => {
        const rules = [{ backendRefs: [{ name: backend, namespace: 'default', port: 80 }] }];
        return httpRoute(name, { parentRefs: parents, hostnames: hosts, rules } as never, meta);
      }),
    weight: 8,
  },
});
