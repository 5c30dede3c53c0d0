import test from 'ava';
import type * as ir from '../../src/ir/index.ts';
import { judgeAccess } from '../../src/offline/access/index.ts';
import { PasswordChecks } from '../../src/passwords/index.ts';
import { send, startBackend } from '../support/http.ts';
import { httpListener, route, table, virtualHost } from '../support/ir.ts';
import { startProxy } from '../support/ir-proxy.ts';
import { thorough } from '../support/repetitions.ts';
import { signer } from '../support/tokens.ts';

/**
 * Tokens whose times come and go while requests with them are under way: each answer is one that a proxy's clock allows between the request and the
 * answer, and a route test says the same of those moments.
 */

const skewSeconds = 60;
const key = signer('k', 'ES256');
const access: ir.Access = {
  jwt: {
    optional: false,
    providers: [
      {
        id: 'a/b/c',
        audiences: [],
        keys: JSON.stringify({ keys: [key.jwk] }),
        from: [],
        forwardToken: false,
        claimsToHeaders: [],
      },
    ],
  },
};
const secondsNow = () => Math.floor(Date.now() / 1000);

interface Times {
  readonly exp?: number;
  readonly nbf?: number;
  readonly iat?: number;
}

/** Whether a token is good in that second. */
const isGood = ({ exp, nbf }: Times, second: number): boolean =>
  (exp === undefined || second <= exp + skewSeconds) && (nbf === undefined || second + skewSeconds >= nbf);

/** What a proxy and a route test may answer between two moments. */
const possible = (times: Times, from: number, to: number): ReadonlySet<number> =>
  new Set(Array.from({ length: to - from + 1 }, (_, at) => (isGood(times, from + at) ? 200 : 401)));

async function startGuarded(t: Parameters<typeof startProxy>[0]) {
  const web = await startBackend(t);
  const guarded = route('r', '/', { filters: { access: { route: access } } });
  const proxy = await startProxy(t, {
    listeners: [httpListener('http/80')],
    tables: [table('http/80', { exact: [virtualHost('a.test', [guarded])] })],
    backends: { web: web.port },
  });
  const port = await proxy.envoy.port('http/80');
  const headersOf = (token: string) => ({ authorization: `Bearer ${token}` });
  /** What Envoy answers, and what it may. */
  return async (times: Times, token: string) => {
    const from = secondsNow();
    const { status } = await send(port, { host: 'a.test', headers: headersOf(token) });
    const to = secondsNow();
    return { status, from, to, allowed: possible(times, from, to) };
  };
}

async function judged(token: string, now: Date): Promise<number> {
  const judgement = await judgeAccess(
    { table: [], rule: { route: access } },
    {
      method: 'GET',
      path: '/',
      header: (name) => (name === 'authorization' ? [`Bearer ${token}`] : []),
      address: '127.0.0.1',
      now,
      passwords: new PasswordChecks(),
    },
  );
  return judgement.verdict === 'passes' ? 200 : (judgement.status ?? 0);
}

thorough(test)(
  'tokens that begin and end while requests go on are answered by the second, give or take the 60 that clocks may differ',
  async (t) => {
    t.timeout(600_000);
    const ask = await startGuarded(t);
    const start = secondsNow() + 2;
    const offsets = [0, 1, 2, 3, 4];
    const tokens = [
      ...offsets.map((at): Times => ({ exp: start + at - skewSeconds })),
      ...offsets.map((at): Times => ({ nbf: start + at + skewSeconds })),
      // Good for some seconds only.
      ...offsets.map((at): Times => ({ nbf: start + at + skewSeconds, exp: start + at + 2 - skewSeconds })),
    ].map((times) => ({ times, token: key.token({ sub: 'ann', ...times }) }));
    const end = start + Math.max(...offsets) + 4;
    const wrong: object[] = [];
    const counts = new Map<number, number>();
    const client = async (first: number) => {
      for (let at = first; secondsNow() <= end; at += 1) {
        const { times, token } = tokens[at % tokens.length]!;
        const { status, allowed, ...when } = await ask(times, token);
        counts.set(status, (counts.get(status) ?? 0) + 1);
        if (!allowed.has(status)) wrong.push({ status, times, ...when });
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, first) => client(first * 2)));
    t.log(Object.fromEntries(counts));
    t.deepEqual(wrong, []);
    t.deepEqual([...counts.keys()].toSorted(), [200, 401]);
  },
);

test('around the 60 seconds a proxy and a route test say the same of exp and nbf, and neither looks at iat', async (t) => {
  t.timeout(600_000);
  const ask = await startGuarded(t);
  const now = secondsNow();
  const spans = [-3600, -90, -75, -45, -1, 0, 1, 45, 75, 90, 3600];
  const tokens: readonly Times[] = [
    {},
    ...spans.flatMap((span): Times[] => [{ exp: now + span }, { nbf: now + span }, { iat: now + span }]),
    { nbf: now - 5, exp: now + 5, iat: now + 600 },
    { nbf: now + 3600, exp: now + 7200 },
  ];
  for (const times of tokens) {
    const token = key.token({ sub: 'ann', ...times });
    const { status, allowed } = await ask(times, token);
    t.true(allowed.has(status), `${JSON.stringify(times)} at ${secondsNow()}: ${status}`);
    for (const second of [now, now + skewSeconds, now + 90])
      for (const ms of [0, 999])
        t.is(
          await judged(token, new Date(second * 1000 + ms)),
          isGood(times, second) ? 200 : 401,
          `${JSON.stringify(times)} at ${second}.${ms}`,
        );
  }
});
