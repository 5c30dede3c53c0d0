import { fromJson, toJson } from '@bufbuild/protobuf';
import test from 'ava';
import { pino } from 'pino';
import type { Clock } from '../../../src/agent/clock.ts';
import { envoyArguments } from '../../../src/agent/envoy/arguments.ts';
import { bootstrapJson } from '../../../src/agent/envoy/bootstrap.ts';
import { dieWithParent } from '../../../src/agent/envoy/die-with-parent.ts';
import { drain } from '../../../src/agent/envoy/drain.ts';
import type { ActiveWork } from '../../../src/agent/envoy/envoy-admin.ts';
import { parseEnvoyLogLine } from '../../../src/agent/envoy/log-line.ts';
import { defaultMaxHeapBytes } from '../../../src/agent/envoy/overload.ts';
import { type FaultFacts, faultsOf, notReadyReason } from '../../../src/agent/faults.ts';
import { BootstrapSchema, registry } from '../../../src/envoy/index.ts';

const logger = pino({ level: 'silent' });

test("Envoy's log lines become ours", (t) => {
  t.deepEqual(parseEnvoyLogLine('[warning][config] a [b] c'), {
    level: 'warn',
    component: 'config',
    message: 'a [b] c',
  });
  t.deepEqual(parseEnvoyLogLine('[critical][assert] x'), { level: 'fatal', component: 'assert', message: 'x' });
  t.is(parseEnvoyLogLine('the rest of a message'), undefined);
  t.is(parseEnvoyLogLine('[unknown][config] x'), undefined);
});

test("Envoy's command line", (t) => {
  const args = envoyArguments({
    configPath: '/w/envoy.json',
    logLevel: 'info',
    drainTimeMs: 1500,
    concurrency: 2,
    succession: ['--disable-hot-restart'],
    extra: ['--x'],
  });
  t.is(args.join(' ').includes('--drain-time-s 2'), true);
  t.is(args.join(' ').includes('--concurrency 2'), true);
  t.is(args.at(-1), '--x');
});

const options = {
  nodeId: 'n',
  cluster: 'a/b',
  version: '1.2.3',
  xdsSocket: '/w/xds.sock',
  askSocket: '/w/ask.sock',
  limitSocket: '/w/lim.sock',
  sessionSocket: '/w/sess.sock',
  passwordSocket: '/w/pass.sock',
  adminSocket: '/w/admin.sock',
  nameServer: { address: '127.0.0.1', port: 5353 },
  maxHeapBytes: 1_000_000_000,
  maxConnections: 7,
};

for (const more of [{}, { zone: 'z', adminPort: 8082 }]) {
  test(`the bootstrap is one by Envoy's own types, with ${JSON.stringify(more)} too`, (t) => {
    const json = JSON.parse(bootstrapJson({ ...options, ...more }));
    // Rejects fields and values that the types do not have.
    const message = fromJson(BootstrapSchema, json, { registry });
    const again = toJson(BootstrapSchema, message, { registry, useProtoFieldName: true }) as object;
    t.deepEqual(Object.keys(again).sort(), Object.keys(json).sort());
  });
}

test('the bootstrap names node, sockets and limits', (t) => {
  const json = JSON.parse(bootstrapJson(options));
  t.deepEqual(json.node, { id: 'n', cluster: 'a/b', metadata: { gatewright_version: '1.2.3' } });
  t.is(json.admin.address.pipe.path, '/w/admin.sock');
  t.is(json.dynamic_resources.ads_config.api_type, 'DELTA_GRPC');
  t.is(json.dynamic_resources.lds_config.initial_fetch_timeout, '0s');
  t.true(json.layered_runtime.layers[0].static_layer['re2.max_program_size.error_level'] >= 1000);
  const [heap, connections] = json.overload_manager.resource_monitors;
  t.is(heap.typed_config.max_heap_size_bytes, 1_000_000_000);
  t.is(connections.typed_config.max_active_downstream_connections, 7);
  t.true(defaultMaxHeapBytes() >= 128 * 1024 * 1024);
});

test('process 1 of a container needs no watcher', (t) => {
  t.deepEqual(dieWithParent('/envoy', ['-c', 'x'], 1), { path: '/envoy', args: ['-c', 'x'], watched: false });
  t.true(dieWithParent('/envoy', [], 2).watched);
});

