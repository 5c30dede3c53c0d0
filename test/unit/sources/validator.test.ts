import test from 'ava';
import { crdDir, inferenceCrdDir, jsonCrdDir } from '../../../scripts/paths.mjs';
import { type KubernetesObject, kinds, kindsRead } from '../../../src/gateway-api/index.ts';
import { ObjectValidator, parseManifests, pathText } from '../../../src/sources/index.ts';
import { validator } from './directory-harness.ts';

/** Judges the first document of a text; complaints as `LINE:COLUMN PATH: MESSAGE`. */
async function judge(
  text: string,
  old?: KubernetesObject,
): Promise<{ object?: KubernetesObject; complaints: string[] }> {
  const [manifest] = parseManifests(text).manifests;
  if (manifest === undefined) throw new Error('no document');
  const verdict = (await validator).validate(manifest.value, () => old);
  if (verdict.result === 'valid') return { object: verdict.object, complaints: [] };
  const complaints = verdict.causes.map(({ path, message }) => {
    const { line, column } = manifest.locate(path);
    return `${line}:${column} ${pathText(path)}: ${message}`;
  });
  return { complaints };
}

const rejects = test.macro(async (t, text: string, expected: readonly (string | RegExp)[]) => {
  const { object, complaints } = await judge(text);
  t.is(object, undefined);
  t.is(complaints.length, expected.length, complaints.join('\n'));
  expected.forEach((want, index) => {
    if (typeof want === 'string') t.is(complaints[index], want);
    else t.regex(String(complaints[index]), want);
  });
});

const accepts = test.macro(async (t, text: string, expected: object) => {
  const { object, complaints } = await judge(text);
  t.deepEqual(complaints, []);
  t.like(object, expected);
});

const gateway = (listeners: string): string =>
  `apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {name: web}\nspec:\n  gatewayClassName: gatewright\n  listeners:\n${listeners}`;
const routeWith = (rules: string): string =>
  `apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: shop}\nspec:\n  rules:\n${rules}`;
const classWith = (controller: string): string =>
  `apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: {name: c}\nspec: {controllerName: ${controller}}\n`;

test(
  'defaults of a listener are filled in',
  accepts,
  gateway('  - {name: a, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: c}]}}\n'),
  {
    spec: {
      listeners: [
        {
          allowedRoutes: { namespaces: { from: 'Same' } },
          tls: { mode: 'Terminate', certificateRefs: [{ group: '', kind: 'Secret', name: 'c' }] },
        },
      ],
    },
  },
);

test(
  'an older served version is read as the current one',
  accepts,
  classWith('a.example/b').replace('/v1', '/v1beta1'),
  {
    apiVersion: 'gateway.networking.k8s.io/v1',
  },
);

test('null where a default exists counts as not given', accepts, routeWith('  - matches: null\n'), {
  spec: { rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/' } }] }] },
});

test('a status in a file is not taken', async (t) => {
  const { object } = await judge(`${routeWith('  - {}\n')}status: {parents: nonsense}\n`);
  t.deepEqual(Object.keys(object ?? {}).sort(), ['apiVersion', 'kind', 'metadata', 'spec']);
});

test('an unknown version names the known ones', rejects, classWith('a.example/b').replace('/v1', '/v7'), [
  '1:1 apiVersion: version v7 is not known; use v1 or v1beta1',
]);

test(
  'an unknown field names the nearest one',
  rejects,
  routeWith('  - matches:\n    - path: {typ: Exact, value: /}\n'),
  ['7:14 spec.rules[0].matches[0].path.typ: unknown field "typ"; did you mean "type"?'],
);

test('all faults show at once', rejects, gateway('  - {name: A, port: 0, protocol: HTTP}\n  - {name: b}\n'), [
  /^7:6 spec\.listeners\[0\]\.name: "A" does not match /,
  '7:15 spec.listeners[0].port: 0 is less than 1',
  '8:5 spec.listeners[1].port: is required',
  '8:5 spec.listeners[1].protocol: is required',
]);

test('a wrong type is named in words', rejects, gateway('  - {name: a, port: "80", protocol: HTTP}\n'), [
  '7:15 spec.listeners[0].port: must be an integer, not the string "80"',
]);

test('an enum names the nearest value', rejects, routeWith('  - matches:\n    - path: {type: Prefix, value: /}\n'), [
  /^7:14 spec\.rules\[0\]\.matches\[0\]\.path\.type: "Prefix" is not one of "Exact", "PathPrefix", "RegularExpression"/,
]);

test(
  'a rule of a list is reported at the list',
  rejects,
  gateway('  - {name: a, port: 80, protocol: TCP, hostname: a.example}\n'),
  ["6:3 spec.listeners: hostname must not be specified for protocols ['TCP', 'UDP']"],
);

test(
  'a map list has each key once',
  rejects,
  gateway('  - {name: a, port: 80, protocol: HTTP}\n  - {name: a, port: 81, protocol: HTTP}\n'),
  ['8:5 spec.listeners[1]: is a duplicate of item 0: {"name":"a"}'],
);

test(
  'rules reach fields whose names are words of CEL',
  rejects,
  `${routeWith('  - {}\n')}  parentRefs: [{name: a, namespace: x}, {name: a, namespace: x}]\n`,
  [/^7:3 spec\.parentRefs: sectionName must be unique when parentRefs includes 2 or more references/],
);

test('rules may compare durations', rejects, routeWith('  - timeouts: {request: 1s, backendRequest: 2s}\n'), [
  '6:5 spec.rules[0].timeouts: backendRequest timeout cannot be longer than request timeout',
]);

test('names are checked as the API server does', rejects, classWith('a.example/b').replace('name: c', 'name: C_'), [
  /^3:12 metadata\.name: "C_" does not match /,
]);

test('metadata has known fields only', rejects, classWith('a.example/b').replace('name: c', 'name: c, label: {}'), [
  '3:21 metadata.label: unknown field "label"; did you mean "labels"?',
]);

test(
  'a cluster-scoped kind has no namespace',
  rejects,
  classWith('a.example/b').replace('name: c', 'name: c, namespace: x'),
  ['3:21 metadata.namespace: GatewayClass has no namespace'],
);

test('a transition rule compares with the object before', async (t) => {
  const { object: old } = await judge(classWith('a.example/b'));
  t.deepEqual((await judge(classWith('a.example/b'), old)).complaints, []);
  t.deepEqual((await judge(classWith('a.example/other'), old)).complaints, [
    '4:8 spec.controllerName: field is immutable',
  ]);
});

test(
  'a Service gets its defaults',
  accepts,
  'apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\n',
  {
    metadata: { namespace: 'default' },
    spec: { type: 'ClusterIP', ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }] },
  },
);

