import test, { type ExecutionContext } from 'ava';
import { Elector, type ElectorOptions, LeaderElectionError } from '../../../../src/cluster/leader/index.ts';
import { controllerAnnotation, type Lease } from '../../../../src/cluster/leader/lease.ts';
import { HandClock } from '../../../support/hand-clock.ts';
import { LeaseServer, type Line } from './lease-server.ts';

const controllerName = 'gatewright.dev/gateway-controller';

/** One who takes part, with the times at which its terms began and ended. */
interface Candidate {
  readonly elector: Elector;
  readonly line: Line;
  readonly terms: { readonly from: number; to?: number; reason?: string }[];
  readonly failures: Error[];
  readonly leave: () => Promise<void>;
  readonly ended: Promise<void>;
}

/** An election in which time passes by hand. All clocks run at the same speed, but show different times of day. */
class Election {
  readonly server = new LeaseServer();
  readonly clock = new HandClock();
  readonly candidates: Candidate[] = [];
  readonly #t: ExecutionContext;

  constructor(t: ExecutionContext) {
    this.#t = t;
    t.teardown(async () => {
      for (const { line, leave } of this.candidates) {
        line.set('open');
        await leave().catch(() => undefined);
      }
    });
  }

  async join(identity: string, options: Partial<ElectorOptions> = {}): Promise<Candidate> {
    const line = this.server.line(this.clock);
    const terms: Candidate['terms'] = [];
    const failures: Error[] = [];
    const elector = new Elector({
      client: line,
      namespace: 'system',
      name: 'gatewright-leader',
      identity,
      controllerName,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      clock: this.clock,
      onGained: () => terms.push({ from: this.clock.now() }),
      onLost: (reason) => Object.assign(terms.at(-1) ?? {}, { to: this.clock.now(), reason }),
      onFailure: (error) => failures.push(error),
      ...options,
    });
    const leaving = new AbortController();
    const ended = elector.run(leaving.signal);
    ended.catch(() => undefined);
    const leave = async () => {
      leaving.abort();
      await ended;
    };
    const candidate = { elector, line, terms, failures, leave, ended };
    this.candidates.push(candidate);
    await turns();
    return candidate;
  }

