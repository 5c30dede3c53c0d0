import test from 'ava';
import { trafficPolicyKinds } from '../../../src/admin/traffic-policies/record.ts';
import { type RejectedKind, rejectedKinds } from '../../../src/contracts/index.ts';
import { kindModules } from '../../../src/controllers/index.ts';
import { type KindName, keyOf, type ObjectByKind } from '../../../src/gateway-api/index.ts';
import { BackendProviders } from '../../../src/graph/engine/backend-providers.ts';
import { Dirty } from '../../../src/graph/engine/dirty.ts';
import type { Change } from '../../../src/graph/engine/edge.ts';
import { Edges } from '../../../src/graph/engine/edges.ts';
import type { AnyKindModule } from '../../../src/graph/engine/kind-module.ts';
import { Store } from '../../../src/graph/engine/store.ts';
import { Graph } from '../../../src/graph/index.ts';
import * as ir from '../../../src/ir/index.ts';
import { controllerName, namespace, pod, secret, service } from '../../support/objects.ts';
import { definitionsRead, type Named, sampleOf } from '../../support/schema-sample.ts';

// What no type can ask of a kind's module is asked here, of all of them: samples are made from the definitions.

const definitions = definitionsRead();
const modules = kindModules as unknown as Readonly<Record<KindName, AnyKindModule>>;

/** Every edge, with what it finds in samples whose references all are to `named`. */
const edges = definitions.flatMap((definition) => {
  const kind = definition.kind as KindName;
  return Object.entries(modules[kind].edges).map(([name, edge]) => {
    const targetsOf = (named: Named): readonly string[] => {
      const object = sampleOf(definition, 'sample', named);
      return edge.targets(object as never, keyOf(object));
    };
    return { title: `${kind}.${name}`, edge, targetsOf };
  });
});

test('there are samples of every kind with edges, and of edges as many as modules declare', (t) => {
  const declared = Object.values(modules).flatMap((module) => Object.values(module.edges));
  t.is(edges.length, declared.length);
  t.true(edges.length > 20);
});

/** Namespaces that are found by labels, and Pods by their namespace, are named by no reference. */
const unnamed: readonly string[] = ['Namespace', 'Pod'];

/** Kept sets of keys go by a digest of where they are from. */
const byDigest: readonly string[] = ['AccessPolicy.fetchedKeys'];
/** A provider of tokens goes by its place in its policy. */
const byPlace: readonly string[] = ['AccessPolicy.claims'];
/** There is one, and it has its own name. */
const byOwnName: readonly string[] = ['AccessPolicy.loginKey'];

for (const { title, edge, targetsOf } of edges) {
  test(`${title} finds what a sample names, by the key that its target goes by`, (t) => {
    if (Object.keys(edge.to).length === 0) t.is(edge.marks, 'nothing', 'it leads to no object');
    for (const [kind, indexKey] of Object.entries(edge.to) as [KindName, (key: string) => string][]) {
      const found = targetsOf({ kind, name: 'named' });
      if (unnamed.includes(kind) || [...byDigest, ...byPlace, ...byOwnName].includes(title))
        t.true(found.length > 0, kind);
      else {
        const keys = ['own/named', 'other/named', 'named'].map(indexKey);
        t.true(
          found.some((target) => keys.includes(target)),
          `${kind}: ${found.join()} is none of ${keys.join()}`,
        );
      }
    }
  });
}

/** What ReferenceGrants speak of. Routes and ListenerSets are let in by their parents. */
const granted: readonly KindName[] = ['Service', 'Secret', 'ConfigMap', 'XBackend', 'AIService'];

for (const { title, edge, targetsOf } of edges) {
  test(`${title} has changed grants found where it leads to other namespaces, and nowhere else`, (t) => {
    const kinds = granted.filter((kind) => kind in edge.to);
    const isForeign = kinds.some((kind) => targetsOf({ kind, name: 'named' }).some((key) => key.includes('other/')));
    t.is(edge.grants ?? false, isForeign);
  });
}

/** Two of everything that can be named, in both namespaces, each naming the others of its number. */
function world(): { readonly store: Store; readonly edges: Edges } {
  const store = new Store(undefined, undefined, new BackendProviders(kindModules));
  const index = new Edges(kindModules);
  const put = (object: ObjectByKind[KindName]) => {
    store.put(object.kind as KindName, object as never);
    index.set(object.kind as KindName, keyOf(object), object as never);
  };
  for (const name of ['one', 'two']) {
    for (const own of ['own', 'other']) {
      put(service(name, undefined, { namespace: own }));
      put(secret(name, {}, { namespace: own }));
      put(pod(name, {}, '10.0.0.1', 'True', own));
      put(namespace(own, {}));
      for (const definition of definitions) {
        const object = sampleOf(definition, name, { kind: 'Service', name });
        put({ ...object, metadata: { ...object.metadata, ...(definition.namespaced && { namespace: own }) } } as never);
      }
    }
  }
  return { store, edges: index };
}

const { store, edges: indexes } = world();

function marksOf(change: Change): Set<string> {
  const dirty = new Dirty();
  modules[change.kind].marks(change as never, { dirty, store, edges: indexes });
  const sets = Object.entries(dirty) as [string, Set<string>][];
  const statuses = [...dirty.statuses].map(([kind, keys]) => [`status of ${kind}`, keys] as const);
  return new Set([...sets, ...statuses].flatMap(([set, keys]) => [...keys].map((key) => `${set} ${key}`)));
}

