/**
 * What it costs a request that its client's address is looked up in databases of locations: CPU of Envoy's workers. One program runs proxies of three
 * Gateways: without databases; with one and nothing that reads it; with one, a header and a rule by country. They get the same requests in bursts, in
 * an order that is drawn for each round, and each figure is the mean of the lower half of a Gateway's bursts, since other work on the machine only adds.
 *
 *     npm run bench -- geoip [--rounds 40] [--requests 200]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mmdb } from '../../scripts/example/mmdb.ts';
import { freePort } from '../../scripts/free-port.ts';
import { gatewayObjects, startStandalone } from '../../test/support/standalone.ts';
import { until } from '../../test/support/until.ts';
import { TimedClient } from '../access/client.ts';
import { workersNs } from '../envoy-floor/process-cost.ts';
import { authorityOf } from '../support/ask.ts';
import { lowerHalf, percentile } from '../support/figures.ts';
import { processesOf } from '../support/processes.ts';
import { shuffled } from '../support/shuffled.ts';

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '40' }, requests: { type: 'string', default: '200' } },
});
const [rounds, requests] = [Number(options.rounds), Number(options.requests)];

const ours = { apiVersion: 'gatewright.dev/v1alpha1' };
const core = 'gateway.networking.k8s.io';
const from = '198.51.100.7';

/** Of single addresses, so that what is looked for is as deep in the tree as can be. */
const networks = Object.fromEntries(
  Array.from({ length: 256 }, (_, at) => [`198.51.100.${at}/32`, { country: { iso_code: 'DE' } }]),
);

interface Case {
  readonly name: string;
  /** Of its Gateway, DataPlane and route. */
  readonly key: string;
  readonly geoip?: object;
  readonly rule?: true;
}

const folder = mkdtempSync(join(tmpdir(), 'gatewright-geoip-'));
const location = join(folder, 'city.mmdb');
writeFileSync(location, mmdb(networks));
const cases: readonly Case[] = [
  { name: 'no databases', key: 'none' },
  { name: 'a database that nothing reads', key: 'idle', geoip: { databases: { location } } },
  {
    name: 'a header and a rule by country',
    key: 'read',
    geoip: { databases: { location }, headers: { country: 'X-Country' } },
    rule: true,
  },
];
const world = await startStandalone();
try {
  await measure();
} finally {
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function measure(): Promise<void> {
  world.write('web.yaml', ...(await world.backend('web')));
  const subjects = [];
  for (const each of cases) subjects.push({ ...each, port: await freePort(), samples: [] as number[] });
  const [gatewayClass, gateway] = gatewayObjects(world.port) as [object, { readonly spec: object }];
  world.write('gateway.yaml', gatewayClass, ...subjects.flatMap((each) => objectsOf(gateway, each)));
  const gateways = await Promise.all(subjects.map(opened));
  for (let round = -2; round < rounds; round += 1)
    for (const { client, pid, message, samples } of shuffled(gateways)) {
      const before = workersNs(pid);
      await client.burst(requests, () => message);
      // In the first rounds caches fill.
      if (round >= 0) samples.push((workersNs(pid) - before) / 1000 / requests);
    }
  const base = lowerHalf(gateways[0]!.samples);
  for (const { name, samples, client } of gateways) {
    const us = lowerHalf(samples);
    console.log(JSON.stringify({ name, us: rounded(us), median: percentile(samples, 0.5), ratio: rounded(us / base) }));
    client.close();
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function objectsOf(
  gateway: { readonly spec: object },
  { key, geoip, rule, port }: Case & { readonly port: number },
): object[] {
  const meta = { metadata: { name: key } };
  const target = (kind: string) => [{ group: core, kind, name: key }];
  return [
    {
      ...gateway,
      ...meta,
      spec: {
        ...gateway.spec,
        listeners: [{ name: 'http', port, protocol: 'HTTP' }],
        infrastructure: { parametersRef: { group: 'gatewright.dev', kind: 'DataPlane', name: key } },
      },
    },
    { ...ours, kind: 'DataPlane', ...meta, spec: { concurrency: 1, ...(geoip && { geoip }) } },
    {
      ...ours,
      kind: 'ListenerPolicy',
      ...meta,
      spec: { targetRefs: target('Gateway'), clientIP: { trustedCIDRs: ['127.0.0.1/32'] } },
    },
    {
      apiVersion: `${core}/v1`,
      kind: 'HTTPRoute',
      ...meta,
      spec: {
        parentRefs: [{ name: key }],
        hostnames: ['geo.test'],
        rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
      },
    },
    ...(rule
      ? [
          {
            ...ours,
            kind: 'AccessPolicy',
            ...meta,
            spec: {
              targetRefs: target('HTTPRoute'),
              authorization: {
                default: 'Deny',
                rules: [{ name: 'place', action: 'Allow', when: { clientLocations: [{ country: 'DE' }] } }],
              },
            },
          },
        ]
      : []),
  ];
}

async function opened(subject: Case & { readonly port: number; readonly samples: number[] }) {
  const { port, key } = subject;
  const host = authorityOf('geo.test', { port });
  const message = `GET / HTTP/1.1\r\nhost: ${host}\r\nx-forwarded-for: ${from}\r\n\r\n`;
  const client = await until(`Gateway ${key}`, async () => {
    const made = await TimedClient.open(port);
    await made
      .burst(1, () => message)
      .catch((error: unknown) => {
        made.close();
        throw error;
      });
    return made;
  });
  return { ...subject, message, client, pid: await envoyAt(client, message) };
}

/** The Envoy of this process that answers: the one whose workers work most meanwhile. */
async function envoyAt(client: TimedClient, message: string): Promise<number> {
  const started = await processesOf(process.pid);
  const pids = started.filter(({ what }) => what.startsWith('envoy')).map(({ pid }) => pid);
  const before = new Map(pids.map((pid) => [pid, workersNs(pid)]));
  await client.burst(requests, () => message);
  const used = new Map(pids.map((pid) => [pid, workersNs(pid) - (before.get(pid) ?? 0)]));
  const [first] = pids.sort((a, b) => (used.get(b) ?? 0) - (used.get(a) ?? 0));
  if (first === undefined) throw new Error('no Envoy answers');
  return first;
}
