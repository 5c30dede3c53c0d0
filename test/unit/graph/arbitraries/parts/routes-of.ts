import fc from 'fast-check';
import type { grpcRoute, httpRoute } from '../../../../support/objects.ts';
import type { AnyObject } from '../../../../support/world.ts';
import { hostnames, identity } from './names.ts';
import { parentRefs } from './references.ts';

export const routesOf = (
  make: typeof httpRoute | typeof grpcRoute,
  theirRules: fc.Arbitrary<object>,
  maxHosts: number,
): fc.Arbitrary<AnyObject> =>
  fc
    .record({ ...identity, parentRefs, rules: theirRules, hostnames: fc.array(hostnames, { maxLength: maxHosts }) })
    .map(({ name, namespace: where, generation: number, created: at, ...spec }) =>
      make(name, spec as never, { namespace: where, generation: number, created: at }),
    );
