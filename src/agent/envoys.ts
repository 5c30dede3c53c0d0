import { rm } from 'node:fs/promises';
import { checkBootstrap } from './envoy/check-bootstrap.ts';
import { drain } from './envoy/drain.ts';
import { EnvoyAdmin } from './envoy/envoy-admin.ts';
import { followBinary } from './envoy/follow-binary.ts';
import { HotRestart } from './envoy/hot-restart.ts';
import { argumentsOf, type EnvoySpec, makeTurn, type Turn, type TurnOptions } from './envoy-turn.ts';
import type { Downstream } from './relay/index.ts';
import { ownFilesOf } from './work-dir.ts';

export interface EnvoysOptions extends TurnOptions {
  /** Of the first Envoy. */
  readonly spec: EnvoySpec;
  /** How long connections that are open when another Envoy takes over may stay with the one before, in milliseconds. */
  readonly handoverMs: number;
  /** An Envoy of another binary serves. `hasAsked`: the relay has its requests; else they are about to come. */
  readonly onOtherBinary?: (hasAsked: boolean) => void;
}

/** How long an Envoy that takes over may need until it serves. */
const takeoverMs = 60_000;
const pollMs = 100;
/** By when an Envoy that its successor has ended must be gone. */
const farewellMs = 30_000;
const endTimeMs = 5000;

/**
 * Envoy, whichever it is at the moment. At an upgrade the next one takes over the listening sockets of the one before, which no
 * connection attempt notices, and gets from the agent what that one had; the one before serves out the connections it has.
 *
 * States: *one* Envoy is present; *handing over* from the start of the next until it serves, while the one before serves and answers
 * no questions (Envoy closes its admin interface first); then the next is present, and the one before *retires*.
 *
 * Only its successor ends one that retires: when the handover's time is over, or when the successor is followed itself. Envoy asks the
 * one before it for statistics until it ends it, and aborts when it gets no answer.
 */
