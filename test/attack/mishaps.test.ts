import anyTest, { type TestFn } from 'ava';
import { kindModules } from '../../src/controllers/index.ts';
import { requestHeaderModifier } from '../../src/graph/filters/header-modifier/header-modifier.ts';
import { endings } from '../support/endings.ts';
import { type CountingBackend, send, serviceObjects, startBackend } from '../support/http.ts';
import { request } from '../support/request.ts';
import { isCurrent, type Standalone, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

// A tenant who has found objects over which code of the control plane throws: here code that is made to, for none is known.

interface World {
  readonly gateway: Standalone;
  readonly backend: CountingBackend;
  /** Whether the code throws. */
  readonly trap: { isSet: boolean };
  /** Of the tenant, with their endpoints. */
  readonly services: readonly object[];
}

const test = anyTest as TestFn<World>;
const all = endings(test);
const group = 'gateway.networking.k8s.io';
const api = { apiVersion: `${group}/v1` };
const metadata = (name: string) => ({ name, namespace: 'tenant' });

/** Throws over what is of the tenant, while the trap is set. */
function breakCode(trap: World['trap']): void {
  const spoil = <K extends string, F extends (...given: never[]) => unknown>(
    owner: { readonly [name in K]: F },
    name: K,
    met: RegExp,
  ) => {
    const code = owner[name];
    const throwing = (...given: Parameters<F>) => {
      if (trap.isSet && met.test(JSON.stringify(given[0]))) throw new Error('a secret of the tenant');
      return code(...given);
    };
    Object.assign(owner, { [name]: throwing });
    all.teardown(() => void Object.assign(owner, { [name]: code }));
  };
  // Their first parameters are an owner's key, a rule's owner, and a filter.
  spoil(kindModules.BackendPolicy.backends as never, 'settingOf' as never, /tenant.tuned/);
  spoil(kindModules.AccessPolicy.routes as never, 'settingOf' as never, /tenant.guarded/);
  spoil(requestHeaderModifier as never, 'resolve' as never, /x-tenant/);
}

const route = (name: string, namespace: string, rules: readonly object[]) => ({
  ...api,
  kind: 'HTTPRoute',
  metadata: { name, namespace },
  spec: { parentRefs: [{ name: 'edge', namespace: 'default' }], hostnames: [`${name}.test`], rules },
});
const path = (value: string) => ({ matches: [{ path: { type: 'PathPrefix', value } }] });
const to = (name: string) => ({ backendRefs: [{ name, port: 80 }] });

/** `value`: anything that makes another object of each. */
const hostile = (value: number) => [
  route('filtered', 'tenant', [
    {
      ...path('/filtered'),
      filters: [
        { type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'x-tenant', value: `${value}` }] } },
      ],
      ...to('plain'),
    },
    { ...path('/plain'), ...to('plain') },
  ]),
  route('guarded', 'tenant', [to('plain')]),
  route('tuned', 'tenant', [to('tuned')]),
  {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: metadata('guarded'),
    spec: { targetRefs: [{ group, kind: 'HTTPRoute', name: 'guarded' }], clientIPs: { deny: [`192.0.2.${value}/32`] } },
  },
  {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'BackendPolicy',
    metadata: metadata('tuned'),
    spec: { targetRefs: [{ group: '', kind: 'Service', name: 'tuned' }], timeouts: { connect: `${value}s` } },
  },
];

test.before(async (t) => {
  t.timeout(600_000);
  const trap = { isSet: true };
  breakCode(trap);
  const backend = await startBackend(all);
  const gateway = await startStandalone();
  all.teardown(() => gateway.stop());
  const [gatewayClass, edge] = gateway.gatewayObjects as [object, { spec: { listeners: [object] } }];
  const listeners = edge.spec.listeners.map((listener) => ({
    ...listener,
    allowedRoutes: { namespaces: { from: 'All' } },
  }));
  gateway.write('gateway.yaml', gatewayClass, { ...edge, spec: { ...edge.spec, listeners } });
  gateway.write('others.yaml', ...serviceObjects('web', [backend.port]), route('well', 'default', [to('web')]));
  const services = ['plain', 'tuned'].flatMap((name) => serviceObjects(name, [backend.port]));
  const ofTenant = services.map((object) => {
    const each = object as { readonly metadata: object };
    return { ...each, metadata: { ...each.metadata, namespace: 'tenant' } };
  });
  t.context = { gateway, backend, trap, services: ofTenant };
  await untilAnswers(t.context, 'well.test', '/', 200);
  gateway.write('tenant.yaml', ...ofTenant, ...hostile(4));
  await untilAnswers(t.context, 'filtered.test', '/plain', 200);
  await until('all of it to be sent', () => isCurrent(gateway));
});