for (const definition of definitions) {
  const kind = definition.kind as KindName;
  const targetKinds = [
    ...new Set(Object.values(modules[kind].edges).flatMap(({ to }) => Object.keys(to) as KindName[])),
  ];
  if (targetKinds.length === 0) continue;
  test(`a ${kind} that names another object marks what it did of the former, and does of the latter`, (t) => {
    for (const target of targetKinds) {
      const [before, after] = ['one', 'two'].map((name) => sampleOf(definition, 'sample', { kind: target, name }));
      const key = keyOf(before as never);
      const change = (versions: object) => ({ kind, key, before: undefined, after: undefined, ...versions }) as Change;
      const marks = marksOf(change({ before, after }));
      // As if either version were the only one there has been, come or gone.
      t.true(marks.isSupersetOf(marksOf(change({ after: before }))), `${target}: before`);
      t.true(marks.isSupersetOf(marksOf(change({ before: after }))), `${target}: after`);
    }
  });
}

for (const definition of definitions) {
  const { kind, schema } = definition;
  if (!schema.properties?.spec?.properties?.targetRefs) continue;
  const name = kind as KindName;
  const toTargets = Object.values(modules[name].edges).flatMap(({ to }) => Object.keys(to) as KindName[]);
  test(`a ${kind} has an edge for its targetRefs, and a change of target marks both targets`, (t) => {
    const sample = (target: KindName, to: string) => sampleOf(definition, 'sample', { kind: target, name: to });
    const moved = toTargets.filter((target) => {
      const [one, two] = ['one', 'two'].map((to) =>
        marksOf({ kind: name, key: 'own/sample', before: undefined, after: sample(target, to) as never }),
      );
      return (
        !(one as Set<string>).isSubsetOf(two as Set<string>) && !(two as Set<string>).isSubsetOf(one as Set<string>)
      );
    });
    t.true(moved.length > 0);
  });
}

test('one kind of policies at most says how clients of listeners are treated, for settings of several are not merged', (t) => {
  const { listeners } = kindModules.ListenerPolicy;
  const kinds = { ...kindModules, BackendPolicy: { ...kindModules.BackendPolicy, ...(listeners && { listeners }) } };
  const bind = () => ({ address: '127.0.0.1', port: 0 });
  t.notThrows(() => new Graph({ controllerName, kinds: kindModules, bind }));
  t.throws(() => new Graph({ controllerName, kinds, bind }), { message: /BackendPolicy and ListenerPolicy/ });
});

test('the admin API lists each kind of policies that say how requests are treated', (t) => {
  const kinds = (Object.keys(modules) as KindName[]).filter((kind) => modules[kind].traffic);
  t.deepEqual(kinds.sort(), [...trafficPolicyKinds].sort());
});

test('backends of each source are provided by one kind, and belong to an object of one', (t) => {
  const expected: Readonly<Record<ir.BackendSource, readonly string[]>> = {
    import: ['ServiceImport ServiceImport'],
    pods: ['XBackend XBackend'],
    external: ['XBackend XBackend'],
    pool: ['InferencePool InferencePool'],
    servers: ['InferencePool InferencePool'],
    dynamic: ['DynamicBackend DynamicBackend'],
    ai: ['AIService AIService'],
    'ai-route': ['AIService HTTPRoute'],
    login: ['AccessPolicy AccessPolicy'],
    credential: ['HTTPFilter HTTPFilter'],
    module: ['ExtensionPolicy ExtensionPolicy'],
  };
  for (const [source, found] of Object.entries(expected)) {
    const provided = (Object.keys(modules) as KindName[]).flatMap((kind) => {
      const owner = modules[kind].provider?.sources[source as ir.BackendSource];
      return owner === undefined ? [] : [`${kind} ${owner}`];
    });
    t.deepEqual(provided, found, source);
  }
});

test('content of a policy that proxies reject is of one kind, and other content of none', (t) => {
  const kindsOf = (kind: RejectedKind, key: string) =>
    (Object.keys(modules) as KindName[]).flatMap((name) => {
      const policy = modules[name].policyOf?.({ kind, key });
      return policy === undefined ? [] : [`${name} ${policy}`];
    });
  const expected: Readonly<Record<RejectedKind, readonly (readonly [key: string, found: readonly string[]])[]>> = {
    route: [['HTTPRoute/shop/web', []]],
    backend: [['shop/web/80', []]],
    endpoints: [['shop/web/80', []]],
    listener: [['http/80', []]],
    secret: [['shop/cert', []]],
    access: [['shop/guard', ['AccessPolicy shop/guard']]],
    traffic: [
      [ir.trafficKey('shop/tuned', 'compression'), ['TrafficPolicy shop/tuned']],
      [ir.extensionKey('shop/waf'), ['ExtensionPolicy shop/waf']],
    ],
    limit: [['shop/limited/bucket', ['RateLimitPolicy shop/limited']]],
    patch: [['shop/patched|cluster', ['EnvoyPatch shop/patched']]],
  };
  for (const kind of rejectedKinds)
    for (const [key, found] of expected[kind]) t.deepEqual(kindsOf(kind, key), found, `${kind} ${key}`);
});
