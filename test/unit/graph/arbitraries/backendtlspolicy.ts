import fc from 'fast-check';
import { backendTlsPolicy } from '../../../support/objects.ts';
import { created, generation, hostnames, identity, maybe, names } from './parts/names.ts';
import { authorityRef } from './parts/references.ts';
import { shares } from './shares.ts';

export const objects = shares({
  anywhere: {
    arbitrary: fc
      .record({
        ...identity,
        targetRefs: fc.array(
          fc.record({
            group: fc.constant(''),
            kind: fc.constantFrom('Service', 'Service', 'Service', 'Secret'),
            name: names,
            sectionName: maybe(fc.constantFrom('p80', 'p81', 'none')),
          }),
          { minLength: 1, maxLength: 2 },
        ),
        validation: fc.oneof(
          fc.record({ hostname: hostnames, caCertificateRefs: fc.array(authorityRef, { minLength: 1, maxLength: 2 }) }),
          fc.constant({ hostname: 'x.test', wellKnownCACertificates: 'System' }),
        ),
      })
      .map(({ name, targetRefs, validation, ...meta }) =>
        backendTlsPolicy(name, { targetRefs, validation } as never, meta),
      ),
    weight: 3,
  },
  streams: {
    arbitrary: fc
      .record({ name: names, generation, created, service: names, section: maybe(fc.constant('p80')) })
      .map(({ name, service: target, section, ...meta }) => {
        const targetRefs = [{ group: '', kind: 'Service', name: target, sectionName: section }];
        const validation = { hostname: 'x.test', wellKnownCACertificates: 'System' };
        return backendTlsPolicy(name, { targetRefs, validation } as never, meta);
      }),
    weight: 2,
  },
  fleets: {
    arbitrary: fc.record({ name: names, created }).map(({ name, ...meta }) =>
      backendTlsPolicy(
        name,
        {
          targetRefs: [{ group: '', kind: 'Service', name }],
          validation: { hostname: 'x.test', wellKnownCACertificates: 'System' },
        } as never,
        meta,
      ),
    ),
    weight: 1,
  },
});
