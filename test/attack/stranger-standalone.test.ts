import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { stringify } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { type FarNetwork, farNetwork } from '../support/far-network.ts';
import { fileFor, type Running, runProgram, startProgram } from '../support/program.ts';
import { thorough } from '../support/repetitions.ts';
import { gatewayObjects } from '../support/standalone.ts';
import { until } from '../support/until.ts';

// A stranger on the network of a machine that runs `gatewright run -f DIR --config FILE`.

/** Tries ports of an address, and says which of them let it in. */
const knock = `
const { connect } = require('node:net');
const [host, ...ports] = process.argv.slice(1);
const open = (port) => new Promise((resolve) => {
  const socket = connect({ host, port: Number(port), timeout: 20000 });
  socket.once('connect', () => resolve([port]));
  socket.once('error', ({ code }) => resolve(code === 'ECONNREFUSED' ? [] : [port + ' ' + code]));
  socket.once('timeout', () => resolve([port + ' timeout']));
}).finally(() => 0);
Promise.all(ports.map(open)).then((found) => { console.log(JSON.stringify(found.flat())); process.exit(0); });
`;

const openPorts = async ({ here, run }: FarNetwork, ports: readonly number[]): Promise<string[]> =>
  JSON.parse(await run(knock, here, ...ports.map(String)));

interface Ports {
  readonly xds: number;
  readonly layout1: number;
  readonly layout2: number;
  readonly metrics: number;
  readonly agent: number;
}

const freePorts = async (): Promise<Ports> => ({
  xds: await freePort(),
  layout1: await freePort(),
  layout2: await freePort(),
  metrics: await freePort(),
  agent: await freePort(),
});

function emptyDirectory(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'gatewright-stranger-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function directory(t: ExecutionContext, port: number): string {
  const path = emptyDirectory(t);
  writeFileSync(
    join(path, 'gateway.yaml'),
    gatewayObjects(port)
      .map((object) => stringify(object))
      .join('---\n'),
  );
  return path;
}

/** A configuration whose addresses are ports only, with `xds` as given. */
const configOf = (t: ExecutionContext, ports: Ports, xds: object = { listen: `:${ports.xds}` }): string =>
  fileFor(
    t,
    JSON.stringify({
      xds,
      admin: { listen: `:${ports.layout1}`, layout2Listen: `:${ports.layout2}` },
      metrics: { listen: `:${ports.metrics}` },
      dataplane: { adminListen: `:${ports.agent}` },
      state: { directory: emptyDirectory(t) },
      log: { level: 'info' },
    }),
  );

async function started(t: ExecutionContext, args: readonly string[]): Promise<Running> {
  const program = startProgram(args);
  t.teardown(async () => {
    program.kill('SIGTERM');
    await program.ended;
  });
  await until('the program to serve', () => /configuration applied/.test(program.output.stdout));
  return program;
}

test('a stranger on the network reaches no port of `run` whose host is not written in its file', async (t) => {
  const far = await farNetwork(t);
  if (typeof far === 'string') {
    t.pass(far);
    return;
  }
  const ports = await freePorts();
  await started(t, ['run', '-f', directory(t, await freePort()), '--config', configOf(t, ports)]);
  t.deepEqual(await openPorts(far, Object.values(ports)), []);
  const answer = await fetch(`http://127.0.0.1:${ports.layout1}/readyz`);
  t.is(answer.status, 200, 'and this machine reaches them');
});

thorough(test)('xDS in plain text beyond loopback is rejected at the start, with the key that allows it', async (t) => {
  const ports = await freePorts();
  const config = configOf(t, ports, { listen: `0.0.0.0:${ports.xds}` });
  const { code, stderr } = await runProgram(['run', '-f', directory(t, await freePort()), '--config', config]);
  t.is(code, 1);
  t.regex(stderr, new RegExp(`^gatewright: xds\\.listen: 0\\.0\\.0\\.0:${ports.xds} .*xds\\.insecure: true\n$`));
});

thorough(test)('a control plane over a directory rejects plain text beyond loopback as well', async (t) => {
  const ports = await freePorts();
  const config = fileFor(
    t,
    JSON.stringify({ source: { directory: directory(t, await freePort()) }, xds: { listen: `:${ports.xds}` } }),
  );
  const { code, stderr } = await runProgram(['control-plane', '--config', config]);
  t.is(code, 1);
  t.regex(stderr, /^gatewright: xds\.listen: .*xds\.tls\.certFile.*xds\.insecure: true\n$/);
});

thorough(test)(
  'an agent that calls another machine without TLS warns of it, and one that calls this machine does not',
  async (t) => {
    const start = async (xdsAddress: string): Promise<string> => {
      const config = { dataplane: { cluster: 'default/edge', xdsAddress, adminListen: '127.0.0.1:0' } };
      const args = ['data-plane', '--config', fileFor(t, JSON.stringify(config))];
      const program = startProgram(args, { SVC_GW_NODE_ID: 'edge-1' });
      // The first line behind the warning says that there is no stream.
      await until('an attempt', () => /no stream to the control plane/.test(program.output.stdout));
      program.kill('SIGTERM');
      return (await program.ended).stdout;
    };
    // Of a network for documentation (RFC 5737): nothing answers there.
    t.regex(await start('192.0.2.1:18080'), /comes in plain text from 192\.0\.2\.1:18080.*dataplane\.tls\.caFile/);
    t.notRegex(await start('127.0.0.1:1'), /plain text/);
  },
);

thorough(test)('where it is asked for, xDS alone is open to the network, and the start warns of it', async (t) => {
  const far = await farNetwork(t);
  if (typeof far === 'string') {
    t.pass(far);
    return;
  }
  const ports = await freePorts();
  const config = configOf(t, ports, { listen: `0.0.0.0:${ports.xds}`, insecure: true });
  const { output } = await started(t, ['run', '-f', directory(t, await freePort()), '--config', config]);
  t.deepEqual(await openPorts(far, Object.values(ports)), [String(ports.xds)]);
  t.regex(output.stdout, /"level":"?(?:40|warn)"?.*xDS is served in plain text at 0\.0\.0\.0.*xds\.insecure/);
});
