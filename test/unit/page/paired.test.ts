import test from 'ava';
import { pairedDifferences } from '../../../page/src/pages/changes/paired.ts';

type Entry = Parameters<typeof pairedDifferences>[0][number];

const route = (id: string, before: object | null, after: object | null, host = 'http/80 a.test'): Entry =>
  ({
    gateway: 'default/edge',
    kind: 'route',
    name: host,
    before: before && { id, ...before },
    after: after && { id, ...after },
  }) as unknown as Entry;

test('a route that went and came on one host is one difference with two sides', (t) => {
  const id = 'httproute/default/a/rule/0/match/0';
  const [one, ...others] = pairedDifferences([route(id, { rule: 1 }, null), route(id, null, { rule: 2 })]);
  t.deepEqual(others, []);
  t.like(one, { route: id, before: { rule: 1 }, after: { rule: 2 } });
});

test('other hosts and other matches are differences of their own', (t) => {
  const [first, second, third] = pairedDifferences([
    route('httproute/default/b/rule/0/match/0', null, {}),
    route('httproute/default/a/rule/0/match/0', {}, null),
    route('httproute/default/a/rule/0/match/0', null, {}, 'http/80 b.test'),
  ]);
  t.like(first, { name: 'http/80 a.test', after: null });
  t.like(second, { name: 'http/80 b.test', before: null });
  t.like(third, { route: 'httproute/default/b/rule/0/match/0', before: null });
});

test('access comes first, and a side that is odd is no fault', (t) => {
  const entries = [
    { gateway: 'g', kind: 'secret', name: 's', before: {}, after: {} },
    { gateway: 'g', kind: 'access', name: 't', before: null, after: {} },
    { gateway: 'g', kind: 'route', name: 'h', before: 7, after: null },
  ] as unknown as readonly Entry[];
  t.deepEqual(
    pairedDifferences(entries).map(({ kind }) => kind),
    ['access', 'route', 'secret'],
  );
});
