import fc from 'fast-check';
import type { Holder } from './certificates.ts';
import { type TokenName, tokens } from './credentials.ts';
import type { Ask, RouteKind } from './world.ts';

const tokenNames = Object.keys(tokens) as TokenName[];
/** A request with anything. */
const ask: fc.Arbitrary<Ask> = fc.record(
  {
    method: fc.constantFrom('GET', 'GET', 'POST', 'DELETE', 'OPTIONS'),
    path: fc.constantFrom(
      ...['/', '/one', '/one/x', '/two', '/two/y', '//one', '/x/../one', '/one/../two', '/oneself', '/ONE', '/one/./x'],
      ...['/three/..//one', '/one%2fx', '/%2e%2e/one', '/two?path=/one'],
    ),
    spelling: fc.constantFrom('exact', 'exact', 'capitals', 'port'),
    forwardedFor: fc.constantFrom(
      '10.1.0.9',
      '10.9.9.9',
      '192.0.2.7',
      '192.0.2.8',
      '2001:db8::1',
      '10.1.0.9, 198.51.100.1',
      '198.51.100.1, 10.1.0.9',
    ),
    certificate: fc.constantFrom<Holder>(
      ...(['alice', 'capitals', 'wildcard', 'machine', 'bob', 'stranger', 'ended', 'none'] as const),
    ),
    key: fc.record({
      in: fc.constantFrom('x-key', 'x-key', 'x-other-key', 'query', 'cookie'),
      value: fc.constantFrom('key-1', 'key-2', 'key-3', 'key-4', 'key-5', 'wrong'),
    }),
    user: fc.constantFrom(
      { name: 'ann', password: 'secret' },
      { name: 'bob', password: 'other' },
      { name: 'ann', password: 'wrong' },
    ),
    token: fc.record({
      in: fc.constantFrom('authorization', 'authorization', 'x-token', 'cookie', 'query'),
      name: fc.constantFrom<TokenName>(...tokenNames, 'operator', 'operator', 'operator'),
    }),
    origin: fc.constantFrom(
      'http://friend.test',
      'http://a.corp.test',
      'http://corp.test',
      'http://evil.test',
      'http://h0.test',
    ),
    referer: fc.constantFrom('http://friend.test/x', 'http://evil.test/friend.test'),
    consent: fc.constantFrom('yes', 'yes', 'no'),
    team: fc.constantFrom('a', 'c'),
  },
  { requiredKeys: ['method', 'path', 'spelling'] },
) as fc.Arbitrary<Ask>;

/** A request with all that can be shown, most of it good: few of the others get past several demands. */
const goodAsk: fc.Arbitrary<Ask> = fc.record({
  method: fc.constantFrom('GET', 'GET', 'POST'),
  path: fc.constantFrom('/', '/one', '/one/x', '/two', '//two/y'),
  spelling: fc.constantFrom('exact', 'capitals', 'port'),
  forwardedFor: fc.constantFrom('10.1.0.9', '192.0.2.7', '198.51.100.1, 10.1.0.9'),
  certificate: fc.constantFrom<Holder>('alice', 'alice', 'machine', 'bob'),
  key: fc.record({
    in: fc.constantFrom('x-key', 'x-key', 'x-other-key', 'query', 'cookie'),
    value: fc.constantFrom('key-1', 'key-2', 'key-3'),
  }),
  user: fc.constant({ name: 'ann', password: 'secret' }),
  token: fc.record({
    in: fc.constantFrom('authorization', 'x-token', 'cookie', 'query'),
    name: fc.constantFrom<TokenName>('operator', 'operator', 'machine'),
  }),
  origin: fc.constantFrom('http://friend.test', 'http://a.corp.test'),
  consent: fc.constant('yes'),
  team: fc.constant('a'),
}) as fc.Arbitrary<Ask>;

/** A request that may become a call: see askTo. */
interface Drawn {
  readonly ask: Ask;
  readonly isUsual: boolean;
}

export const anyAsk: fc.Arbitrary<Drawn> = fc.record({
  ask: fc.oneof(ask, goodAsk),
  isUsual: fc.oneof({ arbitrary: fc.constant(true), weight: 5 }, { arbitrary: fc.constant(false), weight: 1 }),
});

/** To GRPCRoutes most requests are calls, and to HTTPRoutes a few. */
export const askTo = (kind: RouteKind, { ask: drawn, isUsual }: Drawn): Ask =>
  (kind === 'GRPCRoute') === isUsual ? { ...drawn, method: 'POST', isCall: true } : drawn;
