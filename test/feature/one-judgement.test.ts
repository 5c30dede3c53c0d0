import test from 'ava';
import { stringify } from 'yaml';
import { runTool } from '../../src/addons/chatbot/index.ts';
import { DirectoryResourceStore } from '../../src/admin/index.ts';
import { logStatus } from '../../src/app/run/log-status.ts';
import { isAccepted, translationText } from '../../src/cli/translate/translate.ts';
import { type KubernetesObject, keyOf, kinds } from '../../src/gateway-api/index.ts';
import { preview } from '../../src/offline/preview/index.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import { startAdmin, type TestAdmin } from '../support/admin.ts';
import { testCertificates } from '../support/certificates.ts';
import { runCommand } from '../support/command.ts';
import {
  controllerName,
  dataPlane,
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  secret,
  service,
} from '../support/objects.ts';
import { DirectoryHarness, validator } from '../unit/sources/directory-harness.ts';

/*
 * Whether a condition is bad is one question, and every place that answers it gives the same answer for the same objects.
 */

const backendRefs = [{ name: 'web', port: 80 }];
const path = (type: 'PathPrefix' | 'RegularExpression', value: string) => [{ path: { type, value } }];
const lookahead = { matches: path('RegularExpression', '/a(?=b)'), backendRefs };

/** Of each severity one route. `text` is what every place that gives reasons has in its words. */
const routes = [
  { severity: 'none', route: httpRoute('good', { hostnames: ['good.test'] }), text: /(?!)/ },
  {
    severity: 'error',
    route: httpRoute('lost', { parentRefs: [{ name: 'edge', sectionName: 'nowhere' }] }),
    text: /NoMatchingParent/,
  },
  { severity: 'error', route: httpRoute('dropped', { rules: [lookahead] }), text: /UnsupportedValue/ },
  {
    severity: 'degraded',
    route: httpRoute('half', { rules: [lookahead, { matches: path('PathPrefix', '/ok'), backendRefs }] }),
    text: /UnsupportedValue.*Dropped Rule/,
  },
  {
    severity: 'degraded',
    route: httpRoute('unresolved', { rules: [{ backendRefs: [{ name: 'nowhere', port: 80 }] }] }),
    text: /BackendNotFound/,
  },
] as const;

const [certificate] = testCertificates;
const tls = { certificateRefs: [{ name: 'cert' }] };

/** Two of its listeners have hosts in common, which is an advisory. */
const overlapping = gateway('edge', [
  { name: 'wide', port: 443, protocol: 'HTTPS', hostname: '*.overlap.test', tls },
  { name: 'narrow', port: 443, protocol: 'HTTPS', hostname: 'a.overlap.test', tls },
]);

const around: readonly KubernetesObject[] = [
  gatewayClass(),
  gateway('edge'),
  secret('cert', { 'tls.crt': certificate.certificate, 'tls.key': certificate.key }),
  service('web'),
  endpointSlice('web', ['10.0.0.1']),
];

/** An admin API over these objects, with the Gateway served. */
async function startWorld(
  onEnd: (end: () => Promise<void>) => void,
  objects: readonly KubernetesObject[],
): Promise<TestAdmin> {
  const harness = await DirectoryHarness.create();
  onEnd(() => harness[Symbol.asyncDispose]());
  await harness.start();
  const resources = new DirectoryResourceStore({ source: { live: harness.live() }, validator: await validator });
  const admin = await startAdmin(undefined, { resources });
  onEnd(() => admin.close());
  admin.build(...([...around, ...objects] as never[]));
  const { graph } = admin;
  graph.acknowledge('default/edge', graph.snapshot()!.gateways.get('default/edge')!.listenersDigest);
  graph.setDataPlane('default/edge', {
    addresses: [{ type: 'IPAddress', value: '127.0.0.1' }],
    message: '',
  } as never);
  admin.build();
  return admin;
}

const askIn = (admin: TestAdmin) => async (question: { method: string; path: string; body?: unknown }) => {
  const body = question.body === undefined ? {} : { body: question.body as string };
  const headers = { 'Content-Type': 'application/yaml' };
  const response = await admin.layout1(question.path, { method: question.method, headers, ...body });
  return { status: response.status, body: await response.json() };
};

const toolText = async (admin: TestAdmin, name: string, input: object): Promise<string> =>
  (await runTool(name, input, askIn(admin) as never, AbortSignal.timeout(240_000))).text;

const json = async <T>(admin: TestAdmin, at: string): Promise<T> => (await (await admin.layout1(at)).json()) as T;

const statusCommand = (admin: TestAdmin) =>
  runCommand(['status'], { GATEWRIGHT_SERVER: `http://127.0.0.1:${admin.ports.layout1}` });

