import test, { type ExecutionContext } from 'ava';
import { endings } from '../support/endings.ts';
import type { HttpRequest } from '../support/http.ts';
import { PickerProcess } from '../support/picker-process.ts';
import { type PoolWorld, pickerObjects, poolObject, poolRef, startPoolWorld } from '../support/pool-world.ts';
import { routeObject } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/**
 * A picker that is killed, stopped or mute while requests keep coming, and comes back. Two pools have it: one fails open, the other closed. A third
 * pool of the Gateway has a picker of its own.
 */

const ends = endings(test);
let world: PoolWorld;
let picker: PickerProcess;

const pools = { open: 'FailOpen', closed: 'FailClose' } as const;
type PoolName = keyof typeof pools;

test.before(async () => {
  world = await startPoolWorld(ends, { picker: { pick: ({ headers }) => ({ endpoint: headers['x-want'] ?? '' }) } });
  picker = await PickerProcess.start(ends);
  world.write('away.yaml', ...pickerObjects('away', picker.port));
  await usePools('FullDuplex');
});

/** A second host of each pool has a timeout. */
async function usePools(mode: string): Promise<void> {
  const objects = Object.entries(pools).flatMap(([name, failureMode]) => [
    poolObject(name, world.modelPort, { failureMode, mode, picker: 'away', app: 'llama' }),
    routeObject(name, `${name}.test`, [{ backendRefs: [poolRef(name)] }]),
    routeObject(`${name}-timed`, `${name}-timed.test`, [{ backendRefs: [poolRef(name)], timeouts: { request: '1s' } }]),
  ]);
  world.write('pools.yaml', ...objects);
  await world.settled();
}

type Phase = 'there' | 'going' | 'away' | 'coming';

interface Sent {
  readonly id: string;
  readonly began: Phase;
  readonly ended: Phase;
  /** 0: the answer was cut. */
  readonly status: number;
  /** The picker heard of the answer, or who answers did. */
  readonly picked: boolean;
}

let phase: Phase = 'there';
let count = 0;

async function ask(host: string): Promise<Sent> {
  count += 1;
  const id = `${host} ${count}`;
  const began = phase;
  const want = world.servers[count % world.servers.length]?.endpoint ?? '';
  const request: HttpRequest = { host, method: 'POST', path: '/v1/completions', body: id, headers: { 'x-want': want } };
  const answer = await world.ask(request).catch(() => undefined);
  const picked = answer?.headers['x-served'] === want;
  return { id, began, ended: phase, status: answer?.status ?? 0, picked };
}

/** Requests for a host, some at a time, one after the other until it is stopped. */
class Load {
  readonly sent: Sent[] = [];
  #isOver = false;
  readonly #loops: Promise<void>[];

  constructor(host: string, atOnce: number) {
    this.#loops = Array.from({ length: atOnce }, async () => {
      while (!this.#isOver) this.sent.push(await ask(host));
    });
  }

  /** Those that were sent and answered in the phase. */
  within(asked: Phase): readonly Sent[] {
    return this.sent.filter(({ began, ended }) => began === asked && ended === asked);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }
}

/** How often model servers were asked each of them. */
function listen(): (sent: Pick<Sent, 'id'>) => number {
  const times = new Map<string, number>();
  for (const id of world.servers.flatMap(({ asked }) => asked)) times.set(id, (times.get(id) ?? 0) + 1);
  return ({ id }) => times.get(id) ?? 0;
}

interface Away {
  readonly goes: () => Promise<void>;
  readonly comes: () => Promise<void>;
  /** How many requests of each pool are looked at meanwhile. */
  readonly requests: number;
}

/** Keeps all pools busy while the picker goes, is away and comes back; gives what was sent. */
async function throughout({ goes, comes, requests }: Away): Promise<Readonly<Record<PoolName | 'other', Load>>> {
  phase = 'there';
  const loads = { open: new Load('open.test', 6), closed: new Load('closed.test', 6), other: new Load('a.test', 3) };
  const all = Object.values(loads);
  const each = (what: string, is: (load: Load) => boolean) => until(what, () => all.every(is));
  await each('requests to be picked', (load) => load.within('there').filter(({ picked }) => picked).length >= 12);
  phase = 'going';
  await goes();
  phase = 'away';
  await each('requests without the picker', (load) => load.within('away').length >= requests);
  phase = 'coming';
  await comes();
  await each(
    'requests to be picked again',
    (load) => load.within('coming').filter(({ picked }) => picked).length >= 12,
  );
  await Promise.all(all.map((load) => load.stop()));
  return loads;
}

