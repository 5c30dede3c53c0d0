import { setImmediate as turn } from 'node:timers/promises';
import { Leases } from '../../src/agent/limits/leases.ts';
import type { LimitGrants, LimitTake, SharedBucket, SharedWindow } from '../../src/contracts/index.ts';
import { SharedLimits } from '../../src/shared-limits/index.ts';
import { HandClock } from './hand-clock.ts';

export const cluster = 'default/edge';

export const bucketOf = (windows: readonly SharedWindow[], closes = false): SharedBucket => ({
  id: 'default/p/b',
  windows,
  shadow: false,
  closes,
});

interface TestReplica {
  readonly limits: SharedLimits;
  isUp: boolean;
}

interface TestAgent {
  readonly leases: Leases;
  /** Where its stream leads to; undefined: nowhere. */
  replica: number | undefined;
}

/** Proxies and control planes as they are, with a clock by hand between them and no network. */
export class LimitWorld {
  readonly clock = new HandClock();
  readonly replicas: TestReplica[] = [];
  readonly agents: TestAgent[];
  /** How many takes reached a control plane. */
  takes = 0;
  /** While it is there, control planes answer only when it is fulfilled. */
  hold: Promise<void> | undefined;
  /** What every request got so far. */
  readonly outcomes = { passed: 0, over: 0, unknown: 0 };
  /** How many of them waited for no control plane. */
  fromLease = 0;
  /** So long a question to a control plane takes, and so long its answer. */
  wayMs = 0;

  constructor({ replicas, agents }: { readonly replicas: number; readonly agents: number }) {
    for (let at = 0; at < replicas; at += 1) this.replicas.push({ limits: this.#limits(at), isUp: true });
    this.agents = Array.from({ length: agents }, (_, at) => {
      const leases = new Leases({ clock: this.clock, call: (takes) => this.#call(at, takes) });
      return { leases, replica: at % replicas };
    });
  }

  /** Lets what happens together happen. */
  async turns(): Promise<void> {
    for (let round = 0; round < 12; round += 1) await turn();
  }

  async move(ms: number): Promise<void> {
    this.clock.move(ms);
    await this.turns();
  }

  /** Requests that come in at once at one proxy, each of which takes as many tokens; how many came through. */
  async ask(agent: number, bucket: SharedBucket, key: string, requests = 1, cost = 1): Promise<number> {
    const answers = Array.from({ length: requests }, () => this.agents[agent]?.leases.ask(bucket, key, cost));
    await this.turns();
    this.fromLease += answers.filter((answer) => !(answer instanceof Promise)).length;
    const verdicts = await Promise.all(answers);
    for (const verdict of verdicts) if (verdict) this.outcomes[verdict.answer] += 1;
    return verdicts.filter((verdict) => verdict?.answer === 'passed').length;
  }

  /** The same, without waiting for what requests get. */
  begin(agent: number, bucket: SharedBucket, key: string, requests: number): void {
    for (let count = 0; count < requests; count += 1) {
      const answer = this.agents[agent]?.leases.ask(bucket, key, 1);
      if (!(answer instanceof Promise)) this.fromLease += 1;
      void Promise.resolve(answer).then((verdict) => {
        if (verdict) this.outcomes[verdict.answer] += 1;
      });
    }
  }

  /** A response cost so much. */
  async charge(agent: number, bucket: SharedBucket, key: string, tokens: number): Promise<void> {
    this.agents[agent]?.leases.charge(bucket, key, tokens);
    await this.turns();
  }

  /** A control plane ends, with all it kept; its proxies go to another one. */
  kill(replica: number): void {
    const killed = this.replicas[replica];
    if (killed) killed.isUp = false;
    for (const [at, { limits, isUp }] of this.replicas.entries())
      if (isUp && at !== replica) limits.parted(`replica-${replica}`);
    const others = this.replicas.flatMap(({ isUp }, at) => (isUp ? at : []));
    for (const agent of this.agents) if (agent.replica === replica) agent.replica = others[0];
  }

  #limits(at: number): SharedLimits {
    const identity = `replica-${at}`;
    const say = (to: string, words: (limits: SharedLimits) => void) => {
      const other = this.replicas[Number(to.slice('replica-'.length))];
      setImmediate(() => {
        if (other?.isUp) words(other.limits);
      });
    };
    return new SharedLimits({
      identity,
      clock: this.clock,
      proxies: () => this.agents.length,
      metrics: { taken() {}, readKeys() {}, readStore() {} },
      peers: {
        connected: () => this.replicas.flatMap(({ isUp }, other) => (isUp && other !== at ? `replica-${other}` : [])),
        ask: (message) => say(message.to, (limits) => limits.asked(identity, message)),
        answer: (message) => say(message.to, (limits) => limits.answered(identity, message)),
      },
    });
  }

  async #call(agent: number, takes: readonly LimitTake[]): Promise<LimitGrants> {
    const at = this.agents[agent]?.replica;
    const replica = at === undefined ? undefined : this.replicas[at];
    if (!replica?.isUp) throw new Error('no answer');
    this.takes += 1;
    await this.hold;
    await this.#way();
    const grants = await replica.limits.take({ cluster, takes });
    await this.#way();
    return grants;
  }

  #way(): Promise<void> {
    if (this.wayMs === 0) return Promise.resolve();
    return new Promise((resolve) => this.clock.after(this.wayMs, resolve));
  }
}
