/**
 * What each part of an access policy costs a request: Envoy’s CPU, the time until the answer, and requests per second. Gatewright and Envoy
 * Gateway run at once on one API server, each with the same Envoy, and get the same requests in bursts, in an order that is drawn for each round.
 *
 *     npm run bench -- access [--quick] [--turns 3] [--rounds 40] [--requests 200] [--subjects gatewright,envoy-gateway]
 *
 * Every case is a host of its own with a policy of its own, whose answers are 200; before, it is checked that strangers stay outside. Three hosts
 * have no policy: one is alone at its listener, one beside the others, and one at the listener with HTTPS. `more` is what a case takes beyond the
 * first one, or the last one. CPU is the mean of the lower half of a turn’s bursts, since other work on the machine only adds. Needs what `peer` needs. `--quick`: one turn of ten rounds. Results in bench/results/access.*.
 */
import { parseArgs } from 'node:util';
import { freePort } from '../../scripts/free-port.ts';
import { inOwnNetwork } from '../host/own-network.ts';
import { builtPeers } from '../peer/peers.ts';
import { writeResults } from '../peer/results.ts';
import type { Figures } from '../peer/rows.ts';
import { Stage } from '../peer/stage.ts';
import type { Subject } from '../peer/subject.ts';
import { applyAll } from '../support/apply-all.ts';
import { lowerHalf, median, percentile } from '../support/figures.ts';
import { Patience } from '../support/patience.ts';
import { shuffled } from '../support/shuffled.ts';
import { type Case, casesFor } from './cases.ts';
import { GatewayUnderLoad, type Sample } from './gateway-under-load.ts';
import { objectsOf, type Ports, sharedObjects } from './objects.ts';
import { startServers } from './servers.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    turns: { type: 'string' },
    rounds: { type: 'string' },
    requests: { type: 'string', default: '200' },
    subjects: { type: 'string', default: 'gatewright,envoy-gateway' },
    patience: { type: 'string', default: '3' },
  },
});
const turns = Number(options.turns ?? (options.quick ? 1 : 3));
const rounds = Number(options.rounds ?? (options.quick ? 10 : 40));
const requests = Number(options.requests);
const names = options.subjects.split(',');

// Before the network is the bench’s own: building fetches.
const peers = await builtPeers(names);
inOwnNetwork(peers.size > 0 ? { folder: '/certs' } : {});
await using stage = await Stage.open(peers, new Patience(Number(options.patience)));
const subjects: Subject[] = [];
for (const name of names) subjects.push(await stage.subject(name));
await measure(subjects);
process.exit();

async function measure(all: readonly Subject[]): Promise<void> {
  const ports = await Promise.all(all.map(portsOf));
  const urls = ports.map(({ https }) => `https://login.example.com:${https}`);
  const servers = await startServers(urls);
  const cases = casesFor(servers);
  const { client: kube } = stage.world.api;
  await applyAll(kube, await sharedObjects(servers));
  for (const [at, subject] of all.entries()) await applyAll(kube, objectsOf(subject, ports[at]!, cases));
  try {
    for (const subject of all) await subject.start();
    const gateways: GatewayUnderLoad[] = [];
    for (const [at, subject] of all.entries())
      gateways.push(await GatewayUnderLoad.open(subject, ports[at]!, known(subject, cases), stage.world.patience));
    await takeTurns(gateways, cases);
    for (const gateway of gateways) gateway.close();
  } finally {
    for (const subject of all) await subject.stop();
    servers.close();
  }
}

async function portsOf({ probe }: Subject): Promise<Ports> {
  return { http: probe.port, alone: await freePort(), https: await freePort() };
}

/** Those that the subject has something for. */
function known(subject: Subject, cases: readonly Case[]): readonly Case[] {
  return cases.filter(({ ours, theirs }) => (subject.gateway === 'gatewright' ? ours : theirs) !== undefined);
}

async function takeTurns(gateways: readonly GatewayUnderLoad[], cases: readonly Case[]): Promise<void> {
  await takeRounds(gateways, cases, 2); // code is compiled, and caches fill
  const all = gateways.map((): Figures[] => []);
  for (let turn = 1; turn <= turns; turn += 1) {
    const taken = await takeRounds(gateways, cases, rounds);
    for (const [at, { subject }] of gateways.entries()) {
      const figures = figuresOf(taken[at]!, known(subject, cases));
      all[at]!.push(figures);
      console.log(JSON.stringify({ turn, subject: subject.name, ...Object.fromEntries(figures) }));
    }
  }
  const columns = gateways.map(({ subject: { name, version } }) => ({ name, version }));
  const text = await writeResults({
    name: 'access',
    title: 'Access policies',
    about: `Each figure from ${rounds} bursts of ${requests} requests, over 8 connections, in turns with those of all other cases.`,
    plots: [],
    subjects: columns,
    all: columns.map(({ name }, at) => ({ subject: name, turns: all[at]! })),
  });
  console.log(text);
}

/** Samples of each gateway by case. */
type Taken = ReadonlyMap<Case, Sample[]>;

async function takeRounds(
  gateways: readonly GatewayUnderLoad[],
  cases: readonly Case[],
  count: number,
): Promise<Taken[]> {
  const taken = gateways.map(({ subject }) => new Map(known(subject, cases).map((each) => [each, [] as Sample[]])));
  const bursts = gateways.flatMap((gateway, at) =>
    [...taken[at]!].map(([each, samples]) => ({ gateway, each, samples })),
  );
  for (let round = 0; round < count; round += 1)
    for (const { gateway, each, samples } of shuffled(bursts)) samples.push(await gateway.burst(each, requests));
  return taken;
}

function figuresOf(taken: Taken, cases: readonly Case[]): Figures {
  const figures: Figures = new Map();
  const nothing = (listener: string) => taken.get(cases.find((each) => each.key === listener)!)!;
  const [plain, secure] = [nothing('alone'), nothing('secure')];
  for (const each of cases) {
    const base = each.listener === 'https' ? secure : plain;
    const samples = taken.get(each)!;
    const latencies = samples.flatMap(({ latenciesMs }) => latenciesMs);
    const cpu = lowerHalf(samples.map(({ envoyUs }) => envoyUs));
    const note = (what: string, value: number) => figures.set(`${each.name}: ${what}`, value);
    note('Envoy’s CPU, µs', cpu);
    if (base !== samples) note('more, µs', cpu - lowerHalf(base.map(({ envoyUs }) => envoyUs)));
    if (each.key === 'bcrypt') note('the agent’s CPU, µs', lowerHalf(samples.map(({ agentUs }) => agentUs)));
    note('p50, ms', percentile(latencies, 0.5));
    note('p99, ms', percentile(latencies, 0.99));
    note('requests per second', median(samples.map(({ requestsPerSecond }) => requestsPerSecond)));
  }
  return figures;
}
