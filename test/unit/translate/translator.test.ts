import test from 'ava';
import { guardsSlot } from '../../../src/contracts/index.ts';
import { typeUrls } from '../../../src/envoy/index.ts';
import { allChanges, type Change } from '../../../src/ir/index.ts';
import { headName, slots, tablePlaces } from '../../../src/translate/filters/index.ts';
import { type GatewayChange, Translator } from '../../../src/translate/index.ts';
import { slotListsListenerName, slotListsName } from '../../../src/translate/resource/index.ts';
import {
  backend,
  backendKey,
  endpoints,
  gatewayKey,
  httpListener,
  route,
  snapshotOf,
  table,
  virtualHost,
} from '../../support/ir.ts';

const wild = (host: string): Change => ({
  kind: 'virtualHost',
  gateway: gatewayKey,
  table: 'http/80',
  scope: 'fallback',
  host,
});

test('many changed wildcards make the fallback scope once', (t) => {
  const snapshot = snapshotOf({
    listeners: [],
    tables: [table('http/80', { fallback: [virtualHost('*.a.test', [route('r', '/')])] })],
  });
  const [change] = new Translator().translate(snapshot, [wild('*.a.test'), wild('*.b.test')]);
  t.deepEqual(
    change?.upserts.map(({ name }) => name),
    ['http/80|*'],
  );
  t.deepEqual(change?.removals, []);
});

test('a table that is gone takes its filter chains and its fallback scope along', (t) => {
  const [change] = new Translator().translate(snapshotOf({ listeners: [], tables: [] }), [
    { kind: 'table', gateway: gatewayKey, table: 'http/80' },
  ]);
  const beside = change?.removals.filter(({ name }) => /^(ai\/)?lists\//.test(name)) ?? [];
  t.deepEqual(
    beside.map(({ typeUrl, name }) => `${typeUrl} ${name}`).sort(),
    [
      `${typeUrls.listener} ${slotListsListenerName('http/80')}`,
      ...[
        ...slots.filter(({ apart }) => apart).map(({ name }) => name),
        ...tablePlaces.map(({ name }) => name),
        ...(['entry', 'access', 'traffic'] as const).map(headName),
        guardsSlot,
      ].map((name) => `${typeUrls.extension} ${slotListsName(name, 'http/80')}`),
    ].sort(),
    'what stands beside its chains, too',
  );
  t.deepEqual(
    change?.removals.filter((removal) => !beside.includes(removal)),
    [
      { typeUrl: typeUrls.extension, name: 'entry/http/80' },
      { typeUrl: typeUrls.extension, name: 'auth/http/80' },
      { typeUrl: typeUrls.extension, name: 'base/http/80' },
      { typeUrl: typeUrls.extension, name: 'access/http/80' },
      { typeUrl: typeUrls.extension, name: 'traffic/http/80' },
      { typeUrl: typeUrls.scopedRoute, name: 'http/80|*' },
    ],
  );
});

test('an exact host that is gone is one removal', (t) => {
  const snapshot = snapshotOf({ listeners: [], tables: [table('http/80', {})] });
  const [change] = new Translator().translate(snapshot, [
    { kind: 'virtualHost', gateway: gatewayKey, table: 'http/80', scope: 'exact', host: 'a.test' },
  ]);
  t.deepEqual(change, {
    gateway: gatewayKey,
    upserts: [],
    removals: [{ typeUrl: typeUrls.scopedRoute, name: 'http/80|a.test' }],
  });
});

test('a backend of two gateways is encoded once, and equal fragments give equal versions', (t) => {
  const shared = backend('web');
  const members = endpoints('web', [8080]);
  const of = (gateway: string): Change[] => [
    { kind: 'backend', gateway, key: backendKey('web'), after: shared },
    { kind: 'endpoints', gateway, key: backendKey('web'), after: members },
  ];
  const snapshot = snapshotOf({ listeners: [], tables: [] });
  const [one, two] = new Translator().translate(snapshot, [...of('a/a'), ...of('b/b')]);
  t.is(one?.upserts.length, 2);
  t.true(one?.upserts.every((resource, index) => resource === two?.upserts[index]));
  const [fresh] = new Translator().translate(snapshot, [
    { kind: 'endpoints', gateway: 'c/c', key: backendKey('web'), after: endpoints('web', [8080]) },
  ]);
  t.is(fresh?.upserts[0]?.version, one?.upserts[1]?.version);
});

test('a gateway that is gone is said as such', (t) => {
  const snapshot = snapshotOf({ listeners: [], tables: [] });
  t.deepEqual(new Translator().translate(snapshot, [{ kind: 'gateway', gateway: 'a/a' }]), [
    { gateway: 'a/a', upserts: [], removals: [], gone: true },
  ]);
});

test('what is translated in steps, with others between, is the same bytes', (t) => {
  const hosts = Array.from({ length: 9 }, (_, index) => `h${index}.test`);
  const snapshot = snapshotOf({
    listeners: [httpListener('http/80')],
    tables: [
      table('http/80', {
        exact: hosts.map((host) => virtualHost(host, [route('r', '/')])),
        fallback: [virtualHost('*.a.test', [route('r', '/')])],
      }),
    ],
    backends: { web: 8080 },
  });
  const whole = new Translator().translate(snapshot, allChanges(snapshot));
  const translator = new Translator();
  const all = [1, 2].map(() => ({ steps: translator.translating(snapshot, allChanges(snapshot)), taken: 0 }));
  const made = new Set<unknown>();
  while (made.size < all.length) {
    for (const one of all) {
      const { done, value } = one.steps.next();
      if (done && value) made.add(value);
      else one.taken++;
    }
  }
  for (const changes of made) t.deepEqual(withoutProvenance(changes as never), withoutProvenance(whole));
  t.true(all.every(({ taken }) => taken > hosts.length));
});

const withoutProvenance = (changes: readonly GatewayChange[]) =>
  changes.map((change) => ({
    ...change,
    upserts: change.upserts.map(({ provenance: _, slots: __, ...resource }) => resource),
  }));
