import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { convert, judge, migrationStatus } from '../../../src/ingress/index.ts';
import { ingressDigest } from '../../../src/ingress/values/ingress-digest.ts';
import { controller, convertOptions, ingress, worldOf } from '../../support/ingress-world.ts';

const judgement = judge(worldOf(...controller(), ingress('web')));
const digest = ingressDigest(judgement.ingresses[0]?.ingress as never);

/** A route that was made from `shop/web`, with what Gateways say of it at each of two parents. */
const route = (answers: readonly ('True' | 'False')[], more: object = {}) =>
  ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: {
      name: 'web',
      namespace: 'shop',
      annotations: {
        'gatewright.dev/migrated-from': 'shop/web@12',
        'gatewright.dev/migrated-digest': digest,
        ...more,
      },
    },
    spec: { parentRefs: [{ name: 'edge' }, { name: 'other' }] },
    status: { parents: answers.map((status) => ({ conditions: [{ type: 'Accepted', status }] })) },
  }) as never;

const stateOf = (...routes: never[]) =>
  migrationStatus(judgement, { routes, isCluster: true, unread: [] }).ingresses[0]?.state;

test('an Ingress is at its new place when each parent of each of its routes has accepted it', (t) => {
  t.is(stateOf(), 'open');
  t.is(stateOf(route([])), 'pending');
  t.is(stateOf(route(['True'])), 'pending', 'one of two parents');
  t.is(stateOf(route(['True', 'False'])), 'pending');
  t.is(stateOf(route(['True', 'True'])), 'accepted');
  t.is(stateOf(route(['True', 'True']), route(['False'])), 'pending');
  t.is(stateOf(route(['True', 'True'], { 'gatewright.dev/migrated-digest': 'other' })), 'changed');
  t.is(stateOf(route(['True', 'True'], { 'gatewright.dev/migrated-from': 'shop/other@1' })), 'open');
});

test('an Ingress of which others answer all paths keeps no move from its end', (t) => {
  const two = judge(worldOf(...controller(), ingress('web'), ingress('other')));
  const { ingresses, counts } = migrationStatus(two, { routes: [], isCluster: true, unread: [] });
  t.deepEqual(
    ingresses.map(({ ingress: key, state }) => [key, state]),
    [
      ['shop/other', 'not-served'],
      ['shop/web', 'open'],
    ],
  );
  t.is(counts['not-served'], 1);
});

test('Certificates that go with an Ingress are named, and others are not', (t) => {
  const certificate = (name: string, kind?: string) =>
    ({ metadata: { name, namespace: 'shop', ...(kind && { ownerReferences: [{ kind, name: 'web' }] }) } }) as never;
  const certificates = [
    certificate('b', 'Ingress'),
    certificate('a', 'Ingress'),
    certificate('c'),
    certificate('d', 'Gateway'),
  ];
  const found = migrationStatus(judgement, { routes: [], isCluster: true, certificates, unread: [] });
  t.deepEqual(found.certificates, ['shop/a', 'shop/b']);
  t.is(migrationStatus(judgement, { routes: [], isCluster: true, unread: [] }).certificates, null);
});

test('routes that no conversion made are none of its business', (t) => {
  const plain = { ...(route(['True']) as object), metadata: { name: 'own', namespace: 'shop' } } as never;
  t.deepEqual(migrationStatus(judgement, { routes: [plain], isCluster: true, unread: [] }).gone, []);
});

test('a canary is as far as the routes of its Ingress, and a change of it is a change of these', (t) => {
  const judged = (weight: string) =>
    judge(
      worldOf(
        ...controller(),
        ingress('web'),
        ingress('next', { canary: 'true', 'canary-weight': weight }, { service: 'next' }),
      ),
    );
  const converted = judged('10');
  const [text] = [...convert(converted, convertOptions).files].flatMap(([file, made]) =>
    file === 'shop/web.yaml' ? [made] : [],
  );
  const made = parseAllDocuments(text ?? '')[0]?.toJS() as object;
  const statesOf = (of: ReturnType<typeof judge>, answers: readonly string[]) => {
    const parents = answers.map((status) => ({ conditions: [{ type: 'Accepted', status }] }));
    const routes = [{ ...made, status: { parents } } as never];
    return migrationStatus(of, { routes, isCluster: true, unread: [] }).ingresses.map(({ ingress: key, state }) => [
      key,
      state,
    ]);
  };
  const both = (state: string) => [
    ['shop/next', state],
    ['shop/web', state],
  ];
  t.deepEqual(statesOf(converted, []), both('pending'));
  t.deepEqual(statesOf(converted, ['True']), both('accepted'));
  t.deepEqual(statesOf(judged('50'), ['True']), both('changed'));
});
