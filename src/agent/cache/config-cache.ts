import { join } from 'node:path';
import { typeUrls } from '../../envoy/wire/index.ts';
import { Backoff } from '../../std/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { Clock } from '../clock.ts';
import type { Knowledge, Relay } from '../relay/index.ts';
import { CacheFile } from './cache-file.ts';
import { decodeEntry, type Entry, EntrySum, encodeEntry } from './entry.ts';

export interface CacheOptions {
  /** The folder for the file; made when it is missing. */
  readonly directory: string;
  /** What the file is encrypted with; see `readCacheKey`. */
  readonly key?: Buffer | undefined;
  /** A configuration is not used any more when no control plane has stood behind it for so long, in milliseconds. */
  readonly maxAgeMs?: number | undefined;
  /** Whether private keys and other Secrets are kept as well. */
  readonly secrets: boolean;
}

interface Deps {
  /** `NAMESPACE/NAME` of the Gateway to serve. */
  readonly gateway: string;
  readonly relay: Relay;
  /** When a control plane was last there; undefined: never yet. */
  readonly confirmedAt: () => Date | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** What can be said of the cache. */
export interface CacheState {
  readonly path: string;
  /** When the file was last written; undefined: not by this agent. */
  readonly writtenAt: Date | undefined;
  readonly bytes: number;
  readonly writeFailures: number;
  /** Why the last write failed; undefined when it did not. */
  readonly fault: string | undefined;
  /** When a control plane last stood behind what was read at the start; undefined: nothing was, or it is out of use. */
  readonly restoredFrom: Date | undefined;
}

const fileName = 'configuration.cache';
/** Changes come in bursts; what comes within this time is written as one. */
const quietMs = 500;
/** From the end of a write to the next. */
const pauseMs = 2000;
/** Timers overflow above it. */
const longestTimerMs = 2 ** 31 - 1;
/** A file is written again when its changes take this much more room than all of it. */
const spareBytes = 1024 * 1024;

/**
 * Keeps on disk what Envoy has taken, and gives it to a relay that starts. Writes are apart from serving: they happen some time
 * after a change, one at a time, and cost what the change is big. One that fails is counted, reported and tried again.
 */
export class ConfigCache {
  readonly #options: CacheOptions & Deps;
  readonly #file: CacheFile;
  readonly #retry = new Backoff({ baseMs: 1000, maxMs: 60_000 });
  #dirty = false;
  #wake: (() => void) | undefined;
  #wholeBytes = 0;
  #writtenAt: Date | undefined;
  #failures = 0;
  #fault: string | undefined;
  #restoredFrom: Date | undefined;

  constructor(options: CacheOptions & Deps) {
    this.#options = options;
    this.#file = new CacheFile(join(options.directory, fileName), options.key);
  }

  get state(): CacheState {
    return {
      path: this.#file.path,
      writtenAt: this.#writtenAt,
      bytes: this.#file.bytes,
      writeFailures: this.#failures,
      fault: this.#fault,
      restoredFrom: this.#restoredFrom,
    };
  }