export class Envoys {
  /** The present one's. */
  readonly admin = new EnvoyAdmin(() => this.#present.files.adminSocket);
  readonly #options: EnvoysOptions;
  readonly #succession: HotRestart;
  /** With when they have had the time for what they were doing. */
  readonly #retired = new Map<Turn, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #runs: Promise<void>[] = [];
  #present: Turn;
  #upgrade: Promise<void> | undefined;
  #handingOver = false;
  #handovers = 0;
  #upgrades = 0;
  #restartsBefore = 0;
  #upgradeFault: string | undefined;

  constructor(options: EnvoysOptions) {
    this.#options = options;
    this.#succession = new HotRestart(options.workDir.baseId, options.workDir.hotRestart);
    this.#present = this.#turn(options.spec, 0);
  }

  /** The present one's, which is another one after an upgrade. */
  get turn(): Pick<Turn, 'spec' | 'files'> {
    return this.#present;
  }

  get pid(): number | undefined {
    return this.#present.process.pid;
  }

  /** How many were started after the first, other than by an upgrade. */
  get restarts(): number {
    return this.#restartsBefore + this.#present.process.restarts;
  }

  get lastEnd(): string | undefined {
    return this.#present.process.lastEnd;
  }

  get quickEnds(): number {
    return this.#present.process.quickEnds;
  }

  get prepareFault(): string | undefined {
    return this.#present.process.prepareFault;
  }

  /** How many upgrades there were. */
  get upgrades(): number {
    return this.#upgrades;
  }

  /** Why the last upgrade did not come about. */
  get upgradeFault(): string | undefined {
    return this.#upgradeFault;
  }

  get handingOver(): boolean {
    return this.#handingOver;
  }

  kill(why: string): void {
    this.#present.process.kill(why);
  }

  /** Throws ConfigError when Envoy rejects its bootstrap. */
  async check(): Promise<void> {
    await this.#check(this.#present);
  }

  start(): void {
    this.#run(this.#present);
  }

  /** Makes sockets again that were removed. Rejects when they cannot be made. */
  async keepSockets(): Promise<void> {
    await Promise.all([this.#present.downstream, ...this.#options.sockets].map((socket) => socket.listen()));
  }

  /**
   * Puts an Envoy with other settings, or of another binary, in the place of the present one. Resolves when it serves; what stands
   * against it is logged, and reported as `upgradeFault`, and the Envoy before goes on. `isReplaced`: its binary is another one. Never rejects.
   */
  upgrade(spec: EnvoySpec = this.#present.spec, isReplaced = spec.path !== this.#present.spec.path): Promise<void> {
    const former = this.#upgrade ?? Promise.resolve();
    const upgrade = former.then(() => this.#tryUpgrade(spec, isReplaced));
    this.#upgrade = upgrade;
    return upgrade;
  }

  /** Looks now and then whether Envoy's binary has been replaced, and upgrades to it. */
  async followBinary(everyMs: number): Promise<void> {
    await followBinary({
      path: () => this.#present.spec.path,
      everyMs,
      clock: this.#options.clock,
      signal: this.#stopping.signal,
      onChange: async (path) => {
        this.#options.logger.info({ path }, "Envoy's binary has changed");
        await this.upgrade(undefined, true);
      },
    });
  }

  /** Lets the present Envoy finish what it is doing. */
  async drain(options: { readonly minDrainTimeMs: number; readonly signal: AbortSignal }): Promise<void> {
    const { clock, logger } = this.#options;
    if (this.pid === undefined) return;
    const isGone = () => this.pid === undefined;
    await drain({ admin: this.admin, clock, logger, drainTimeMs: this.#present.spec.drainTimeMs, isGone, ...options });
  }

  /** Ends all of them for good. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#present.process.stop(endTimeMs);
    await this.#upgrade;
    // The one that an upgrade was about to start.
    await this.#present.process.stop(endTimeMs);
    const retired = [...this.#retired.keys()];
    await Promise.all(retired.map(({ process }) => process.stop(endTimeMs)));
    for (const { downstream } of [...retired, this.#present]) downstream.close();
    await Promise.all(this.#runs);
    await this.#succession.clear();
  }

  #run(turn: Turn): void {
    this.#runs.push(turn.process.run());
  }

  async #tryUpgrade(spec: EnvoySpec, isReplaced: boolean): Promise<void> {
    const { logger } = this.#options;
    if (this.#stopping.signal.aborted) return;
    try {
      await this.#farewells();
      const next = this.#turn(spec, this.#handovers + 1);
      await this.#check(next);
      this.#handovers += 1;
      const before = this.pid;
      const handsOver = await this.#canHandOver();
      await (handsOver ? this.#handOver(next) : this.#restart(next));
      if (isReplaced) this.#options.onOtherBinary?.(handsOver);
      this.#upgrades += 1;
      this.#upgradeFault = undefined;
      logger.info({ pid: this.pid, former_pid: before }, 'Envoy is upgraded');
    } catch (error) {
      this.#upgradeFault = (error as Error).message;
      logger.error({ reason: this.#upgradeFault }, 'Envoy cannot be upgraded, and runs as before');
    }
  }

  async #check({ makeFiles, downstream, spec, files }: Turn): Promise<void> {
    try {
      await makeFiles();
      await checkBootstrap(spec.path, argumentsOf(spec, files, ['--disable-hot-restart']));
    } catch (error) {
      if (this.#present.downstream !== downstream) downstream.close();
      throw error;
    }
  }

  async #canHandOver(): Promise<boolean> {
    const { clock } = this.#options;
    const startedAt = clock.now().getTime();
    while (HotRestart.possible() && this.pid !== undefined && !this.#stopping.signal.aborted) {
      const info = await this.admin.serverInfo().catch(() => undefined);
      // One that is short of processor time may be late once, and serves: to end it would cost its requests.
      if (info !== undefined || clock.now().getTime() - startedAt > takeoverMs) return info?.state === 'LIVE';
      await clock.delay(pollMs, this.#stopping.signal).catch(() => undefined);
    }
    return false;
  }

  /** The next one beside the present one, until it serves. */
  async #handOver(next: Turn): Promise<void> {
    const former = this.#present;
    this.#handingOver = true;
    try {
      this.#run(next);
      await this.#serving(next);
      this.#present = next;
    } catch (error) {
      await next.process.stop(endTimeMs);
      next.downstream.close();
      former.downstream.resume();
      // Once it has begun to hand over its admin interface is closed for good.
      const whole = await this.admin.serverInfo().catch(() => undefined);
      if (!whole) former.process.kill('the Envoy that was to follow it did not come up');
      throw error;
    } finally {
      this.#handingOver = false;
    }
    this.#restartsBefore += former.process.restarts;
    const { clock } = this.#options;
    const served = clock.delay(former.spec.drainTimeMs, this.#stopping.signal).catch(() => undefined);
    this.#retired.set(former, served);
    this.#runs.push(this.#retire(former));
  }

  /** Where nothing can be handed over. */
  async #restart(next: Turn): Promise<void> {
    const former = this.#present;
    await this.drain({ minDrainTimeMs: 0, signal: this.#stopping.signal });
    await former.process.stop(endTimeMs);
    former.downstream.close();
    this.#restartsBefore += former.process.restarts;
    this.#present = next;
    if (!this.#stopping.signal.aborted) this.#run(next);
  }

  async #serving(next: Turn): Promise<void> {
    const { clock } = this.#options;
    const admin = new EnvoyAdmin(() => next.files.adminSocket);
    const startedAt = clock.now().getTime();
    for (;;) {
      const { lastEnd } = next.process;
      if (lastEnd !== undefined) throw new Error(lastEnd);
      if (this.#stopping.signal.aborted) throw new Error('the agent stops');
      const info = await admin.serverInfo().catch(() => undefined);
      if (info?.state === 'LIVE') return;
      if (clock.now().getTime() - startedAt > takeoverMs)
        throw new Error(`it did not serve within ${takeoverMs / 1000} s (${info?.state ?? 'no answer'})`);
      await clock.delay(pollMs, this.#stopping.signal).catch(() => undefined);
    }
  }

  /** Waits for the end of the former Envoy. Where the one after it has gone too early to end it, the agent does. */
  async #retire(former: Turn): Promise<void> {
    const { clock, handoverMs } = this.#options;
    const gone = new AbortController();
    const ended = former.process.retire().then(() => gone.abort());
    const signal = AbortSignal.any([gone.signal, this.#stopping.signal]);
    await clock.delay(handoverMs + farewellMs, signal).catch(() => undefined);
    if (!this.#stopping.signal.aborted) await former.process.stop(endTimeMs);
    await ended;
    former.downstream.close();
    this.#retired.delete(former);
    // What cannot be removed does no harm: the next one's files have other names.
    await Promise.allSettled(ownFilesOf(former.files).map((file) => rm(file, { force: true })));
  }

  /** The present Envoy ends the one before it as soon as another follows. That one has the time that a drain has, at least. */
  async #farewells(): Promise<void> {
    await Promise.all(this.#retired.values());
  }

  #turn(spec: EnvoySpec, handovers: number): Turn {
    // Only the first one follows another; what is started in its place has nothing to take over.
    let follows = handovers > 0;
    const succession = () => {
      const hot = follows && this.#handingOver;
      follows = false;
      return hot
        ? this.#succession.argumentsToFollow(Math.ceil(this.#options.handoverMs / 1000))
        : this.#succession.argumentsAlone();
    };
    const onStream = (own: Downstream) => {
      if (this.#present.downstream !== own) this.#present.downstream.suspend();
    };
    return makeTurn(spec, this.#options, { files: this.#options.workDir.filesOf(handovers), succession, onStream });
  }
}
