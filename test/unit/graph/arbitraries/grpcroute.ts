import fc from 'fast-check';
import { grpcRoute } from '../../../support/objects.ts';
import { maybe } from './parts/names.ts';
import { backendRefs } from './parts/references.ts';
import { routesOf } from './parts/routes-of.ts';
import { shares } from './shares.ts';

const grpcRules = fc.array(
  fc.record({
    matches: fc.array(
      fc.record({
        method: maybe(
          fc.record({
            type: fc.constantFrom('Exact', 'RegularExpression'),
            service: maybe(fc.constantFrom('a.B', 'c')),
            method: maybe(fc.constantFrom('Get', '[Get')),
          }),
        ),
      }),
      { maxLength: 2 },
    ),
    backendRefs,
  }),
  { maxLength: 2 },
);

export const objects = shares({
  anywhere: {
    arbitrary: routesOf(grpcRoute, grpcRules, 2),
    weight: 3,
  },
});
