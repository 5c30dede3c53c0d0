import test, { type ExecutionContext } from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { createAuthenticator } from '../../src/cluster/identity/index.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import { runCommand } from '../support/command.ts';
import { HostileClient, type HostileOptions, type Rejects } from '../support/hostile-client.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { endpointSlice } from '../support/objects.ts';
import { figures, RejectionWorld, route } from '../support/rejection-world.ts';
import { every, thorough } from '../support/repetitions.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';
import { serving, TestCertificates, testAuthority, trusting } from '../support/xds-tls.ts';

const { cluster, endpoint, listener, scopedRoute } = typeUrls;

const rejecting =
  (...types: readonly string[]): Rejects =>
  (typeUrl) =>
    types.includes(typeUrl) ? `No overload found for ${typeUrl}` : undefined;

/** Both Gateways with a healthy Envoy each. */
async function served(t: ExecutionContext, replicas = 1): Promise<RejectionWorld> {
  t.timeout(300_000);
  const world = await RejectionWorld.start(t, { replicas });
  await world.startEnvoy('healthy-edge', 'edge');
  await world.startEnvoy('healthy-other', 'other', replicas - 1);
  await world.serves('edge');
  await world.serves('other');
  await programmed(world);
  return world;
}

const programmed = (world: RejectionWorld) =>
  until('the Gateways to be programmed', () =>
    world.replicas.every((_, index) =>
      ['edge', 'other'].every((name) => world.condition('Gateway', name, 'Programmed', index)?.status === 'True'),
    ),
  );

/** What it takes from others: failed requests, conditions, and how long a change takes meanwhile. */
async function attacked(t: ExecutionContext, world: RejectionWorld, attack: () => Promise<unknown>): Promise<void> {
  const calm = figures(await world.change());
  const [stop, from] = [world.watch('edge', 'other'), world.replicas.map(({ desired }) => desired.length)];
  await attack();
  t.log(`before: ${calm}`, `; attacked: ${figures(await world.change())}`);
  const { asked, wrong } = await stop();
  t.deepEqual(wrong, []);
  t.true(asked > 20);
  t.deepEqual(world.falseOnes(from), [], 'conditions stay as they are');
}

const hostile = (t: ExecutionContext, world: RejectionWorld, options: Omit<HostileOptions, 'target'>) =>
  new HostileClient(t, { target: world.xdsPort(), ...options });

type Attacker = Omit<HostileOptions, 'target'>;

const rejectsAndTakesNothing = test.macro(async (t: ExecutionContext, attacker: Attacker) => {
  const world = await served(t);
  let client: HostileClient | undefined;
  await attacked(t, world, async () => {
    client = hostile(t, world, attacker);
    await until('its rejection', () => (client as HostileClient).rejections > 0);
    await until('its drift to be shown', async () => (await nodeOf(world, 'hostile')).refusals.length > 0);
  });
  const node = await nodeOf(world, 'hostile');
  t.like(node.refusals[0], { heldBackFrom: 'node' });
  t.regex(node.refusals[0]?.message ?? '', /No overload found/);
  const sync = (await world.replicas[0]?.json('/v1/snapshot-sync')) as {
    nodes: { nodeId: string; sync: string; message: string }[];
  };
  const drifted = sync.nodes.find(({ nodeId }) => nodeId === 'hostile');
  t.is(drifted?.sync, 'drifted');
  t.regex(drifted?.message ?? '', /it rejects .*No overload found/);
  client?.close();
  await until('the rejection to be gone with it', async () => (await nodeOf(world, 'hostile')).refusals.length === 0);
});

interface NodeAnswer {
  readonly refusals: readonly { readonly heldBackFrom: string; readonly message: string; readonly key: string }[];
}

const nodeOf = async (world: RejectionWorld, id: string, index = 0): Promise<NodeAnswer> =>
  (await world.replicas[index]?.json(`/v1/nodes/${id}`)) as NodeAnswer;

const attackers: Readonly<Record<string, Attacker>> = {
  'a client that acknowledges clusters and rejects every listener': { rejects: rejecting(listener) },
  'the same by the state of the world': { variant: 'sotw', rejects: rejecting(listener) },
  'a client that rejects everything': { rejects: () => 'No overload found for anything' },
  'an Envoy of another release that rejects listeners and routes': {
    userAgent: { name: 'envoy', version: [1, 41] },
    rejects: rejecting(listener, scopedRoute),
  },
  'a gRPC client that rejects Envoy’s listener': { userAgent: { name: 'gRPC Go' }, rejects: rejecting(listener) },
  'a client that rejects the clusters that two Gateways share': { rejects: rejecting(cluster) },
  'a client that says its port is taken': {
    rejects: (typeUrl) => (typeUrl === listener ? 'No overload found: Address already in use' : undefined),
  },
};

for (const [who, attacker] of every(7, Object.entries(attackers)))
  test.serial(`${who} takes nothing from healthy proxies`, rejectsAndTakesNothing, attacker);