const ask = async ({ gateway }: World, host: string, path = '/') => (await send(gateway.port, { host, path })).status;
const untilAnswers = (world: World, host: string, path: string, status: number) =>
  untilFits(
    `${host}${path}`,
    () => ask(world, host, path),
    (answer) => answer === status,
  );

async function problems({ gateway }: World): Promise<string[]> {
  const { body } = await gateway.json(gateway.control.ports.layout1, '/v1/problems');
  const { items } = body as {
    readonly items: readonly { code: string; message: string; object: { kind: string; name: string } }[];
  };
  return items
    .filter(({ code }) => code === 'object_unresolved')
    .map(({ object }) => `${object.kind} ${object.name}`)
    .sort();
}

async function unresolved({ gateway }: World): Promise<number> {
  const text = await (await request(`http://127.0.0.1:${gateway.control.ports.metrics}/metrics`)).text();
  return Number(/^gatewright_objects_unresolved (\d+)$/m.exec(text)?.[1]);
}

const blamed = ['AccessPolicy guarded', 'BackendPolicy tuned', 'HTTPRoute filtered'];

test.serial(
  'objects of a tenant over which the control plane stumbles cost that tenant alone: others are served and changed',
  async (t) => {
    const world = t.context;
    t.is(await ask(world, 'well.test'), 200);
    world.gateway.write('more.yaml', route('later', 'default', [to('web')]));
    await untilAnswers(world, 'later.test', '/', 200);
    const text = await (await request(`http://127.0.0.1:${world.gateway.control.ports.metrics}/metrics`)).text();
    t.regex(text, /^gatewright_gateway_snapshot_build_failures_total 0$/m);
  },
);

test.serial(
  'what an exception leaves unknown is closed, and lets no request in that a policy could deny',
  async (t) => {
    const world = t.context;
    const before = world.backend.requests.length;
    t.is(await ask(world, 'filtered.test', '/filtered'), 500);
    t.is(await ask(world, 'guarded.test'), 500);
    t.is(await ask(world, 'tuned.test'), 503);
    t.is(world.backend.requests.length, before);
    t.is(await ask(world, 'filtered.test', '/plain'), 200, 'the rule beside it');
  },
);

test.serial(
  'an exception is said of its object, in a metric, and in the log once; what it says is nowhere else',
  async (t) => {
    const world = t.context;
    t.deepEqual(await problems(world), blamed);
    t.is(await unresolved(world), 3);
    const { graph } = world.gateway.control;
    for (const [kind, name] of [
      ['AccessPolicy', 'guarded'],
      ['BackendPolicy', 'tuned'],
      ['HTTPRoute', 'filtered'],
    ] as const) {
      const status = JSON.stringify(graph.statusOf(kind, `tenant/${name}`));
      t.regex(status, /InternalError/);
      t.notRegex(status, /a secret of/);
      const lines = world.gateway.log.filter(
        ({ msg, object, level }) =>
          String(msg).startsWith('failed to resolve an object') && object === `tenant/${name}` && level === 'error',
      );
      t.is(lines.length, 1, name);
    }
    const { body } = await world.gateway.json(world.gateway.control.ports.layout1, '/v1/problems');
    t.notRegex(JSON.stringify(body), /a secret of/);
  },
);

test.serial('objects are served as soon as they are resolved', async (t) => {
  const world = t.context;
  world.trap.isSet = false;
  world.gateway.write('tenant.yaml', ...world.services, ...hostile(5));
  for (const [host, path] of [
    ['filtered.test', '/filtered'],
    ['guarded.test', '/'],
    ['tuned.test', '/'],
  ] as const)
    await untilAnswers(world, host, path, 200);
  t.deepEqual(await problems(world), []);
  t.is(await unresolved(world), 0);
});