  /** Lets time pass in small steps, and looks after each that no two lead. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) {
      this.clock.move(100);
      await turns();
      this.#t.true(this.leaders().length <= 1, `two lead at ${this.clock.now()} ms`);
    }
  }

  leaders(): Candidate[] {
    return this.candidates.filter(({ elector }) => elector.isLeader);
  }
}

/** Until everything that can happen without time passing has happened. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const foreign = (annotations: Record<string, string>, spec: Lease['spec']): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: 'system', name: 'gatewright-leader', annotations },
  ...(spec && { spec }),
});

test('one of three leads, and goes on leading', async (t) => {
  const election = new Election(t);
  const [first] = [await election.join('a'), await election.join('b'), await election.join('c')];
  await election.pass(60_000);
  t.deepEqual(election.leaders(), [first]);
  t.is(first?.terms.length, 1);
  t.deepEqual([...new Set(election.server.holders)], ['a']);
  t.like(election.server.lease, {
    metadata: { annotations: { [controllerAnnotation]: controllerName } },
    spec: { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 },
  });
});

test('a leader that is cut off stops writing before another replica begins, and another leads 15 s after its last renewal', async (t) => {
  const election = new Election(t);
  const first = await election.join('a');
  const second = await election.join('b');
  await election.pass(30_000);
  const { term } = first.elector;
  first.line.set('hanging');
  const cutAt = election.clock.now();
  await election.pass(20_000);
  t.true(term.aborted, 'whatever was under way is ended');
  t.regex(first.terms[0]?.reason ?? '', /could not be renewed for 10 s/);
  const [{ to = Number.NaN } = {}] = first.terms;
  const [{ from = Number.NaN } = {}] = second.terms;
  t.true(to <= cutAt + 10_000);
  t.true(from <= cutAt + 15_000);
  t.true(from - to >= 4_900, `${from - to} ms between the two`);
  first.line.set('open');
  await election.pass(30_000);
  t.deepEqual(election.leaders(), [second], 'who comes back takes nothing away');
  t.is(election.server.lease?.spec?.leaseTransitions, 1);
});

test('a leader at rest renews its lease less often than it tries again, and a hanging request leaves time for another', async (t) => {
  const election = new Election(t);
  const first = await election.join('a');
  await election.join('b');
  const { holders } = election.server;
  const renewals = holders.length;
  await election.pass(38_000);
  // In steps of 0.1 s.
  t.is(holders.length - renewals, 10, 'every 3.75 s');
  first.line.set('hanging');
  await election.pass(8_700);
  t.is(holders.length - renewals, 10);
  first.line.set('open');
  await election.pass(200);
  t.is(holders.length - renewals, 11, 'as soon as the other has waited for half of the deadline');
  await election.pass(20_000);
  t.deepEqual(election.leaders(), [first]);
  t.is(first.terms.length, 1);
  t.true(first.failures.length > 0);
});

test('a leader does not watch its own renewals; standbys watch, and so does one that leads no more', async (t) => {
  const election = new Election(t);
  const first = await election.join('a');
  await election.join('b');
  await election.join('c');
  await election.pass(30_000);
  t.is(election.server.watchers, 2);
  first.line.set('hanging');
  await election.pass(20_000);
  t.is(election.leaders().length, 1);
  t.is(election.server.watchers, 2, 'another leads, and the first is a standby');
  const [second] = election.leaders();
  first.line.set('open');
  await second?.leave();
  await turns();
  t.is(election.leaders().length, 1, 'a lease that was given back is taken at once');
});

test('an answer that comes too late is no leave to lead', async (t) => {
  const election = new Election(t);
  const first = await election.join('a');
  await election.pass(4_000);
  first.line.set('hanging-answers');
  await election.pass(14_000);
  t.false(first.elector.isLeader);
  election.clock.skip(5_000);
  first.line.set('open');
  await turns();
  t.false(first.elector.isLeader, 'the renewal was sent 16 s ago: another may lead by now');
  await election.pass(4_000);
  t.true(first.elector.isLeader, 'the next one is in time');
});

test('a process that was stopped for a while knows at once that its time is over', async (t) => {
  const election = new Election(t);
  const first = await election.join('a');
  await election.pass(4_000);
  const { term } = first.elector;
  election.clock.skip(12_000);
  t.true(first.elector.term.aborted, 'though no timer has fired');
  t.true(term.aborted);
});

test('the time of day of no clock counts', async (t) => {
  const election = new Election(t);
  const at = (time: string) => ({ now: () => new Date(Date.parse(time) + election.clock.now()) });
  const first = await election.join('a', at('2026-01-01T00:00:00Z'));
  const ahead = await election.join('b', at('2026-01-01T01:00:00Z'));
  const behind = await election.join('c', at('2025-01-01T00:00:00Z'));
  await election.pass(60_000);
  t.deepEqual(election.leaders(), [first]);
  first.line.set('hanging');
  await election.pass(16_000);
  t.is(ahead.terms.length + behind.terms.length, 1);
});

test('a leader that leaves gives the lease back, and another leads at once', async (t) => {
  const election = new Election(t);
  const first = await election.join('a');
  const second = await election.join('b');
  await election.pass(10_000);
  const { watched } = first.line;
  await first.leave();
  t.is(first.line.watched, watched, 'a replica that leaves does not begin to watch');
  t.true(election.server.holders.includes(''));
  await turns();
  t.deepEqual(election.leaders(), [second], 'no time had to pass');
});

test('of two who find the lease run out at the same moment one gets it', async (t) => {
  const election = new Election(t);
  const first = await election.join('a');
  await Promise.all([election.join('b'), election.join('c')]);
  first.line.set('hanging');
  await election.pass(30_000);
  t.is(election.leaders().length, 1);
  t.is(new Set(election.server.holders).size, 2, 'the other did not write');
});

test('what others write on the lease does not cost a leader its lead', async (t) => {
  const election = new Election(t);
  const first = await election.join('a');
  const lease = election.server.lease as Lease;
  election.server.put({ ...lease, metadata: { ...lease.metadata, labels: { by: 'hand' } } });
  await election.pass(20_000);
  t.deepEqual(election.leaders(), [first]);
  t.is(first.terms.length, 1);
  t.is(election.server.lease?.metadata.labels?.by, 'hand');
});

test('a lease that is deleted is made again', async (t) => {
  const election = new Election(t);
  await election.join('a');
  election.server.lease = undefined;
  await election.pass(30_000);
  t.is(election.leaders().length, 1);
  const remade = election.server.lease as Lease | undefined;
  t.is(remade?.spec?.holderIdentity, 'a');
});

const rejects = test.macro<[Lease, RegExp]>(async (t, lease, message) => {
  const election = new Election(t);
  election.server.put(lease);
  const { ended } = await election.join('a');
  const error = await t.throwsAsync(ended, { instanceOf: LeaderElectionError, message });
  t.is(error.code, 'lease_conflict');
  t.regex(error.message, /leaderElection\.id: Lease system\/gatewright-leader is .*choose another leaderElection\.id/);
  t.deepEqual(election.server.holders, [lease.spec?.holderIdentity ?? '']);
});

test(
  'a lease that another program holds is rejected',
  rejects,
  foreign({}, { holderIdentity: 'contour-7d', renewTime: '2026-01-01T00:00:00.000000Z' }),
  /the lease of another program, held by "contour-7d"/,
);
test(
  'a lease that another program gave back is rejected',
  rejects,
  foreign({}, { holderIdentity: '', renewTime: '2026-01-01T00:00:00.000000Z' }),
  /the lease of another program, without a holder just now/,
);
test(
  'a lease of control planes for other classes is rejected',
  rejects,
  foreign({ [controllerAnnotation]: 'example.com/other' }, { holderIdentity: 'x' }),
  /control planes for the controller name example\.com\/other/,
);

test('a lease that was made for us beforehand is taken', async (t) => {
  const election = new Election(t);
  election.server.put(foreign({}, undefined));
  const { elector } = await election.join('a');
  t.true(elector.isLeader);
});

test('a leader whose lease another program takes stops, and says so', async (t) => {
  const election = new Election(t);
  const first = await election.join('a');
  election.server.put(foreign({}, { holderIdentity: 'intruder' }));
  await election.pass(12_000);
  t.false(first.elector.isLeader);
  t.regex(first.failures.at(-1)?.message ?? '', /lease of another program, held by "intruder"/);
  t.is(election.server.holders.at(-1), 'intruder');
});