test.serial('endpoints that one client rejects reach the others, and leave it with its last good ones', async (t) => {
  const world = await served(t);
  const next = await startBackend(t, (_, response) => response.setHeader('connection', 'close').end('next'));
  let first = true;
  const client = hostile(t, world, {
    rejects: (typeUrl) => (typeUrl === endpoint && !first ? 'malformed IP address' : undefined),
  });
  await until('its endpoints', () => client.sent(endpoint).length === 1);
  first = false;
  await attacked(t, world, async () => {
    world.put(endpointSlice('web', ['127.0.0.1'], { port: next.port }));
    await until('the rejection', () => client.rejections > 0);
    for (const name of ['edge', 'other'] as const)
      await until('the new endpoints', async () => (await world.ask(name)).body === 'next');
  });
  t.deepEqual(client.sent(endpoint), ['default/web/80', 'default/web/80'], 'and no third version');
  t.deepEqual(client.removed, []);
});

thorough(test.serial)(
  'of two replicas one is rejected, and each is restarted in turn: nothing is handed on',
  async (t) => {
    const world = await served(t, 2);
    const client = hostile(t, world, { rejects: rejecting(listener, cluster) });
    await until('its rejection', () => client.rejections > 0);
    const stop = world.watch('edge', 'other');
    for (const index of [0, 1]) {
      await until('both to know', async () => {
        const nodes = await Promise.all(world.replicas.map((_, each) => nodeOf(world, 'hostile', each)));
        return nodes.every(({ refusals }) => refusals.length > 0);
      });
      await world.replicas[index]?.stop();
      await world.startReplica(index);
      await programmed(world);
      t.log(`replica ${index} restarted: ${figures(await world.change(3))}`);
      // It does as any client does that lost its stream.
      const again = hostile(t, world, { nodeId: 'hostile', rejects: rejecting(listener, cluster) });
      await until('its rejection', () => again.rejections > 0);
    }
    t.deepEqual((await stop()).wrong, []);
    await programmed(world);
  },
);

thorough(test.serial)(
  'a client that rejected everything before other clients and before any content came takes nothing',
  async (t) => {
    t.timeout(300_000);
    const world = await RejectionWorld.start(t, { empty: true });
    const client = hostile(t, world, { rejects: () => 'No overload found for anything' });
    world.put(...world.content());
    await until('its rejections', async () => (await nodeOf(world, 'hostile')).refusals.length >= 2);
    await until(
      'what the only proxy rejects is reported',
      () => world.condition('Gateway', 'edge', 'Programmed')?.status === 'False',
    );
    await world.startEnvoy('healthy-edge');
    await world.serves('edge');
    const stop = world.watch('edge');
    await until(
      'the first word of a healthy proxy to count',
      () => world.condition('Gateway', 'edge', 'Programmed')?.status === 'True',
    );
    t.log(figures(await world.change()));
    t.deepEqual((await stop()).wrong, []);
    t.true(client.rejections > 0);
    t.like((await nodeOf(world, 'hostile')).refusals[0], { heldBackFrom: 'node' });
  },
);

/** 1,003 steps in the RE2 of our checks, and 2,005 in Envoy's: only Envoy knows that it is bad. */
const poison = () => {
  const made = route('poison', 'edge', 'a.test', '/poison');
  const rules = [
    { matches: [{ path: { type: 'RegularExpression', value: '/.{1000}' } }], backendRefs: [{ name: 'web', port: 80 }] },
  ];
  return { ...made, spec: { ...made.spec, rules } } as never;
};

test.serial('a client that acknowledges everything keeps no poison in, and no neighbour out', async (t) => {
  const world = await served(t);
  hostile(t, world, { nodeId: 'liar', rejects: () => undefined });
  await until('the liar', async () => (await nodeOf(world, 'liar')).refusals !== undefined);
  const stop = world.watch('edge', 'other');
  world.put(poison());
  await until('the real rejection', async () => (await nodeOf(world, 'healthy-edge')).refusals.length === 1);
  t.log(figures(await world.change()));
  t.deepEqual((await stop()).wrong, []);
  t.like((await nodeOf(world, 'healthy-edge')).refusals[0], { key: 'httproute/default/poison', heldBackFrom: 'node' });
});

thorough(test.serial)(
  'what every proxy rejects is reported, one more proxy changes no word of it, and it goes out once it is fixed',
  async (t) => {
    const world = await served(t);
    world.put(poison());
    const accepted = () => world.condition('HTTPRoute', 'poison', 'Accepted');
    const reported = await until('the rejection to be reported', () => accepted()?.status === 'False' && accepted());
    t.regex(reported.message, /rejected by the proxy.*program size/);
    t.like((await nodeOf(world, 'healthy-edge')).refusals[0], { heldBackFrom: 'fleet' });
    const from = world.replicas[0]?.desired.length ?? 0;
    const same: Rejects = (_type, _names, text) => (text.includes('.{1000}') ? 'program size' : undefined);
    hostile(t, world, { nodeId: 'second', rejects: same });
    await until('its rejection', async () =>
      (await nodeOf(world, 'second')).refusals.some(({ key }) => key.includes('poison')),
    );
    const words = world.replicas[0]?.desired.slice(from).filter(({ place }) => place === 'HTTPRoute default/poison');
    t.deepEqual(words, []);
    world.put(route('poison', 'edge', 'a.test', '/fixed', 2));
    await world.serves('edge', '/fixed');
    await until('the fix to be reported', () => accepted()?.status === 'True');
  },
);