/** What is said of statuses in the log of a gateway without a cluster. */
function logged(admin: TestAdmin, ...objects: readonly KubernetesObject[]): readonly Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const log = logStatus(
    createLogger({ level: 'info', destination: { write: (line) => lines.push(JSON.parse(line)) } }),
  );
  for (const object of objects) {
    const kind = object.kind as 'HTTPRoute';
    log.setDesired({ kind, key: keyOf(object), status: admin.graph.statusOf(kind, keyOf(object)) } as never);
  }
  return lines;
}

/** The commands say all of all routes at once. */
const outputs = new WeakMap<TestAdmin, Map<string, Promise<string>>>();

function outputOf(admin: TestAdmin, ...args: readonly string[]): Promise<string> {
  const known = outputs.get(admin) ?? new Map<string, Promise<string>>();
  outputs.set(admin, known);
  const env = { GATEWRIGHT_SERVER: `http://127.0.0.1:${admin.ports.layout1}` };
  const output = known.get(args.join(' ')) ?? runCommand(args, env).then(({ stdout }) => stdout);
  known.set(args.join(' '), output);
  return output;
}

/** Every place that says of a route what is wrong with it: its words, or none. */
const places: Readonly<Record<string, (admin: TestAdmin, route: KubernetesObject) => Promise<string> | string>> = {
  'gatewright status': async (admin, { metadata: { name } }) =>
    (await outputOf(admin, 'status')).match(new RegExp(`^HTTPRoute default/${name}: .*$`, 'm'))?.[0] ?? '',
  'gatewright get': async (admin, { metadata: { name } }) => {
    const output = await outputOf(admin, 'get', 'routes');
    const [, message = ''] = output.match(new RegExp(`^HTTPRoute +default +${name} .* {2,}(\\S.*)$`, 'm')) ?? [];
    return message === '-' ? '' : message;
  },
  'gatewright translate': (_admin, route) => {
    const events = [...around, route].map((object) => ({ kind: kinds[object.kind as 'HTTPRoute'], object }));
    const previewed = preview(events as never, { controllerName, now: new Date(0) });
    const own = previewed.statuses.filter(({ kind }) => kind === 'HTTPRoute');
    return own.every(isAccepted) ? '' : translationText({ ...previewed, statuses: own }, { to: 'status' });
  },
  'the log': (admin, route) => {
    const [line] = logged(admin, route);
    return line?.level === 'warn' ? String(line.msg) : '';
  },
  'the tool list_problems': async (admin, { metadata: { name } }) => {
    const { problems } = JSON.parse(await toolText(admin, 'list_problems', {})) as {
      problems: { what: string; why: string }[];
    };
    return problems
      .filter(({ what }) => what === `HTTPRoute default/${name}`)
      .map(({ why }) => why)
      .join();
  },
  'the tool diagnose': async (admin, { metadata: { name } }) => {
    const { faults } = JSON.parse(await toolText(admin, 'diagnose', { kind: 'HTTPRoute', name })) as {
      faults: object[];
    };
    return faults.length === 0 ? '' : JSON.stringify(faults);
  },
  'the tool list_routes': async (admin, { metadata: { name } }) => {
    const { entries } = JSON.parse(await toolText(admin, 'list_routes', { name })) as {
      entries: { faults: object[] }[];
    };
    const faults = entries.flatMap((entry) => entry.faults);
    return faults.length === 0 ? '' : JSON.stringify(faults);
  },
};

/** Every place that has a word for how bad it is. */
const levels: Readonly<Record<string, (admin: TestAdmin, route: KubernetesObject) => Promise<string>>> = {
  '/v1/topology': async (admin, { metadata: { name } }) => {
    const { nodes } = await json<{ nodes: { id: string; status: string }[] }>(admin, '/v1/topology');
    const { status } = nodes.find(({ id }) => id === `route/httproute/default/${name}`) ?? {};
    return { healthy: 'none', degraded: 'degraded', failed: 'error' }[status ?? ''] ?? `${status}`;
  },
  '/v1/summary': async (admin) => {
    const { warnings } = await json<{ warnings: { code: string }[] }>(admin, '/v1/summary');
    const codes = warnings.map(({ code }) => code);
    if (codes.includes('route_not_accepted')) return 'error';
    return codes.includes('route_degraded') ? 'degraded' : 'none';
  },
};

/** With all routes, for places that distinguish them. */
let all: TestAdmin;
const ends: (() => Promise<void>)[] = [];
test.before(async () => {
  all = await startWorld(
    (end) => ends.push(end),
    routes.map(({ route }) => route),
  );
});
test.after.always(async () => {
  for (const end of ends.reverse()) await end();
});

