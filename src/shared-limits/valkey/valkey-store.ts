import { randomBytes } from 'node:crypto';
import type { LimitGrant, LimitTake } from '../../contracts/index.ts';
import type { Clock } from '../../std/queue/index.ts';
import type { LimitStore } from '../limit-store.ts';
import { readGrant, scriptArguments } from './take-message.ts';
import { ValkeyConnection, type ValkeyConnectionOptions, type ValkeyScripts } from './valkey-connection.ts';

export interface ValkeyStoreOptions extends Omit<ValkeyConnectionOptions, 'check'> {
  /** What all keys begin with. */
  readonly keyPrefix: string;
  readonly clock: Clock;
}

/** A server that is silent for so long is connected to again, and what it was asked is not known. The calls of agents wait longer. */
const silentMs = 3000;

/** Another program wrote what is kept under this key: the server is as it should be. */
const isOfOneKey = ({ message }: Error): boolean => /^WRONGTYPE|user_script/.test(message);

/** Buckets that a Valkey or Redis keeps, for all control planes that ask it. What is granted is taken at once, in one step of the server. */
export class ValkeyStore implements LimitStore {
  readonly #options: ValkeyStoreOptions;
  readonly #connection: ValkeyConnection;
  readonly #boot = randomBytes(9).toString('base64url');
  #made = 0;

  constructor(options: ValkeyStoreOptions) {
    this.#options = options;
    this.#connection = new ValkeyConnection({ ...options, check: (scripts) => this.#check(scripts) });
  }

  get isConnected(): boolean {
    return this.#connection.scripts !== undefined;
  }

  get trouble(): string | undefined {
    return this.#connection.trouble;
  }

  start(): void {
    this.#connection.start();
  }

  stop(): void {
    this.#connection.stop();
  }

  /** Agents go on by themselves before it is silent for good, and take what it grants late all the same. */
  async take(cluster: string, takes: readonly LimitTake[]): Promise<readonly (LimitGrant | null)[]> {
    const { scripts } = this.#connection;
    if (!scripts) return takes.map(() => null);
    const silent = new Error(`it has not answered for ${silentMs} ms`);
    const cancel = this.#options.clock.after(silentMs, () => this.#connection.drop(silent));
    const grants = await Promise.all(takes.map((take) => this.#ask(scripts, cluster, take)));
    cancel();
    return grants;
  }

  /** A take from a bucket of no policy: whether the server knows us, can be written, and answers. */
  async #check(scripts: ValkeyScripts): Promise<void> {
    await this.#grantOf(scripts, '', { bucket: 'check|1/100/1', key: '', wanted: 1, back: 0, owner: '', debts: [] });
  }

  /** Null: there is no answer, or none of ours. */
  async #ask(scripts: ValkeyScripts, cluster: string, take: LimitTake): Promise<LimitGrant | null> {
    try {
      return (await this.#grantOf(scripts, cluster, take)) ?? null;
    } catch (error) {
      if (!isOfOneKey(error as Error)) this.#connection.drop(error as Error);
      return null;
    }
  }

  /** Undefined for a bucket that is none. Rejects when there is no answer. */
  async #grantOf(scripts: ValkeyScripts, cluster: string, take: LimitTake): Promise<LimitGrant | undefined> {
    this.#made += 1;
    const words = scriptArguments(take, `${this.#boot}.${this.#made}`);
    if (!words) return undefined;
    const { bucket, key } = take;
    const grant = readGrant(await scripts.take(`${this.#options.keyPrefix}${cluster} ${bucket} ${key}`, words), take);
    if (!grant) throw new Error('it answered with something else than was asked for');
    return grant;
  }
}
