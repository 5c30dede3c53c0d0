import test from 'ava';
import { readDefinitions, type Schema } from '../../../scripts/generate/definitions.ts';
import { ownCrdDir } from '../../../scripts/paths.mjs';
import {
  convertEnvoyGateway,
  envoyGatewayTables,
  SourceObjects,
  sourceObjectOf,
  type Table,
} from '../../../src/migrate/index.ts';
import { readFields, unknownTo } from './fields.ts';

const fields = readFields('envoy-gateway-fields.txt');

for (const [kind, table] of Object.entries(envoyGatewayTables))
  test(`every field of a ${kind} of Envoy Gateway 1.9 has a rule`, (t) => {
    t.true(fields.some(([path]) => path.startsWith(`${kind}.`)));
    t.deepEqual(unknownTo(table, kind, fields), []);
  });

/** All fields of ours that tables write to. */
function* writtenBy(table: Table): Generator<string> {
  for (const rule of Object.values(table)) {
    if ('in' in rule) yield* writtenBy(rule.in);
    if ('to' in rule) yield rule.to;
  }
}

const schemas = new Map(readDefinitions(ownCrdDir).map(({ kind, schema }) => [kind, schema]));

/** Parts of a draft that are no kinds. */
const inner = new Set(['Tls', 'Frontend']);

test('every field that a table writes is one of ours', (t) => {
  const paths = Object.values(envoyGatewayTables).flatMap((table) => [...writtenBy(table)]);
  t.true(paths.length > 150);
  t.deepEqual(
    paths.filter((path) => {
      const [kind = '', ...members] = path.split('.');
      if (inner.has(kind)) return false;
      const schema = schemas.get(
        ['Rewrite', 'Host', 'Response', 'Credential', 'Cookie'].includes(kind) ? 'HTTPFilter' : kind,
      );
      const found = members.reduce<Schema | undefined>((at, name) => at?.properties?.[name], schema?.properties?.spec);
      return found === undefined;
    }),
    [],
  );
});

const values: Readonly<Record<string, unknown>> = {
  string: 'text',
  integer: 7,
  number: 1.5,
  boolean: true,
  quantity: '1Mi',
  duration: '5s',
  object: {},
  any: { a: 1 },
};

const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }];

/** A spec with a target, if its kind has targets. */
const withTargets = (kind: string, spec: object): object =>
  Object.hasOwn(envoyGatewayTables[kind] ?? {}, 'targetRefs') ? { ...spec, targetRefs } : spec;

/** An object that has every field of its kind, each with a value of its type. */
function fullSpec(kind: string, valueFor: (type: string) => unknown): object {
  const spec: Record<string, unknown> = {};
  for (const [path, type] of fields.filter(([each]) => each.startsWith(`${kind}.`))) {
    const names = path.slice(kind.length + 1).split('.');
    let at = spec;
    for (const [index, name] of names.entries()) {
      const key = name.replace('[]', '');
      const isLast = index === names.length - 1;
      const next = isLast ? valueFor(type) : ((at[key] as Record<string, unknown> | undefined) ?? {});
      if (!name.endsWith('[]')) {
        at[key] = next;
        at = next as Record<string, unknown>;
        continue;
      }
      const list = isLast ? [next] : ((at[key] as readonly Record<string, unknown>[] | undefined) ?? [next]);
      at[key] = list;
      at = list[0] as Record<string, unknown>;
    }
  }
  return withTargets(kind, spec);
}

const gateway = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'edge', namespace: 'infra' },
  spec: { gatewayClassName: 'eg', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
};

function convertOne(kind: string, spec: object) {
  const objects = new SourceObjects();
  for (const value of [
    gateway,
    { apiVersion: 'gateway.envoyproxy.io/v1alpha1', kind, metadata: { name: 'one', namespace: 'infra' }, spec },
  ]) {
    const object = sourceObjectOf(value);
    if (object !== undefined) objects.add(object);
  }
  return convertEnvoyGateway(objects, { suffix: '-new', without: new Set() });
}

const protecting = ['SecurityPolicy', 'ClientTrafficPolicy', 'EnvoyExtensionPolicy', 'HTTPRouteFilter'];

for (const kind of Object.keys(envoyGatewayTables)) {
  test(`a ${kind} with all fields is converted, and names what is lost`, (t) => {
    const spec = fullSpec(kind, (type) => values[type] ?? type.split('|')[0]);
    const { objects } = convertOne(kind, spec);
    const made = objects.find(({ id }) => id === `${kind}/infra/one`);
    t.true((made?.notes.length ?? 0) > 0);
    t.is(
      made?.notes.some(({ text }) => text === 'is a field that is not known here'),
      false,
    );
    // Of these all fields have a word here.
    if (protecting.includes(kind) && kind !== 'HTTPRouteFilter') t.is(made?.outcome, 'closed');
  });

  test(`a ${kind} with values of wrong types is no fault of the program`, (t) => {
    for (const value of [null, 1, 'x', true, [], {}, [[]], [{}], { a: [1] }])
      t.notThrows(
        () =>
          convertOne(
            kind,
            fullSpec(kind, () => value),
          ),
        JSON.stringify(value),
      );
    t.notThrows(() => convertOne(kind, { spec: 1, targetRefs: 'x', targetSelectors: [1, { kind: 7 }], unknown: {} }));
  });

  test(`a field that a ${kind} will have one day is named, and closes what protects`, (t) => {
    const spec = withTargets(kind, { later: { a: 1 } });
    const made = convertOne(kind, spec).objects.find(({ id }) => id === `${kind}/infra/one`);
    t.true(made?.notes.some(({ field, verdict }) => field === 'later' && verdict === 'cannot'));
    if (protecting.includes(kind)) t.is(made?.outcome, 'closed');
  });
}