thorough(test.serial)(
  'what a client rejects is offered again when an operator says so, at whichever replica it is',
  async (t) => {
    t.timeout(300_000);
    const world = await RejectionWorld.start(t, { replicas: 2 });
    const client = hostile(t, world, { rejects: rejecting(listener) });
    const rejected = async () => {
      for (const index of [0, 1])
        await until('its rejection', async () => (await nodeOf(world, 'hostile', index)).refusals?.length === 1);
    };
    await rejected();
    for (const index of [1, 0]) {
      const before = client.rejections;
      const port = world.replicas[index]?.port;
      const cleared = await runCommand(['nodes', '--clear', 'hostile', '--server', `http://127.0.0.1:${port}`]);
      t.is(cleared.code, 0, cleared.stderr);
      t.regex(cleared.stdout, /hostile is offered again.*\n {2}rejects listener http\/.*No overload found/);
      await until('the offer', () => client.rejections > before);
      await rejected();
    }
    const table = await runCommand(['nodes', '--server', `http://127.0.0.1:${world.replicas[0]?.port}`]);
    t.regex(table.stdout, /hostile .*rejects listener http\/\d+, held back from .*: No overload found/);
    client.close();
    await until('it to be gone', async () => (await nodeOf(world, 'hostile')).refusals.length === 0);
    const gone = await runCommand([
      'nodes',
      '--clear',
      'hostile',
      '--server',
      `http://127.0.0.1:${world.replicas[0]?.port}`,
    ]);
    t.is(gone.code, 2);
    t.regex(gone.stderr, /node_not_connected/);
  },
);

thorough(test.serial)(
  'with a certificate for one Gateway nothing is taken from another that shares the Service',
  async (t) => {
    t.timeout(300_000);
    const [authority, clients] = [await testAuthority(), await createAuthority('proxies')];
    const certificates = new TestCertificates(await serving(authority, { clientAuthorities: clients.certificatePem }));
    const access = { certificates, authenticator: createAuthenticator({ byCertificate: true }) };
    const world = await RejectionWorld.start(t, { access });
    const client = async (nodeId: string, gateway: string, rejects: Rejects) => {
      const own = await clients.issue({ hostnames: ['proxy'], uris: [`spiffe://test/gateway/${gateway}`] });
      return hostile(t, world, { nodeId, cluster: gateway, credentials: trusting(authority, own), rejects });
    };
    const honest = await client('honest', 'default/other', () => undefined);
    await until('its clusters', () => honest.sent(cluster).includes('default/web/80'));
    await client('hostile', 'default/edge', rejecting(cluster));
    await until('the rejection', async () => (await nodeOf(world, 'hostile')).refusals.length > 0);
    world.put(route('later', 'other', 'b.test', '/later'));
    await until('a change', () => honest.sent(scopedRoute).length > 1);
    t.deepEqual(honest.removed, []);
    const resolved = () => world.condition('HTTPRoute', 'shared', 'ResolvedRefs');
    t.is(resolved()?.status, 'True');
    await until(
      'its own to be reported',
      () => world.condition('HTTPRoute', 'shop', 'ResolvedRefs')?.status === 'False',
    );
    t.is(resolved()?.status, 'True', 'what the one fleet rejects says nothing of the other');
  },
);

thorough(test.serial)('beside an agent, a client that rejects everything changes nothing', async (t) => {
  t.timeout(300_000);
  const backend = await startBackend(t, (_, response) => response.setHeader('connection', 'close').end('ok'));
  const rule = (path: string) => ({
    matches: [{ path: { type: 'PathPrefix', value: path } }],
    backendRefs: [{ name: 'web', port: 80 }],
  });
  const standalone = await startStandalone({
    'web.yaml': serviceObjects('web', [backend.port]),
    'shop.yaml': [routeObject('shop', 'a.test', [rule('/shop')])],
  });
  t.teardown(() => standalone.stop());
  const served = (path: string) =>
    until(path, async () => {
      const answer = await send(standalone.port, { host: 'a.test', path }).catch(() => undefined);
      return answer?.status === 200;
    });
  await served('/shop');
  const client = new HostileClient(t, { target: standalone.control.ports.xds, rejects: () => 'No overload found' });
  await until('its rejections', () => client.rejections > 1);
  standalone.write('more.yaml', routeObject('more', 'a.test', [rule('/more')]));
  await served('/more');
  await served('/shop');
  const { graph, xds } = standalone.control;
  const agent = () => xds.nodes.list().find(({ nodeId }) => nodeId !== 'hostile');
  await until('the agent to be current', () => agent()?.lastAckVersion === graph.snapshot()?.id);
  t.like(agent(), { ready: true, refusalCount: 0, lastConfigStatus: 'ACK' });
});
