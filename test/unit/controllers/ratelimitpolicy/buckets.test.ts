import test from 'ava';
import { jsonCrdDir, ownCrdDir } from '../../../../scripts/paths.mjs';
import { bucketsOf as bucketsIn, type Policy } from '../../../../src/controllers/ratelimitpolicy/bucket.ts';
import { Store } from '../../../../src/graph/engine/index.ts';
import { pathText } from '../../../../src/sources/index.ts';
import { ownObject } from '../../../support/objects.ts';
import { validatorOf } from '../../../support/validator.ts';

const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'shop' }];
const policy = (bucket: object, more: object = {}) =>
  ownObject('RateLimitPolicy', 'p', {
    targetRefs,
    buckets: [{ name: 'b', limits: [{ requests: 1, per: '1s' }], ...bucket }],
    ...more,
  });
const store = new Store();
const bucketsOf = (of: Policy) => bucketsIn(of, { store });
const limit = (per: string) => ({ limits: [{ requests: 1, per }] });

const concurrent = (more: object = {}) => ({ limits: undefined, concurrent: 5, ...more });

/** What the controller itself says, of objects of an older definition too. */
const bad: readonly (readonly [what: string, bucket: object, more: object, message: RegExp])[] = [
  ['a window of no duration', limit('soon'), {}, /"soon" is not a duration/],
  ['a window of nothing', limit('0s'), {}, /0s is not from 100ms to 720h/],
  ['a window that is too short', limit('99ms'), {}, /99ms is not from/],
  ['a window that is too long', limit('721h'), {}, /721h is not from/],
  ['a long window before access policies', limit('61s'), { phase: 'BeforeAuth' }, /61s is longer than 60s/],
  [
    'an identity before access policies',
    { key: [{ type: 'Identity' }] },
    { phase: 'BeforeAuth' },
    /not known yet who a client is/,
  ],
  ['a network with host bits', { match: { clientCIDRs: { include: ['10.0.0.1/8'] } } }, {}, /host bits set/],
  ['no network', { match: { clientCIDRs: { exclude: ['all'] } } }, {}, /"all" is not a network/],
  ['a header of the proxy', { key: [{ type: 'Header', name: 'x-gw-limit-route' }] }, {}, /one of the proxy's own/],
  ['the header Host', { match: { headers: [{ name: 'HOST', value: 'a' }] } }, {}, /use a key of type Host/],
  ['headers of shared limits', { headers: 'RateLimit' }, {}, /headers RateLimit is for counting: Shared/],
  [
    'a cost beyond the burst',
    { cost: { request: { number: 2 } } },
    {},
    /cost\.request\.number 2 is more than the 1 that it holds/,
  ],
  [
    'a default cost beyond the burst',
    { cost: { request: { fromHeader: { name: 'x-cost', default: 2 } } } },
    {},
    /cost\.request\.fromHeader\.default 2 is more than the 1/,
  ],
  [
    'a cost by a header of the proxy',
    { cost: { request: { fromHeader: { name: 'x-gw-limit' } } } },
    {},
    /one of the proxy's own/,
  ],
  [
    'a cost by an odd header',
    { cost: { request: { fromHeader: { name: "x'y" } } } },
    {},
    /other characters than letters/,
  ],
  [
    'a cost of responses that proxies cannot take',
    { cost: { response: { fromHeader: { name: 'a' } } } },
    {},
    /cost\.response is for counting: Shared/,
  ],
  [
    'a cost of nothing at all',
    { cost: { request: { number: 0 } } },
    { counting: 'Shared' },
    /it would never be empty: add cost\.response/,
  ],
  ['no limits', { limits: undefined }, {}, /it has no limits: add some/],
  ['concurrent and limits', { concurrent: 1 }, {}, /it has concurrent and limits/],
  ['concurrent requests of all proxies', concurrent(), { counting: 'Shared' }, /concurrent is for counting: Proxy/],
  ['concurrent requests of a path', concurrent({ match: { path: { value: '/a' } } }), {}, /concurrent has no match/],
  ['concurrent requests with a cost', concurrent({ cost: { request: { number: 2 } } }), {}, /concurrent has no cost/],
  ['concurrent requests that are shown', concurrent({ headers: 'XRateLimit' }), {}, /concurrent has no headers/],
  [
    'concurrent requests by a cookie',
    concurrent({ key: [{ type: 'Cookie', name: 'a' }] }),
    {},
    /concurrent cannot have a key of type Cookie/,
  ],
  ['a descriptor of no service', { descriptor: [{ key: 'a', value: 'b' }] }, {}, /are for counting: Service/],
  [
    'a name of a key for no service',
    { key: [{ type: 'Path', entry: 'p' }] },
    { counting: 'Shared' },
    /are for counting: Service/,
  ],
  ['limits beside those of a service', {}, { counting: 'Service' }, /the service knows the limits: remove limits/],
  [
    'fewer entries than comparisons',
    { limits: undefined, match: { methods: ['GET'], clientCIDRs: { include: ['10.0.0.0/8'] } } },
    { counting: 'Service' },
    /its match compares 2 of: .*Each needs an entry of descriptor, which has 1: add 1/,
  ],
  ['a path that no proxy takes', { match: { path: { value: '/a'.repeat(512) } } }, {}, /too long to compare/],
];
for (const [what, bucket, more, message] of bad) {
  test(`a bucket is left out and says why: ${what}`, (t) => {
    const [resolved] = bucketsOf(policy(bucket, more));
    t.is(resolved?.value, undefined);
    t.regex(resolved?.faults.map((fault) => fault.message).join() ?? '', message);
  });
}

test('a bucket has what its policy says, and defaults for the rest', (t) => {
  t.deepEqual(bucketsOf(policy({}))[0]?.value, {
    id: 'default/p/b',
    phase: 'afterAuth',
    key: [],
    limits: [{ requests: 1, perMs: 1000, burst: 1 }],
    status: 429,
  });
  const full = policy(
    {
      match: { path: { value: '/' }, headers: [{ name: 'X-A', type: 'Present' }] },
      key: [
        { type: 'ClientIP', v6Prefix: 48 },
        { type: 'Header', name: 'X-User' },
      ],
      absent: 'Exempt',
      limits: [{ requests: 5, per: '1m30s', burst: 9 }],
      headers: 'XRateLimit',
    },
    { phase: 'AfterAuth', onLimit: 'Shadow', response: { status: 503 } },
  );
  t.deepEqual(bucketsOf(full)[0]?.value, {
    id: 'default/p/b',
    phase: 'afterAuth',
    match: { headers: [{ name: 'x-a' }] },
    key: [
      { kind: 'clientIP', v4Prefix: 32, v6Prefix: 48 },
      { kind: 'header', name: 'x-user' },
    ],
    exempt: true,
    limits: [{ requests: 5, perMs: 90_000, burst: 9 }],
    shadow: true,
    status: 503,
    headers: 'xRateLimit',
  });
});

test('a shared bucket may have long windows before access policies, and says what happens to requests without a count', (t) => {
  const early = policy(limit('24h'), { counting: 'Shared', phase: 'BeforeAuth' });
  t.is(bucketsOf(early)[0]?.value?.shared, 'ownPart');
  const closed = policy({}, { counting: 'Shared', onFailure: 'Reject' });
  t.is(bucketsOf(closed)[0]?.value?.shared, 'reject');
});

test('a cost is what the policy says, and no more than the bucket holds at once', (t) => {
  const limits = [
    { requests: 5, per: '1s' },
    { requests: 9, per: '1m', burst: 4 },
  ];
  const madeOf = (cost: object) => bucketsOf(policy({ limits, cost }, { counting: 'Shared' }))[0]?.value;
  t.is(madeOf({ request: { number: 1 } })?.cost, undefined);
  t.deepEqual(madeOf({ request: { number: 4 } })?.cost, { kind: 'fixed', requests: 4 });
  const header = (otherwise: number, most: number) => ({ kind: 'header', name: 'x-cost', otherwise, most });
  t.deepEqual(madeOf({ request: { fromHeader: { name: 'X-Cost' } } })?.cost, header(1, 4));
  t.deepEqual(madeOf({ request: { fromHeader: { name: 'x-cost', default: 2, max: 3 } } })?.cost, header(2, 3));
  const both = madeOf({ request: { number: 0 }, response: { fromHeader: { name: 'X-Cost' } } });
  t.deepEqual(
    [both?.cost, both?.responseCost],
    [
      { kind: 'fixed', requests: 0 },
      { name: 'x-cost', most: 4 },
    ],
  );
});

test('a path that every request has is no match', (t) => {
  t.is(bucketsOf(policy({ match: { path: { value: '/' } } }))[0]?.value?.match, undefined);
});

const asked = { backendRef: { name: 'ratelimit', port: 8081 }, domain: 'shop' };

/** What the definition says, before anything is stored. */
const rejected: readonly (readonly [what: string, bucket: object, more: object, message: RegExp])[] = [
  ['no requests', { limits: [{ requests: 0, per: '1s' }] }, {}, /limits\[0\]\.requests/],
  ['more than Envoy counts', { limits: [{ requests: 4_294_967_296, per: '1s' }] }, {}, /limits\[0\]\.requests/],
  ['a burst of nothing', { limits: [{ requests: 1, per: '1s', burst: -1 }] }, {}, /limits\[0\]\.burst/],
  ['a window of nothing', limit('0s'), {}, /is from 100ms to 720h/],
  ['a window of no duration', limit('soon'), {}, /limits\[0\]\.per/],
  ['a window that is too long', limit('721h'), {}, /is from 100ms to 720h/],
  ['a long window before access policies', limit('61s'), { phase: 'BeforeAuth' }, /a window is at most 60s long/],
  ['five windows', { limits: Array.from({ length: 5 }, () => ({ requests: 1, per: '1s' })) }, {}, /limits/],
  ['a header without a name', { key: [{ type: 'Header' }] }, {}, /Header, Cookie and QueryParam want a name/],
  ['a path with a name', { key: [{ type: 'Path', name: 'a' }] }, {}, /others have none/],
  ['a prefix of no address', { key: [{ type: 'Host', v4Prefix: 8 }] }, {}, /are for ClientIP/],
  ['a pseudo-header', { key: [{ type: 'Header', name: ':path' }] }, {}, /key\[0\]\.name/],
  ['a match of nothing', { match: {} }, {}, /match/],
  ['an expression as path', { match: { path: { type: 'RegularExpression', value: '/.*' } } }, {}, /path\.type/],
  ['a path with a query', { match: { path: { value: '/a?b' } } }, {}, /path\.value/],
  [
    'a value that is not compared',
    { match: { headers: [{ name: 'a', type: 'Present', value: 'b' }] } },
    {},
    /Present has none/,
  ],
  ['a line break in a name', { name: 'a\nb' }, {}, /name/],
  ['a name of 64 characters', { name: 'a'.repeat(64) }, {}, /name/],
  ['a field that is not known', { price: 1 }, {}, /price/],
  ['a cost below nothing', { cost: { request: { number: -1 } } }, {}, /cost\.request\.number/],
  [
    'a default of nothing',
    { cost: { request: { fromHeader: { name: 'a', default: 0 } } } },
    {},
    /cost\.request\.fromHeader\.default/,
  ],
  [
    'a cost of responses that proxies count',
    { cost: { response: { fromHeader: { name: 'a' } } } },
    {},
    /cost\.response is for counting: Shared/,
  ],
  ['a cost that says nothing', { cost: {} }, {}, /cost/],
  ['two costs', { cost: { request: { number: 1, fromHeader: { name: 'a' } } } }, {}, /cost/],
  [
    'a default beyond the most',
    { cost: { request: { fromHeader: { name: 'a', default: 3, max: 2 } } } },
    {},
    /default is no more than max/,
  ],
  [
    'a header that is an expression',
    { cost: { request: { fromHeader: { name: "a'b" } } } },
    {},
    /cost\.request\.fromHeader\.name/,
  ],
  ['counting that is not known', {}, { counting: 'Both' }, /counting/],
  [
    'headers that proxies alone do not write',
    { headers: 'RateLimit' },
    {},
    /headers: RateLimit is for counting: Shared/,
  ],
  [
    'a failure of what counts alone',
    {},
    { onFailure: 'Reject' },
    /onFailure is for counting: Shared and counting: Service/,
  ],
  [
    'an identity before access policies',
    { key: [{ type: 'Identity' }] },
    { phase: 'BeforeAuth' },
    /it is not known yet who a client is/,
  ],
  ['a service that is not asked', {}, { service: asked }, /counting: Service wants service, and others have none/],
  ['no service', { limits: undefined }, { counting: 'Service' }, /counting: Service wants service/],
  ['limits beside those of a service', {}, { counting: 'Service', service: asked }, /so buckets have none/],
  ['no limits', { limits: undefined }, {}, /others want limits/],
  ['none under way', concurrent({ concurrent: 0 }), {}, /concurrent/],
  ['concurrent requests of all proxies', concurrent(), { counting: 'Shared' }, /concurrent is for counting: Proxy/],
  ['a descriptor of no service', { descriptor: [{ key: 'a', value: 'b' }] }, {}, /are for counting: Service/],
  ['a name of a key for no service', { key: [{ type: 'Path', entry: 'p' }] }, {}, /are for counting: Service/],
  [
    'a name of what Envoy names',
    { limits: undefined, key: [{ type: 'ClientIP', entry: 'p' }] },
    { counting: 'Service', service: asked },
    /masked_remote_address or remote_address/,
  ],
  [
    'a line break in an entry',
    { limits: undefined, descriptor: [{ key: 'a', value: 'b\nc' }] },
    { counting: 'Service', service: asked },
    /descriptor\[0\]\.value/,
  ],
  [
    'a service without a domain',
    { limits: undefined },
    { counting: 'Service', service: { ...asked, domain: '' } },
    /service\.domain/,
  ],
  [
    'a service that may take an hour',
    { limits: undefined },
    { counting: 'Service', service: { ...asked, timeout: '1h' } },
    /must not be longer than 10s/,
  ],
  ['a failure that is not known', {}, { counting: 'Shared', onFailure: 'Open' }, /onFailure/],
  ['a status that clients take for a success', {}, { response: { status: 200 } }, /response\.status/],
  [
    '65 buckets',
    {},
    { buckets: Array.from({ length: 65 }, (_, at) => ({ name: `b${at}`, ...limit('1s') })) },
    /buckets/,
  ],
  [
    'two buckets of one name',
    {},
    {
      buckets: [
        { name: 'b', ...limit('1s') },
        { name: 'b', ...limit('2s') },
      ],
    },
    /buckets/,
  ],
  ['a TCPRoute', {}, { targetRefs: [{ ...targetRefs[0], kind: 'TCPRoute' }] }, /targetRefs\[0\]\.kind/],
];
for (const [what, bucket, more, message] of rejected) {
  test(`the definition rejects ${what}`, async (t) => {
    const validator = await validatorOf([jsonCrdDir(), ownCrdDir]);
    const verdict = validator.validate(policy(bucket, more) as never);
    const faults =
      verdict.result === 'valid' ? [] : verdict.causes.map(({ path, message: text }) => `${pathText(path)}: ${text}`);
    t.regex(faults.join('\n'), message);
  });
}
