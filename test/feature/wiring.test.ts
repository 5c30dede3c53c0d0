import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import {
  buildCore,
  type Connected,
  type Core,
  connect,
  createMetrics,
  type StatusSink,
} from '../../src/app/control-plane/index.ts';
import { buildStatusWriter, statusSinkOf } from '../../src/app/operator/build-status-writer.ts';
import { resumeWriting } from '../../src/app/operator/resume-writing.ts';
import { configSchema } from '../../src/config/index.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import type { Condition, Status } from '../../src/gateway-api/index.ts';
import { HandClock } from '../support/hand-clock.ts';
import { logLines } from '../support/log-lines.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, service } from '../support/objects.ts';
import { TestProxy, TestSource, testProxies } from '../support/replica.ts';
import { until } from '../support/until.ts';

// What is looked at here are the connections between parts: each part has tests of its own.

interface Wired {
  readonly core: Core;
  readonly connected: Connected;
  readonly source: TestSource;
  readonly clock: HandClock;
}

interface WiredOptions {
  /** Where desired statuses go. */
  readonly statuses: (core: Core) => StatusSink;
}

/** The core of a control plane, connected to edges in memory: a source that the test feeds, a clock that the test moves. */
function wired(t: ExecutionContext, { statuses }: WiredOptions): Wired {
  const clock = new HandClock();
  const core = buildCore({
    config: configSchema.parse({ xds: { listen: '127.0.0.1:0', insecure: true } }),
    logger: logLines().logger,
    version: 'test',
    metrics: createMetrics({ process: false }),
    definitions: () => [],
    bind: (_gateway, port) => ({ address: '127.0.0.1', port }),
    clock,
  });
  const connected = connect(core, { proxies: testProxies(core), statuses: statuses(core) });
  const source = new TestSource();
  source.put(gatewayClass());
  const ended = new AbortController();
  void source.run(connected.controllers, ended.signal);
  connected.replicas.start();
  t.teardown(async () => {
    connected.builder.stop();
    connected.electorate.stop();
    ended.abort();
    await Promise.all([core.xds.close(), connected.replicas.stop()]);
  });
  return { core, connected, source, clock };
}

/** Remembers what is desired, by kind and key. */
function remembering(): { readonly statuses: Map<string, Status | undefined>; readonly sink: StatusSink } {
  const statuses = new Map<string, Status | undefined>();
  const sink: StatusSink = { setDesired: ({ kind, key, status }) => void statuses.set(`${kind} ${key}`, status) };
  return { statuses, sink };
}

const conditionOf = (status: Status | undefined, type: string): Condition | undefined =>
  status && 'parents' in status ? status.parents[0]?.conditions.find((each) => each.type === type) : undefined;

/** The value of a series, whose name and labels are as they are scraped. */
async function sample({ core }: Wired, series: string): Promise<number> {
  const line = (await core.metrics.text()).split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.split(' ').at(-1));
}

test('an event is counted, built, published and counted again', async (t) => {
  const { sink } = remembering();
  const world = wired(t, { statuses: () => sink });
  const { source, connected } = world;
  await until('the first build', () => connected.progress.isPublished);
  t.is(await sample(world, 'gatewright_published_total'), 1);
  const builds = await sample(world, 'gatewright_builds_total');
  const events = await sample(world, 'gatewright_reconcile_events_total{kind="HTTPRoute"}');
  source.put(gateway('edge'));
  source.put(service('web'));
  source.put(endpointSlice('web', ['10.0.0.1']));
  source.put(httpRoute('web'));
  await connected.builder.settled();
  t.true((await sample(world, 'gatewright_builds_total')) > builds);
  t.true((await sample(world, 'gatewright_published_total')) > 1);
  t.is(await sample(world, 'gatewright_reconcile_events_total{kind="HTTPRoute"}'), (events || 0) + 1);
  t.is(await sample(world, 'gatewright_input_objects{kind="HTTPRoute"}'), 1);
  t.true((await sample(world, 'gatewright_snapshot_resources{type="Cluster"}')) >= 1);
});

test('what the only proxy rejects is held, the status says it, and it is released when the proxy stays away', async (t) => {
  const { statuses, sink } = remembering();
  const { core, connected, source, clock } = wired(t, { statuses: () => sink });
  const accepted = () => conditionOf(statuses.get('HTTPRoute default/bad'), 'Accepted');
  const port = await core.xds.listen('127.0.0.1:0');
  const proxy = new TestProxy(
    t,
    { control: { ports: { xds: port } } },
    {
      nodeId: 'edge-1',
      types: [typeUrls.listener, typeUrls.cluster, typeUrls.scopedRoute],
      rejects: (_type, names) =>
        names.some((name) => name.includes('bad.test')) ? 'bad.test: no such regex' : undefined,
    },
  );
  for (const object of [gateway('edge'), service('web'), endpointSlice('web', ['10.0.0.1'])]) source.put(object);
  source.put(httpRoute('good', { hostnames: ['good.test'] }));
  source.put(httpRoute('bad', { hostnames: ['bad.test'] }));
  const held = await until('the status', () => accepted()?.status === 'False' && accepted());
  t.regex(held.message, /no such regex/);
  t.is(conditionOf(statuses.get('HTTPRoute default/good'), 'Accepted')?.status, 'True');
  await proxy.close();
  await until('the end of its stream', () => core.nodes.list().every(({ connected: isConnected }) => !isConnected));
  await connected.builder.settled();
  t.is(accepted()?.status, 'False', 'it may be back in a moment');
  clock.move(10_000);
  await until('the release', () => accepted()?.status === 'True');
});

test('a replica writes statuses from when it leads, and then what was desired before', async (t) => {
  const gained = new Set<() => void>();
  let isLeader = false;
  const leadership = { isLeader: () => isLeader, onGained: (listener: () => void) => void gained.add(listener) };
  const written: string[] = [];
  const applied: string[] = [];
  const { source, connected } = wired(t, {
    statuses: (core) => {
      const writing = {
        find: async (kind: { readonly name: string }, { namespace, name }: { namespace: string; name: string }) =>
          core.graph.find(kind.name as 'Gateway', `${namespace}/${name}`),
        patchStatus: async (kind: { readonly name: string }, { name }: { readonly name: string }) => {
          written.push(`${kind.name} ${name}`);
          return { metadata: { name } };
        },
      };
      const writer = buildStatusWriter(core, { writing: writing as never, leadership });
      t.teardown(() => writer.stop());
      const infrastructure = { resume: () => void applied.push('resumed'), reapply() {} };
      resumeWriting({ leadership, identity: undefined }, { writer, infrastructure });
      return statusSinkOf(writer);
    },
  });
  source.put(gateway('edge'));
  await until('the first build', () => connected.progress.isPublished);
  await connected.builder.settled();
  await turn();
  t.deepEqual([written, applied], [[], []]);
  isLeader = true;
  for (const listener of gained) listener();
  await until('the write', () => written.includes('Gateway edge'));
  t.deepEqual(applied, ['resumed']);
});