  /**
   * Gives the relay what an agent before this one kept. A file that cannot be used is logged in one line and counts as none.
   * True: the relay has a configuration. Never rejects.
   */
  async restore(): Promise<boolean> {
    const { logger, relay } = this.#options;
    const { path } = this.#file;
    const found = await this.#load();
    if (found === undefined) return false;
    const unused = (reason: string) => {
      logger.warn({ path, reason }, 'the configuration kept on disk is not used');
      return false;
    };
    if (typeof found === 'string') return unused(found);
    try {
      relay.restore(this.#kept(found.knowledge));
    } catch (error) {
      relay.forget();
      return unused(`it is damaged: ${(error as Error).message}`);
    }
    this.#restoredFrom = found.confirmedAt;
    const facts = { path, config_version: relay.applied?.id, confirmed_at: found.confirmedAt };
    logger.info(facts, 'configuration taken from disk; it is served until a control plane sends another');
    return true;
  }

  /** Envoy has taken a snapshot. */
  changed(): void {
    this.#dirty = true;
    this.#wake?.();
  }

  /** Writes until `signal` is aborted, and once more then, what there is to write. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, relay } = this.#options;
    const pause = (ms: number) => clock.delay(ms, signal).catch(() => undefined);
    while (!signal.aborted) {
      await this.#something(signal);
      await pause(quietMs);
      // In the middle of a change, or before Envoy has taken all of it again after a restart: no snapshot has to follow that.
      if (relay.settled || signal.aborted) await this.#write();
      await pause(this.#fault === undefined ? pauseMs : this.#retry.next());
    }
    if (this.#dirty || this.#options.maxAgeMs !== undefined) await this.#write();
    await this.#file.close();
  }

  /**
   * Resolves when what was restored is older than allowed while no control plane has been there; it is removed from disk then. Never
   * resolves where that cannot be. Rejects when `signal` is aborted.
   */
  async expired(signal: AbortSignal): Promise<void> {
    const { maxAgeMs, confirmedAt, clock, logger } = this.#options;
    const from = this.#restoredFrom;
    if (maxAgeMs === undefined || !from) return never(signal);
    const leftMs = () => from.getTime() + maxAgeMs - clock.now().getTime();
    while (leftMs() > 0) await clock.delay(Math.min(leftMs(), longestTimerMs), signal);
    if (confirmedAt() !== undefined) return never(signal);
    this.#restoredFrom = undefined;
    const reason = ageReason(from, clock.now());
    logger.error({ reason }, 'the configuration kept on disk is not used any more; traffic is rejected');
    await this.#file.remove().catch(() => undefined);
  }

  /** The Entry that is to be used, or why none is; undefined: there is no file. */
  async #load(): Promise<Entry | string | undefined> {
    const { gateway, maxAgeMs, clock, logger } = this.#options;
    const reading = await this.#file.read();
    if (!reading) return undefined;
    if ('fault' in reading) return reading.fault;
    if (reading.cut) logger.warn({ path: this.#file.path }, 'the end of the configuration kept on disk is not whole');
    const entry = sumOf(reading.records);
    if (!entry?.knowledge.applied) return 'it is damaged: no configuration is in it';
    if (entry.gateway !== gateway) return `it is for the Gateway ${entry.gateway}`;
    const ageMs = clock.now().getTime() - entry.confirmedAt.getTime();
    return maxAgeMs !== undefined && ageMs > maxAgeMs ? ageReason(entry.confirmedAt, clock.now()) : entry;
  }

  /** Resolves when there is something to write, a sign of life included. */
  async #something(signal: AbortSignal): Promise<void> {
    if (this.#dirty) return;
    const changed = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const over = new AbortController();
    const until = AbortSignal.any([signal, over.signal]);
    await Promise.race([changed, this.#options.clock.delay(this.#aliveMs, until).catch(() => undefined)]);
    over.abort();
    this.#wake = undefined;
  }

  /** How often it is written that a control plane still stands behind all of it: where the age of that counts. */
  get #aliveMs(): number {
    const { maxAgeMs } = this.#options;
    return maxAgeMs === undefined ? longestTimerMs : Math.min(300_000, Math.max(1000, maxAgeMs / 10));
  }

  async #write(): Promise<void> {
    const { relay, gateway, clock } = this.#options;
    const confirmedAt = this.#options.confirmedAt() ?? this.#restoredFrom;
    if (!relay.applied || !confirmedAt) return;
    if (this.#unconfirmed(confirmedAt)) return;
    this.#dirty = false;
    try {
      const whole = await this.#mustReplace();
      const knowledge = this.#kept(whole ? relay.takeAll() : relay.takeChanges());
      const record = encodeEntry({ gateway, whole, confirmedAt, knowledge });
      await (whole ? this.#file.replace(record) : this.#file.append(record));
      if (whole) this.#wholeBytes = this.#file.bytes;
      this.#writtenAt = clock.now();
      this.#wentWell();
    } catch (error) {
      this.#dirty = true;
      this.#wentWrong(error as Error);
    }
  }

  /** Nothing to say: no change, and no rejection that is over. */
  #unconfirmed(confirmedAt: Date): boolean {
    return !this.#dirty && confirmedAt.getTime() === this.#restoredFrom?.getTime();
  }

  async #mustReplace(): Promise<boolean> {
    const { bytes, appendable } = this.#file;
    return !appendable || bytes > 2 * this.#wholeBytes + spareBytes || (await this.#file.lost());
  }

  #kept(knowledge: Knowledge): Knowledge {
    if (this.#options.secrets) return knowledge;
    return { ...knowledge, types: knowledge.types.filter(({ typeUrl }) => typeUrl !== typeUrls.secret) };
  }

  #wentWell(): void {
    this.#retry.reset();
    if (this.#fault !== undefined) this.#options.logger.info('the configuration is kept on disk again');
    this.#fault = undefined;
  }

  #wentWrong({ message }: Error): void {
    this.#failures += 1;
    const { path } = this.#file;
    if (this.#fault === undefined)
      this.#options.logger.error({ path, reason: message }, 'failed to keep the configuration on disk; retrying');
    this.#fault = message;
  }
}

function sumOf(records: readonly Buffer[]): Entry | undefined {
  const sum = new EntrySum();
  try {
    for (const record of records) sum.add(decodeEntry(record));
  } catch {
    return undefined;
  }
  return sum.total;
}

function ageReason(confirmedAt: Date, now: Date): string {
  const seconds = Math.round((now.getTime() - confirmedAt.getTime()) / 1000);
  return `no control plane has stood behind it for ${seconds} s, longer than dataplane.cache.maxAge allows`;
}

const never = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