test(
  'ports of a Service are distinguished',
  rejects,
  'apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec:\n  ports:\n  - {port: 80}\n  - {name: b, port: 80}\n',
  ['6:5 spec.ports[0].name: is required when there are several ports', '7:5 spec.ports[1]: port 80/TCP is there twice'],
);

test(
  'addresses of an EndpointSlice are of its type',
  rejects,
  'apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: s}\naddressType: IPv4\nendpoints:\n- addresses: [10.0.0.1]\n- addresses: ["::1"]\n',
  ['7:15 endpoints[1].addresses[0]: "::1" is not an IPv4 address'],
);

test(
  'plain text of a Secret is encoded',
  accepts,
  'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {ca.crt: hello}\ndata: {tls.crt: eA==}\n',
  {
    type: 'Opaque',
    data: { 'ca.crt': 'aGVsbG8=', 'tls.crt': 'eA==' },
  },
);

test(
  'a Secret is base64, and a TLS one is whole',
  rejects,
  'apiVersion: v1\nkind: Secret\ntype: kubernetes.io/tls\nmetadata: {name: s}\ndata: {tls.crt: "not base64!"}\n',
  ['5:8 data.tls.crt: is not base64 (use stringData for plain text)'],
);

test(
  'a TLS Secret needs both parts',
  rejects,
  'apiVersion: v1\nkind: Secret\ntype: kubernetes.io/tls\nmetadata: {name: s}\ndata: {tls.crt: eA==}\n',
  ['5:1 data.tls.key: is required in a kubernetes.io/tls Secret'],
);

test('no message shows what is in a Secret', async (t) => {
  const { complaints } = await judge(
    'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {tls.key: "hunter2!"}\nstringData: {a: [hunter2]}\n',
  );
  t.is(complaints.length, 2);
  t.notRegex(complaints.join(), /hunter2/);
});

test('objects of a List are judged one by one, with their places', async (t) => {
  const text = `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: a}\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: B}\n`;
  const { manifests } = parseManifests(text);
  t.is(manifests.length, 2);
  const verdict = (await validator).validate(manifests[1]?.value);
  t.is(verdict.result, 'invalid');
  t.deepEqual(manifests[1]?.locate(['metadata', 'name']), { line: 9, column: 14 });
});

test('anchors, aliases and merge keys are resolved; a bomb of aliases is not', (t) => {
  const { manifests } = parseManifests('a: &x {name: one}\nb: {<<: *x, more: 1}\n');
  t.deepEqual(manifests[0]?.value, { a: { name: 'one' }, b: { name: 'one', more: 1 } });
  const layers = Array.from(
    { length: 20 },
    (_, level) => `a${level + 1}: &a${level + 1} [${Array(9).fill(`*a${level}`).join(', ')}]`,
  );
  const bomb = parseManifests(`a0: &a0 [x]\n${layers.join('\n')}\n`);
  t.deepEqual(bomb.manifests, []);
  t.regex(String(bomb.errors[0]?.message), /alias/i);
});

test('every kind that is read unless it is switched on can be judged', async (t) => {
  t.deepEqual((await validator).kinds, kindsRead());
});

test('definitions in JSON judge as those in YAML do', async (t) => {
  const [yaml, json] = [
    await ObjectValidator.load([crdDir('experimental'), inferenceCrdDir()]),
    await ObjectValidator.load([jsonCrdDir()]),
  ];
  const known = yaml.kinds.filter((kind) => yaml.schemaOf(kind) !== undefined);
  t.true(known.length >= 10);
  for (const kind of json.kinds) t.deepEqual(json.schemaOf(kind), yaml.schemaOf(kind), kind.name);
});

test('a kind that is defined and not read is ignored with a word', async (t) => {
  const read = Object.values(kinds).filter(({ name }) => name !== 'ListenerSet');
  const partial = await ObjectValidator.load([crdDir('standard')], read);
  const verdict = partial.validate({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'ListenerSet',
    metadata: { name: 'x' },
  });
  t.is(verdict.result, 'ignored');
  t.deepEqual('causes' in verdict && verdict.causes.map(({ message }) => message), [
    'ListenerSet is not supported and is ignored',
  ]);
});
