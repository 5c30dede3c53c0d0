import { Backoff } from '../std/index.ts';
import type { Clock } from '../std/queue/index.ts';
import { jittered } from './interval.ts';
import type { LoginKeyStore, LoginSecret } from './login-key-store.ts';

export interface LoginKeysOptions {
  readonly store: LoginKeyStore;
  /** One replica makes the key: the others wait for it. */
  readonly isLeader: () => boolean;
  readonly clock: Clock;
  readonly random?: () => number;
  /** The key is there, or another one. */
  readonly onKey: (secret: LoginSecret) => void;
  /** Said once for each way in which it fails. */
  readonly onFault: (error: unknown) => void;
}

const backoff = { baseMs: 1000, maxMs: 60_000 } as const;
/** It may have been exchanged by hand. */
const againMs = 300_000;

/**
 * Has the key of all logins at hand while some policy has browsers log in: reads it, and makes it where there is none and this replica
 * leads. Nothing is made for an install without logins.
 */
export class LoginKeys {
  readonly #options: LoginKeysOptions;
  readonly #policies = new Set<string>();
  readonly #backoff: Backoff;
  #cancel: (() => void) | undefined;
  #isStarted = false;
  #isLooking = false;
  #isStopped = false;
  #known = '';
  #said = '';

  constructor(options: LoginKeysOptions) {
    this.#options = options;
    this.#backoff = new Backoff({ ...backoff, ...(options.random && { random: options.random }) });
  }

  /** Reports what was kept before, so that the first snapshot has it: without it all logins would be closed for a moment. */
  load(): void {
    const secret = this.#options.store.kept?.();
    if (secret) this.#take(secret);
  }

  /** Whether a policy has browsers log in. `policy`: its key. */
  want(policy: string, wants: boolean): void {
    if (!wants) return void this.#policies.delete(policy);
    const isFirst = this.#policies.size === 0;
    this.#policies.add(policy);
    if (isFirst) this.look();
  }

  /** What existed at the start is known. */
  start(): void {
    this.#isStarted = true;
    this.look();
  }

  /** It may be another one, or be missing: this replica leads now, or the Secret changed. */
  look(): void {
    if (!this.#isStarted || this.#isStopped || this.#isLooking || this.#policies.size === 0) return;
    this.#cancel?.();
    this.#isLooking = true;
    void this.#find()
      .then(
        (waitMs) => this.#lookIn(waitMs),
        (error: unknown) => {
          this.#say(error);
          this.#lookIn(this.#backoff.next());
        },
      )
      .finally(() => {
        this.#isLooking = false;
      });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /** How long to wait until it is looked for again. */
  async #find(): Promise<number> {
    const { store, isLeader, random = Math.random } = this.#options;
    let secret = await store.find();
    if (!secret && isLeader()) {
      await store.create();
      secret = await store.find();
    }
    if (!secret) return this.#backoff.next();
    this.#backoff.reset();
    this.#said = '';
    this.#take(secret);
    return jittered(againMs, random);
  }

  #take(secret: LoginSecret): void {
    const text = JSON.stringify(secret.data);
    if (text === this.#known) return;
    this.#known = text;
    this.#options.onKey(secret);
  }

  #lookIn(waitMs: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.after(waitMs, () => this.look());
  }

  #say(error: unknown): void {
    const text = String(error);
    if (text === this.#said) return;
    this.#said = text;
    this.#options.onFault(error);
  }
}
