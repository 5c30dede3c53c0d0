import fc from 'fast-check';
import { referenceGrant } from '../../../support/objects.ts';
import { maybe, names, namespaces } from './parts/names.ts';
import { shares } from './shares.ts';

export const objects = shares({
  anywhere: {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        from: fc.tuple(fc.constantFrom('Gateway', 'HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute'), namespaces),
        to: fc.tuple(fc.constantFrom('Secret', 'Service', 'ConfigMap'), maybe(names)),
      })
      .map(({ name, namespace: where, from, to }) => referenceGrant(name, { from, to } as never, { namespace: where })),
    weight: 2,
  },
  models: {
    arbitrary: fc
      .record({ name: names, namespace: namespaces })
      .map(({ name, namespace: where }) =>
        referenceGrant(name, { from: ['HTTPRoute', 'default'], to: ['AIService'] } as never, { namespace: where }),
      ),
    weight: 1,
  },
  sets: {
    arbitrary: fc
      .record({
        name: names,
        namespace: namespaces,
        from: fc.tuple(fc.constantFrom('Gateway', 'ListenerSet'), namespaces),
      })
      .map(({ name, namespace: where, from }) =>
        referenceGrant(name, { from, to: ['Secret'] } as never, { namespace: where }),
      ),
    weight: 1,
  },
  fleets: {
    arbitrary: namespaces.map((where) =>
      referenceGrant('all', { from: ['HTTPRoute', 'other'], to: ['Service'] } as never, { namespace: where }),
    ),
    weight: 1,
  },
});
