import fc from 'fast-check';
import { xObject } from '../../../support/objects.ts';
import { identity, maybe } from './parts/names.ts';
import { backendTarget, stickiness } from './parts/references.ts';
import { shares } from './shares.ts';

export const objects = shares({
  experimental: {
    arbitrary: fc
      .record({
        ...identity,
        target: backendTarget,
        percent: fc.constantFrom(10, 20),
        sticky: maybe(stickiness),
      })
      .map(({ name, target, percent, sticky, ...meta }) => {
        const spec = {
          targetRefs: [target],
          retryConstraint: { budget: { percent } },
          ...(sticky && { sessionPersistence: sticky }),
        };
        return xObject('XBackendTrafficPolicy', name, spec, meta);
      }),
    weight: 3,
  },
});
