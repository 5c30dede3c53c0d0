import fc from 'fast-check';
import { testCertificates } from '../../../../support/certificates.ts';

// Few names, so that objects meet: every reference has a good chance to resolve, break and resolve again.
export const names = fc.constantFrom('a', 'b', 'c');

export const namespaces = fc.constantFrom('default', 'other');

export const hostnames = fc.constantFrom(
  'a.example.com',
  'b.example.com',
  '*.example.com',
  '*.a.example.com',
  'x.a.example.com',
  '*.com',
  'solo.org',
);

export const created = fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z');

export const generation = fc.integer({ min: 1, max: 1_000_000 });

/** What every object has of its own. */
export const identity = { name: names, namespace: namespaces, generation, created };

export const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });

export const [good, foreign] = testCertificates;

/** Where an object is, and nothing more of it. */
export const place = fc.record({ name: names, namespace: namespaces });

export const goodPair = { 'tls.crt': good.certificate, 'tls.key': good.key };
