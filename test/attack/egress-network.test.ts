import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { kindModules } from '../../src/controllers/index.ts';
import { hostRules } from '../../src/egress/index.ts';
import { Graph } from '../../src/graph/index.ts';
import { Translator } from '../../src/translate/index.ts';
import { startEnvoy, xdsBootstrap } from '../support/envoy.ts';
import { farNetwork } from '../support/far-network.ts';
import { send } from '../support/http.ts';
import { askTcp } from '../support/l4-backends.ts';
import { addresses, type LyingDns, startLyingDns } from '../support/lying-dns.ts';
import { controllerName, gateway, gatewayClass, httpRoute, xObject } from '../support/objects.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { external, plant, type Trap } from '../support/trap.ts';
import { until, untilFits } from '../support/until.ts';
import { put, someTime } from '../support/world.ts';
import { nextEvent, startXds } from '../support/xds.ts';

// What is not on loopback: other addresses of the machine, metadata, other machines; connections without HTTP; an Envoy without our agent.

const run = promisify(execFile);

const toXBackend = (name: string) =>
  routeObject(name, `${name}.test`, [
    { backendRefs: [{ group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name }] },
  ]);

/** A server on the other machine, which goes with the test. */
async function serveFar(t: ExecutionContext, prefix: readonly string[], host: string): Promise<number> {
  const script = `const s = require('node:http').createServer((q, r) => r.end('far')).listen(0, '${host}', () => console.log(s.address().port))`;
  const [command = '', ...rest] = prefix;
  const child = spawn(command, [...rest, process.execPath, '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  return Number(line.value);
}

test('names lead to other machines, and not to this one by any of its addresses, nor to metadata', async (t) => {
  const net = await farNetwork(t);
  if (typeof net === 'string') {
    t.pass(net);
    return;
  }
  const metadata = '169.254.169.254';
  const device = `gwm${process.pid}`;
  await run('ip', ['link', 'add', device, 'type', 'veth', 'peer', 'name', `${device}p`]);
  t.teardown(() => run('ip', ['link', 'delete', device]));
  await run('ip', ['address', 'add', `${metadata}/32`, 'dev', device]);
  await run('ip', ['link', 'set', device, 'up']);
  const port = await serveFar(t, net.prefix, net.there);
  const traps = [await plant(t, net.here, port), await plant(t, metadata, port)];
  const dns = await startLyingDns(t);
  const lies = { own: [net.here], mapped: [`::ffff:${net.here}`], cloud: [metadata], both: [net.here, metadata] };
  for (const [name, list] of Object.entries(lies)) dns.set(`${name}.example`, addresses(`${name}.example`, list));
  dns.set('far.example', addresses('far.example', [net.there, net.here]));
  const names = ['far', ...Object.keys(lies)];
  const gateway = await startStandalone(
    { 'tenant.yaml': names.flatMap((name) => [external(name, `${name}.example`, port), toXBackend(name)]) },
    { nameServers: [dns] },
  );
  t.teardown(() => gateway.stop());
  const status = async (name: string) => (await send(gateway.port, { host: `${name}.test` })).status;
  await untilFits(
    'the other machine to answer',
    () => status('far'),
    (code) => code === 200,
  );
  await Promise.all(names.map((name) => askedAgain(dns, `${name}.example`)));
  for (const name of Object.keys(lies)) t.is(await status(name), 503, name);
  for (let sent = 0; sent < 20; sent++) t.is(await status('far'), 200);
  t.deepEqual(
    traps.map(({ connections }) => connections),
    [0, 0],
  );
});

async function askedAgain(dns: LyingDns, name: string): Promise<void> {
  const count = () => dns.asked.filter((each) => each.name === name).length;
  const before = count();
  await until(`${name} to be asked for again`, () => count() >= before + 4);
}

test('a TCPRoute brings no byte to a forbidden address', async (t) => {
  const trap = await plant(t, '127.0.0.1');
  const dns = await startLyingDns(t);
  dns.set('db.example', addresses('db.example', ['127.0.0.1']));
  const port = await freePort();
  const listener = { name: 'tcp', port, protocol: 'TCP' };
  const world = await startStandalone(
    {
      'tenant.yaml': [
        gateway('raw', [listener] as never),
        external('db', 'db.example', trap.port),
        {
          apiVersion: 'gateway.networking.k8s.io/v1alpha2',
          kind: 'TCPRoute',
          metadata: { name: 'db' },
          spec: {
            parentRefs: [{ name: 'raw' }],
            rules: [{ backendRefs: [{ group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name: 'db' }] }],
          },
        },
      ],
    },
    { nameServers: [dns] },
  );
  t.teardown(() => world.stop());
  await askedAgain(dns, 'db.example');
  await untilFits(
    'the port to be open, and closed behind',
    () => askTcp(port),
    (text) => text === '',
  );
  for (let sent = 0; sent < 10; sent++) t.is(await askTcp(port), '');
  t.is(trap.connections, 0);
});

/** An Envoy with a bootstrap of its own: it resolves by itself, by way of a name server that lies. */
async function startForeignEnvoy(t: ExecutionContext, dns: LyingDns, trap: Trap, allowedAddresses?: string[]) {
  const graph = new Graph({
    controllerName,
    kinds: kindModules,
    bind: () => ({ address: '127.0.0.1', port: 0 }),
    hosts: hostRules({ allowedAddresses }),
  });
  const { server, port } = await startXds(t);
  const backendRefs = [{ group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name: 'lie' }];
  put(
    graph,
    gatewayClass(),
    gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }] as never),
    xObject('XBackend', 'lie', {
      type: 'ExternalHostname',
      externalHostname: { hostname: 'lie.example' },
      port: { number: trap.port },
    }) as never,
    httpRoute('lie', { rules: [{ backendRefs }] as never }),
  );
  const { snapshot, changes } = graph.build(someTime);
  const applied = nextEvent(server, (seen) => seen.kind === 'applied' && seen.snapshot === snapshot.id);
  server.publish({
    marker: { ...snapshot.counts, id: snapshot.id, generatedAt: snapshot.generatedAt },
    changes: new Translator().translate(snapshot, changes),
    digests: new Map([['default/edge', snapshot.id]]),
  });
  const envoy = await startEnvoy({
    bootstrap: {
      ...xdsBootstrap({ xds: port, nodeId: 'foreign', cluster: 'default/edge' }),
      typed_dns_resolver_config: {
        name: 'envoy.network.dns_resolver.cares',
        typed_config: {
          '@type': 'type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig',
          resolvers: [{ socket_address: { address: dns.host, port_value: dns.port } }],
        },
      },
    },
  });
  t.teardown(() => envoy.stop());
  await applied;
  await envoy.ready();
  const listener = await envoy.port('http/80');
  return async () => (await send(listener, { host: 'any.test' })).status;
}

test('an Envoy without an agent makes no connection to a forbidden address by HTTP', async (t) => {
  const trap = await plant(t, '127.0.0.1');
  const dns = await startLyingDns(t);
  dns.set('lie.example', addresses('lie.example', ['127.0.0.1']));
  const ask = await startForeignEnvoy(t, dns, trap);
  await untilFits('a rejection', ask, (status) => status === 403);
  for (let sent = 0; sent < 10; sent++) t.is(await ask(), 403);
  dns.set('lie.example', addresses('lie.example', ['::ffff:127.0.0.1']));
  await askedAgain(dns, 'lie.example');
  t.true((await ask()) >= 400);
  t.is(trap.connections, 0);
});

test('an Envoy without an agent reaches what the operator allows', async (t) => {
  const trap = await plant(t, '127.0.0.1');
  const dns = await startLyingDns(t);
  dns.set('lie.example', addresses('lie.example', ['127.0.0.1']));
  const ask = await startForeignEnvoy(t, dns, trap, ['127.0.0.1/32']);
  await untilFits('an answer', ask, (status) => status === 200);
  t.true(trap.connections > 0);
});