test('readiness gives every reason at once, or none', (t) => {
  const fine: FaultFacts = {
    draining: false,
    pid: 1,
    lastEnd: undefined,
    quickEnds: 0,
    filesFault: undefined,
    state: 'LIVE',
    applied: true,
    listeners: [{ name: 'http/80', address: '0.0.0.0:80', protocol: 'HTTP', active: true }],
    listenerRejection: undefined,
    rejections: [],
    cacheFault: undefined,
    upgradeFault: undefined,
    duplicateNodeId: false,
    rejectedNames: [],
    geoFaults: [],
    unsupported: undefined,
  };
  const reasonOf = (facts: Partial<FaultFacts>) => notReadyReason(faultsOf({ ...fine, ...facts }));
  t.deepEqual(faultsOf(fine), []);
  t.is(reasonOf({ draining: true }), 'draining');
  t.is(reasonOf({ pid: undefined, lastEnd: 'ended by SIGKILL' }), 'Envoy is not running: ended by SIGKILL');
  t.is(reasonOf({ pid: undefined, filesFault: 'full' }), 'Envoy is not running: full');
  t.is(reasonOf({ state: undefined }), 'Envoy does not answer');
  const listeners = [{ name: 'http/80', address: '', protocol: 'HTTP', active: false }];
  const listenerRejection = { typeUrl: 't.Listener', message: 'no port', at: new Date(0), own: false };
  t.is(
    reasonOf({ applied: false, state: 'INITIALIZING', listeners, listenerRejection }),
    'no configuration is applied yet; Envoy is INITIALIZING; not bound: listener http/80: Envoy rejected: no port',
  );
  const warned = {
    ...fine,
    quickEnds: 3,
    cacheFault: 'full',
    duplicateNodeId: true,
    unsupported: 'older',
    rejections: [listenerRejection],
  };
  t.is(notReadyReason(faultsOf(warned)), undefined);
  t.deepEqual(
    faultsOf(warned).map(({ reason }) => reason),
    ['envoy_crash_loop', 'configuration_refused', 'configuration_not_kept', 'duplicate_node_id', 'envoy_not_supported'],
  );
});

/** A clock that moves only while a caller waits. */
function steppingClock(): Clock {
  let ms = 0;
  return {
    now: () => new Date(ms),
    delay: async (wait) => {
      ms += wait;
    },
  };
}

const drainOptions = {
  logger,
  drainTimeMs: 1000,
  minDrainTimeMs: 0,
  signal: new AbortController().signal,
  isGone: () => false,
};

/** Drains an Envoy whose work is `work`, one entry for each time it is asked; the last one stays. Gives the time spent. */
async function drained(work: readonly ActiveWork[], options: { drainTimeMs: number; minDrainTimeMs: number }) {
  const left = [...work];
  const clock = steppingClock();
  const admin = {
    failHealthCheck: async () => undefined,
    activeWork: async () => (left.length > 1 ? left.shift() : left[0]) as ActiveWork,
  };
  await drain({ ...drainOptions, admin, clock, ...options });
  return clock.now().getTime();
}

const busy = { connections: 1, requests: 1 };
const idle = { connections: 0, requests: 0 };

test('a drain ends when nothing is open, not before its least time, and not after its longest', async (t) => {
  t.is(await drained([idle], { drainTimeMs: 1000, minDrainTimeMs: 0 }), 0);
  t.is(await drained([busy, busy, idle], { drainTimeMs: 1000, minDrainTimeMs: 0 }), 200);
  t.is(await drained([idle], { drainTimeMs: 1000, minDrainTimeMs: 300 }), 300);
  t.is(await drained([busy], { drainTimeMs: 1000, minDrainTimeMs: 0 }), 1000);
});

test('an Envoy that does not answer is asked again, until the time is up or it is gone', async (t) => {
  const silent = () => Promise.reject(new Error('no answer'));
  const clock = steppingClock();
  let reportedTo = 0;
  const answers = [busy, undefined, busy, undefined, idle];
  const admin = {
    failHealthCheck: () => (++reportedTo === 1 ? silent() : Promise.resolve()),
    activeWork: () => {
      const work = answers.shift();
      return work ? Promise.resolve(work) : silent();
    },
  };
  await drain({ ...drainOptions, admin, clock });
  t.deepEqual([reportedTo, answers.length, clock.now().getTime()], [2, 0, 400]);
  const deaf = { failHealthCheck: silent, activeWork: silent };
  const later = steppingClock();
  await drain({ ...drainOptions, admin: deaf, clock: later });
  t.is(later.now().getTime(), drainOptions.drainTimeMs);
  const gone = steppingClock();
  await drain({ ...drainOptions, admin: deaf, clock: gone, isGone: () => gone.now().getTime() >= 200 });
  t.is(gone.now().getTime(), 200);
});