function judge(t: ExecutionContext, { open, closed, other }: Readonly<Record<PoolName | 'other', Load>>): void {
  const statuses = (sent: readonly Sent[]) => [...new Set(sent.map(({ status, picked }) => `${status} ${picked}`))];
  t.deepEqual(statuses(open.within('away')), ['200 false']);
  t.deepEqual(statuses(closed.within('away')), ['503 false']);
  const all = [...open.sent, ...closed.sent, ...other.sent];
  const heard = listen();
  t.deepEqual(
    all.filter((each) => heard(each) > 1),
    [],
    'no prompt runs twice',
  );
  t.deepEqual(
    closed.within('away').filter((each) => heard(each) > 0),
    [],
  );
  // What a model server was asked before the picker went cannot be asked again.
  t.deepEqual(
    open.sent.filter((each) => each.status !== 200 && heard(each) === 0),
    [],
  );
}

/** A busy machine may hold up a picker that is there so long that the proxy gives up its connection. */
const feltNothing = (t: ExecutionContext, { sent }: Load, lost: number): void => {
  const failed = sent.filter(({ status, picked }) => status !== 200 || !picked);
  if (lost === 0) t.deepEqual(failed, []);
  else t.log(`its picker lost ${lost} connections`);
};

const ways: Readonly<Record<string, { readonly mode: string; readonly away: () => Away }>> = {
  'is killed': {
    mode: 'FullDuplex',
    away: () => ({ goes: () => picker.kill(), comes: () => picker.run(), requests: 60 }),
  },
  'that sees no responses is killed': {
    mode: 'FullDuplexRequest',
    away: () => ({ goes: () => picker.kill(), comes: () => picker.run(), requests: 60 }),
  },
  'is stopped': {
    mode: 'FullDuplex',
    away: () => ({ goes: () => picker.freeze(), comes: async () => picker.thaw(), requests: 12 }),
  },
};

for (const [what, { mode, away }] of Object.entries(ways))
  test.serial(
    `while a picker ${what}, its pools do what their failure mode says, and others feel nothing`,
    async (t) => {
      t.timeout(600_000);
      await usePools(mode);
      const { lost } = world.picker;
      const loads = await throughout(away());
      judge(t, loads);
      feltNothing(t, loads.other, world.picker.lost - lost);
    },
  );

test.serial(
  'while a picker is mute, requests wait as long as their route lets them, and are picked when it speaks',
  async (t) => {
    t.timeout(600_000);
    await usePools('FullDuplex');
    const [{ lost: own }, others] = [await picker.report(), world.picker.lost];
    phase = 'away';
    await picker.mute();
    const waiting = Object.keys(pools).flatMap((pool) => Array.from({ length: 20 }, () => ask(`${pool}.test`)));
    const onlyTheseWait = async () => {
      const { waiting: count, lost } = await picker.report();
      return count === waiting.length || lost > own;
    };
    await until('all to wait', onlyTheseWait);
    const other = new Load('a.test', 3);
    const timed = await Promise.all(
      Object.keys(pools).flatMap((pool) => Array.from({ length: 10 }, () => ask(`${pool}-timed.test`))),
    );
    await until('the other pool to answer', () => other.sent.length >= 20);
    // The proxy answers a client before it gives up the request within itself: the picker must not speak in between.
    await until('those with a timeout to be given up', onlyTheseWait);
    await picker.speak();
    const late = await Promise.all(waiting);
    await other.stop();
    feltNothing(t, other, world.picker.lost - others);
    if ((await picker.report()).lost > own)
      return t.log('a busy machine held up the picker, so that it lost connections');
    t.deepEqual([...new Set(timed.map(({ status }) => status))], [504]);
    const heard = listen();
    t.deepEqual(
      timed.filter((each) => heard(each) > 0),
      [],
    );
    t.deepEqual(
      late.filter((each) => each.status !== 200 || !each.picked || heard(each) !== 1),
      [],
    );
  },
);
