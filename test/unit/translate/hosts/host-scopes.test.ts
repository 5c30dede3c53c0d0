import test from 'ava';
import { typeUrls } from '../../../../src/envoy/index.ts';
import type { Change, ExternalAuth, PathMatch, Route, VirtualHost } from '../../../../src/ir/index.ts';
import { Translator } from '../../../../src/translate/index.ts';
import { gatewayKey, httpListener, route, snapshotOf, table, translateAll, virtualHost } from '../../../support/ir.ts';
import { randomOf } from '../../../support/odd-requests.ts';
import { repetitions, thorough } from '../../../support/repetitions.ts';

const key = 'http/80';
const host = 'large.test';

/** Name → version of what a proxy has that heard of every change. */
class Follower {
  readonly has = new Map<string, string>();
  readonly #translator = new Translator();
  #before: VirtualHost | undefined;

  /** @returns names of the scopes that were sent */
  become(after: VirtualHost | undefined): string[] {
    const snapshot = snapshotOf({ listeners: [], tables: [table(key, { exact: after ? [after] : [] })] });
    const change: Change = {
      kind: 'virtualHost',
      gateway: gatewayKey,
      table: key,
      scope: 'exact',
      host,
      before: this.#before,
      after,
    };
    const [said] = this.#translator.translate(snapshot, [change]);
    this.#before = after;
    const scopes = said?.upserts.filter(({ typeUrl }) => typeUrl === typeUrls.scopedRoute) ?? [];
    for (const { name, version } of scopes) this.has.set(name, version);
    for (const { name } of said?.removals ?? []) this.has.delete(name);
    return scopes.map(({ name }) => name);
  }
}

/** What a proxy has that begins with it. */
function coldly(after: VirtualHost): Map<string, string> {
  const content = { listeners: [httpListener(key)], tables: [table(key, { exact: [after] })] };
  const scopes = translateAll(snapshotOf(content)).filter(({ name }) => name.startsWith(`${key}|${host}`));
  return new Map(scopes.map(({ name, version }) => [name, version]));
}

const sorted = (map: Map<string, string>) => [...map].sort();

const matching = (id: string, path: PathMatch): Route => {
  const made = route(id, '/');
  return { ...made, match: { ...made.match, path } };
};

test('whatever led to a host, a proxy that followed has what one has that begins with it', (t) => {
  const random = randomOf(7);
  const pick = (below: number): number => Math.floor(random() * below);
  const made = (): Route => {
    const value = `/${pick(3) === 0 ? 'api/' : ''}r${pick(700)}${pick(3) === 0 ? '/more' : ''}`;
    const kind = (['prefix', 'prefix', 'prefix', 'exact', 'regex'] as const)[pick(pick(10) === 0 ? 5 : 4)] ?? 'prefix';
    return matching(`httproute/default/s${pick(400)}/rule/0/match/${random()}`, { kind, value });
  };
  const follower = new Follower();
  let routes: readonly Route[] = Array.from({ length: 490 }, made);
  let cut = 0;
  const steps = repetitions({ few: 20, all: 120 });
  for (let step = 0; step < steps; step += 1) {
    const many = pick(15) === 0 ? 300 : pick(4);
    // Now growing, now shrinking.
    const [from, fewer, more] = [pick(routes.length), ...(step % 40 < 25 ? [pick(3), many] : [many, pick(3)])];
    routes = routes.toSpliced(from, fewer as number, ...Array.from({ length: more as number }, made));
    const after = virtualHost(host, routes, { fallThrough: step % 50 < 25 });
    follower.become(after);
    const expected = coldly(after);
    if (expected.size > 1) cut += 1;
    t.deepEqual(sorted(follower.has), sorted(expected), `step ${step}, ${routes.length} routes`);
  }
  t.true(cut > steps / 3 && cut < steps, `${cut} of ${steps} times it was cut`);
  follower.become(undefined);
  t.is(follower.has.size, 0);
});

thorough(test)('whom a listener asks stands in every part', (t) => {
  const routes = Array.from({ length: 600 }, (_, at) => route(`r${at}`, `/r${at}`));
  const follower = new Follower();
  t.is(follower.become(virtualHost(host, routes)).length, 602);
  const auth: ExternalAuth = {
    backend: 'default/auth/80',
    protocol: 'http',
    authority: 'auth',
    requestHeaders: [],
    responseHeaders: [],
  };
  const guarded = virtualHost(host, routes, { preRoutingAuth: [auth] });
  t.is(follower.become(guarded).length, 602);
  t.deepEqual(sorted(follower.has), sorted(coldly(guarded)));
});