for (const { severity, route, text } of routes) {
  const { name } = route.metadata;

  for (const [place, ask] of Object.entries(places))
    test(`${place}: of a route ${name}, severity ${severity}`, async (t) => {
      const said = await ask(all, route);
      if (severity === 'none') t.is(said, '');
      else t.regex(said, place === 'gatewright get' ? /\w+/ : text);
    });

  for (const [place, ask] of Object.entries(levels))
    test(`${place}: of a route ${name}, severity ${severity}`, async (t) => {
      t.is(await ask(await startWorld(t.teardown, [route]), route), severity);
    });

  test(`/v1/validate and the tool validate_manifest: of a route ${name}, severity ${severity}`, async (t) => {
    const { uid: _, generation: __, creationTimestamp: ___, ...metadata } = route.metadata;
    const admin = await startWorld(t.teardown, []);
    const yaml = stringify({ ...route, metadata });
    const headers = { 'Content-Type': 'application/yaml' };
    const answer = await admin.layout1('/v1/validate', { method: 'POST', headers, body: yaml });
    const report = (await answer.json()) as { valid: boolean; errors: string[]; warnings: string[] };
    const [errors, warnings] = [report.errors.join(), report.warnings.join()];
    t.is(report.valid, errors === '');
    // Of a proposal, a reference that does not resolve is an error.
    const isError = severity === 'error' || name === 'unresolved';
    t.is(errors !== '', isError, errors);
    t.is(warnings !== '', severity === 'degraded' && !isError, warnings);
    if (severity !== 'none') t.regex(errors + warnings, text);
    const tool = JSON.parse(await toolText(admin, 'validate_manifest', { yaml })) as typeof report;
    t.like(tool, { valid: report.valid, errors: report.errors, warnings: report.warnings });
  });
}

for (const [name, valid] of [
  ['small', true],
  ['nowhere', false],
] as const)
  test(`/v1/validate judges a Gateway with its parameters: the DataPlane ${name}, valid ${valid}`, async (t) => {
    const proposed = gateway('own', [{ name: 'http', port: 8080, protocol: 'HTTP' }], {
      infrastructure: { parametersRef: { group: 'gatewright.dev', kind: 'DataPlane', name } },
    });
    const { uid: _, generation: __, creationTimestamp: ___, ...metadata } = proposed.metadata;
    const admin = await startWorld(t.teardown, [dataPlane('small', {})]);
    const headers = { 'Content-Type': 'application/yaml' };
    const body = stringify({ ...proposed, metadata });
    const answer = await admin.layout1('/v1/validate', { method: 'POST', headers, body });
    const report = (await answer.json()) as { valid: boolean; errors: string[] };
    t.is(report.valid, valid, report.errors.join());
    if (!valid) t.regex(report.errors.join(), /InvalidParameters/);
  });

test('gatewright status ends with 1 for a route with a dropped rule, and with 0 for a good one', async (t) => {
  const good = await startWorld(t.teardown, [routes[0].route]);
  t.is((await statusCommand(good)).code, 0);
  const half = await startWorld(t.teardown, [routes[3].route]);
  const { code, stdout } = await statusCommand(half);
  t.is(code, 1);
  t.false(stdout.includes('nothing is wrong'));
});

test('an advisory is known to those who look, and is a problem to none', async (t) => {
  const admin = await startWorld(t.teardown, [overlapping]);
  const { stdout } = await statusCommand(admin);
  t.regex(stdout, /\n\ncertificate default\/cert: [^\n]*\n$/); // tests have none that is good for long
  const { readyListenerCount, warnings } = await json<{ readyListenerCount: number; warnings: { code: string }[] }>(
    admin,
    '/v1/summary',
  );
  t.is(readyListenerCount, 2);
  t.deepEqual(warnings, []);
  const { nodes } = await json<{ nodes: { status: string }[] }>(admin, '/v1/topology?type=listener');
  t.deepEqual(
    nodes.map(({ status }) => status),
    ['healthy', 'healthy'],
  );
  t.deepEqual(
    logged(admin, overlapping).filter(({ level }) => level !== 'info'),
    [],
  );
  t.regex(await toolText(admin, 'diagnose', { kind: 'Gateway', name: 'edge' }), /OverlappingTLSConfig/);
  const objects = around.map((object) => (object.kind === 'Gateway' ? overlapping : object));
  const events = objects.map((object) => ({ kind: kinds[object.kind as 'Gateway'], object }));
  const previewed = preview(events as never, { controllerName, now: new Date(0) });
  t.true(previewed.statuses.every(isAccepted));
  t.regex(translationText(previewed, { to: 'status' }), /OverlappingHostnames/);
});
