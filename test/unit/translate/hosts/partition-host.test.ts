import test from 'ava';
import type { PathMatch, Route } from '../../../../src/ir/index.ts';
import { type HostPlan, planOf } from '../../../../src/translate/hosts/host-plan.ts';
import type { HostPartition } from '../../../../src/translate/hosts/partition-host.ts';
import { routesChange } from '../../../../src/translate/hosts/routes-change.ts';
import { route, virtualHost } from '../../../support/ir.ts';

const matching = (id: string, path: PathMatch): Route => {
  const made = route(id, '/');
  return { ...made, match: { ...made.match, path } };
};
const exact = (value: string): Route => matching(`= ${value}`, { kind: 'exact', value });
const regex = (value: string): Route => matching(`~ ${value}`, { kind: 'regex', value });
const prefix = (value: string): Route => route(value, value);

const own: readonly Route[] = Array.from({ length: 600 }, (_, at) => prefix(`/r${at}`));
const cut = (routes: readonly Route[]): HostPartition | undefined => planOf(virtualHost('h.test', routes))?.cut;
const ids = (routes: readonly Route[] | undefined) => routes?.map(({ id }) => id);

test('a host with few routes stays whole', (t) => {
  t.is(cut(own.slice(0, 500)), undefined);
  t.is(cut(own.slice(0, 501))?.parts.size, 501);
});

test('so does one whose routes begin alike, or can match anywhere', (t) => {
  t.is(cut(own.map(({ id }) => prefix(`/a/b/c/d${id}`))), undefined);
  t.is(cut(own.map(({ id }) => regex(`.*${id}`))), undefined);
  t.is(cut(own.map(() => prefix('/'))), undefined);
  const patterns = own.slice(0, 33).map(({ id }) => regex(`.*${id}`));
  t.is(cut([...patterns, ...own]), undefined, 'patterns that go first would be in every part');
  t.is(ids(cut([...own, ...patterns])?.parts.get('/r1'))?.length, 1, 'those that go last need not');
});

test('a part has what is for its paths, in the order in which it is tried', (t) => {
  const routes = [
    exact('/'),
    exact('/r1/x'),
    regex('/r.*early'),
    prefix('/r1/deep'),
    ...own,
    regex('/r.*late'),
    prefix('/'),
  ];
  const found = cut(routes);
  t.is(found?.segments, 1);
  t.deepEqual(ids(found?.parts.get('/r1')), ['= /r1/x', '~ /r.*early', '/r1/deep', '/r1']);
  t.deepEqual(ids(found?.parts.get('/r2')), ['~ /r.*early', '/r2']);
  t.deepEqual(ids(found?.parts.get('/')), ['= /', '~ /r.*early'], 'the path with nothing behind its slash');
  t.deepEqual(ids(found?.rest), ['~ /r.*early', '~ /r.*late', '/']);
});

test('where most paths begin alike, a beginning has more segments', (t) => {
  const routes = [exact('/health'), exact('/api/v1'), ...own.map(({ id }) => prefix(`/api/v1${id}`)), prefix('/api')];
  const found = cut(routes);
  t.is(found?.segments, 3);
  t.deepEqual(ids(found?.parts.get('/api/v1/r7')), ['/api/v1/r7']);
  t.deepEqual(ids(found?.rest), ['= /health', '= /api/v1', '/api'], 'paths that are too short are for no part');
});

test('of several ways that are not good enough the best one counts', (t) => {
  const routes = own.map((_, at) => prefix(`/${at % 3}/x/y${at % 2}/z/${at}`));
  t.is(cut(routes)?.segments, 3);
  const halves = own.map((_, at) => prefix(`/${at % 2}/x/y/z/${at}`));
  t.is(cut(halves), undefined, 'half of a host in one part is not worth it');
});

const partsOf = (found: HostPartition | undefined) =>
  found && {
    segments: found.segments,
    largest: found.largest,
    rest: ids(found.rest),
    parts: Object.fromEntries([...found.parts].map(([beginning, routes]) => [beginning, ids(routes)]).sort()),
  };

test('a plan that follows another one is what it would be by itself', (t) => {
  const [early, late, all] = [regex('/early'), regex('/late'), prefix('/')];
  const api = own.map(({ id }) => prefix(`/api${id}`));
  const versions: readonly (readonly Route[])[] = [
    own,
    [...own, prefix('/new')],
    [exact('/r5/x'), ...own.slice(0, -1), prefix('/r599'), late],
    [exact('/r5/x'), ...own.slice(0, -9), late, all],
    [exact('/'), exact('/r5'), ...own.slice(0, 590), all],
    [early, ...own, late, all],
    [early, ...own.slice(50), late],
    [early, exact('/r1'), ...own, prefix('/z'), late, prefix('/r7')],
    [early, ...own, early],
    [early, ...own, prefix('/new'), early],
    [early, ...own, early],
    [early, prefix('/z'), early, ...own, early, late],
    [early, prefix('/z'), early, ...own, prefix('/new'), early, late],
    [...own].reverse(),
    [...own.slice(0, 300), own[0] as Route, ...own.slice(300)],
    own,
    [...own, ...api.slice(0, 20)],
    [...own, ...api.slice(0, 100)],
    [...own.slice(500), ...api],
    [...own.slice(580), ...api],
    [...api, prefix('/api')],
    [exact('/api'), ...api, prefix('/api')],
    [...own.slice(0, 33).map(({ id }) => regex(id)), ...own],
    [...own.slice(0, 33).map(({ id }) => regex(id)), ...own, late],
  ];
  let plan: HostPlan | undefined;
  for (const [at, routes] of versions.entries()) {
    plan = planOf(virtualHost('h.test', routes), plan);
    t.deepEqual(partsOf(plan?.cut), partsOf(cut(routes)), `version ${at}`);
  }
});

test('a change touches the parts that it is about', (t) => {
  const before = cut(own) as HostPartition;
  const touchedBy = (routes: readonly Route[]) => {
    const change = routesChange(own, routes);
    return change && [...before.touchedBy(change)].sort();
  };
  t.deepEqual(touchedBy(own), []);
  t.deepEqual(touchedBy([...own, prefix('/new')]), ['/new']);
  t.deepEqual(touchedBy([exact('/r5/x'), ...own]), ['/r5']);
  t.deepEqual(touchedBy(own.filter(({ id }) => id !== '/r9')), ['/r9']);
  t.deepEqual(
    touchedBy(own.map((one) => (one.id === '/r9' ? prefix('/r9') : one))),
    ['/r9'],
    'another one for that path',
  );
  t.deepEqual(touchedBy([exact('/r5/x'), ...own.slice(0, -1), prefix('/r599')]), ['/r5', '/r599'], 'far apart');
  t.deepEqual(touchedBy([...own, regex('/late'), prefix('/')]), [], 'the rest is no part');
  t.is(touchedBy([...own].reverse()), undefined, 'another order');
  t.is(touchedBy([...own, own[3] as Route]), undefined, 'twice');
  t.is(touchedBy(own.slice(257)), undefined, 'many');
});

test('parts that no change is about are the same in both cuts, unless something else stands everywhere', (t) => {
  const plain = cut(own) as HostPartition;
  t.true(plain.isLike(cut([...own, prefix('/new'), regex('/late')]) as HostPartition));
  t.false(plain.isLike(cut([regex('/early'), ...own]) as HostPartition));
  t.false(plain.isLike(cut(own.map(({ id }) => prefix(`/api${id}`))) as HostPartition));
});
