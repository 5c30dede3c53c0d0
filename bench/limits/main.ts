/**
 * Limits that all proxies of a Gateway share: what they add to a request, and how much of a limit is granted. Gatewright with its leases, Gatewright with
 * Valkey, and Envoy Gateway with Envoy's ratelimit service and Valkey run at once on one API server, each with two of the same Envoy.
 *
 *     npm run bench -- limits [--quick] [--turns 3] [--rounds 20] [--requests 400] [--rate 1000] [--seconds 10] [--subjects gatewright,gatewright-valkey,envoy-gateway]
 *
 * Each has a host without a limit, one with a limit that is never reached, and one with 50 requests a second. The first two get bursts of requests, in an order
 * that is drawn for each round; `added` is the difference of the two. Half of the bursts come at a fixed rate, which the machine can serve: an open loop, whose
 * latencies count from when a request should have been sent. The others keep 8 connections busy, so all processors too: a closed loop, whose latencies say how
 * much work a request is. The last host gets four times as many requests as it lets through, one subject after the other. A limit of ours holds its burst and
 * fills evenly; Envoy Gateway's is as many in each second of the clock. Needs what `peer` needs, and fetches Valkey. `--quick`: one turn of five rounds. Results
 * in bench/results/limits.*.
 */
import { parseArgs } from 'node:util';
import { ensureEnvoyGateway } from '../../scripts/setup/envoy-gateway.mjs';
import { ensureRatelimit } from '../../scripts/setup/ratelimit.mjs';
import { ensureValkey } from '../../scripts/setup/valkey.mjs';
import { inOwnNetwork } from '../host/own-network.ts';
import { writeResults } from '../peer/results.ts';
import type { Figures } from '../peer/rows.ts';
import { World } from '../peer/world.ts';
import { applyAll } from '../support/apply-all.ts';
import { percentile } from '../support/figures.ts';
import { Patience } from '../support/patience.ts';
import { shuffled } from '../support/shuffled.ts';
import { type Case, cases, LimitedGateway } from './limited-gateway.ts';
import { objectsOf } from './objects.ts';
import { prepareSubjects } from './subjects.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    turns: { type: 'string' },
    rounds: { type: 'string' },
    requests: { type: 'string', default: '400' },
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '10' },
    subjects: { type: 'string', default: 'gatewright,gatewright-valkey,envoy-gateway' },
    patience: { type: 'string', default: '3' },
  },
});
const turns = Number(options.turns ?? (options.quick ? 1 : 3));
const rounds = Number(options.rounds ?? (options.quick ? 5 : 20));
const requests = Number(options.requests);
/** How requests come in: so many a second, or one after the other on each connection. */
const loops = [
  { loop: 'open', perSecond: Number(options.rate) },
  { loop: 'closed', perSecond: undefined },
] as const;
type Loop = (typeof loops)[number]['loop'];

// Before the network is the bench’s own: building fetches.
const names = options.subjects.split(',');
const peer = names.includes('envoy-gateway')
  ? { ...(await ensureEnvoyGateway()), ratelimit: await ensureRatelimit() }
  : undefined;
const programs = { peer, valkey: await ensureValkey() };
inOwnNetwork(peer && { folder: '/certs' });
const patience = new Patience(Number(options.patience));
await using world = await World.open({ definitions: peer ? [peer.definitions] : [], patience });
const prepared = await prepareSubjects(world, programs, names);
try {
  for (const { subject } of prepared.subjects) await applyAll(world.api.client, objectsOf(subject));
  for (const { subject } of prepared.subjects) await subject.start();
  const gateways: LimitedGateway[] = [];
  for (const { subject, agents } of prepared.subjects)
    gateways.push(await LimitedGateway.open({ subject, agents, patience }));
  await takeTurns(gateways);
  for (const gateway of gateways) gateway.close();
} finally {
  for (const { subject } of prepared.subjects) await subject.stop();
  await prepared.stop();
}
process.exit();

async function takeTurns(gateways: readonly LimitedGateway[]): Promise<void> {
  await takeRounds(gateways, 2); // code is compiled
  const all = gateways.map((): Figures[] => []);
  for (let turn = 1; turn <= turns; turn += 1) {
    const latencies = await takeRounds(gateways, rounds);
    for (const [at, gateway] of gateways.entries()) {
      const figures = figuresOf(latencies[at]!);
      await addGranted(gateway, figures);
      all[at]!.push(figures);
      console.log(JSON.stringify({ turn, subject: gateway.subject.name, ...Object.fromEntries(figures) }));
    }
  }
  const columns = gateways.map(({ subject: { name, version } }) => ({ name, version }));
  const text = await writeResults({
    name: 'limits',
    title: 'Shared limits',
    about: `Two proxies of each; ${rounds} bursts of ${requests} requests at ${options.rate} a second (open loop), and as many over 8 connections that are always busy (closed loop), in turns; then ${options.seconds} s of four times as many requests as the limit.`,
    plots: [],
    subjects: columns,
    all: columns.map(({ name }, at) => ({ subject: name, turns: all[at]! })),
  });
  console.log(text);
}

/** Latencies in milliseconds of each gateway. */
type Taken = Readonly<Record<Loop, Readonly<Record<Case, number[]>>>>;

async function takeRounds(gateways: readonly LimitedGateway[], count: number): Promise<Taken[]> {
  const taken = gateways.map((): Taken => ({ open: { free: [], limited: [] }, closed: { free: [], limited: [] } }));
  const bursts = gateways.flatMap((gateway, at) =>
    loops.flatMap(({ loop, perSecond }) =>
      cases.map((each) => ({ gateway, each, perSecond, latencies: taken[at]![loop][each] })),
    ),
  );
  for (let round = 0; round < count; round += 1)
    for (const { gateway, each, perSecond, latencies } of shuffled(bursts))
      latencies.push(...(await gateway.burst(each, requests, perSecond)));
  return taken;
}

function figuresOf(taken: Taken): Figures {
  const figures: Figures = new Map();
  for (const { loop } of loops)
    for (const share of [0.5, 0.99]) {
      const [without, having] = cases.map((each) => percentile(taken[loop][each], share)) as [number, number];
      const name = `${loop} loop, p${share * 100}, ms`;
      figures.set(`without a limit: ${name}`, without);
      figures.set(`with a limit: ${name}`, having);
      figures.set(`added: ${name}`, having - without);
    }
  return figures;
}

async function addGranted(gateway: LimitedGateway, figures: Figures): Promise<void> {
  const { granted, allowed, asked, beyond, fromLease } = await gateway.granted(Number(options.seconds));
  figures.set('granted of the limit, %', (granted / allowed) * 100);
  figures.set('beyond the limit, requests', beyond);
  figures.set('asked, times the limit', asked / allowed);
  if (fromLease !== undefined) figures.set('decided from the lease, %', fromLease * 100);
}
