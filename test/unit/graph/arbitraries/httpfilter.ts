import fc from 'fast-check';
import { ownObject } from '../../../support/objects.ts';
import { generation, names } from './parts/names.ts';
import { shares } from './shares.ts';

const header = fc.constantFrom(
  { name: 'x-a', value: '1' },
  { name: 'X-B', value: '%REQ(x-a)%' },
  { name: 'x-c', value: '%X%' },
);

const spec = fc.oneof(
  fc.record({
    regexRewrite: fc.constantFrom({ pattern: '^/a', substitution: '/b' }, { pattern: '(', substitution: '' }),
  }),
  fc.constantFrom(
    { cookieMatch: { name: 'a', value: '1' } },
    { cookieMatch: { name: 'a', type: 'RegularExpression', value: '(' } },
  ),
  fc.record({
    credentialInjection: fc.record({
      secretRef: fc.record({ name: names, key: fc.constantFrom('credential', 'tls.key') }),
    }),
  }),
  fc.constant({ regexRedirect: { pattern: '^/a', substitution: '/b', statusCode: 301 } }),
  fc.constantFrom(
    { hostRewrite: { fromHeader: 'x-host', forwardedHost: true } },
    { hostRewrite: { fromPathRegex: { pattern: '/([a-z]+)', substitution: '\\1.test' } } },
  ),
  fc.record({
    directResponse: fc.oneof(
      fc.constantFrom({}, { status: 404, body: 'none' }),
      names.map((name) => ({ configMapRef: { name, key: 'ca.crt' } })),
    ),
  }),
  fc.constantFrom('x-[ab]', 'x-.*').map((pattern) => ({ headers: { request: { removeMatching: [{ pattern }] } } })),
  fc.record({ headers: fc.record({ request: fc.record({ set: fc.array(header, { minLength: 1, maxLength: 2 }) }) }) }),
);

/** Named by the same names as all else. */
export const objects = shares({
  anywhere: {
    arbitrary: fc
      .record({ name: names, generation, spec })
      .map(({ name, spec: said, ...meta }) => ownObject('HTTPFilter', name, said, meta)),
    weight: 3,
  },
});
