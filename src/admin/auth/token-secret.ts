import { randomBytes } from 'node:crypto';
import { SecretText } from '../../config/index.ts';
import type { KubernetesObject } from '../../gateway-api/index.ts';
import { type KubeClient, KubeError, type ResourceType } from '../../kube/index.ts';
import type { Tokens } from './bearer-auth.ts';

const secretType: ResourceType = { group: '', version: 'v1', plural: 'secrets', name: 'Secret' };
/** Its keys. */
const tokenKeys = { full: 'token', readOnly: 'read-only-token' } as const;
/** Other replicas may write at the same moment. */
const maxTries = 20;
/** Who deletes the Secret finds new tokens in it after this, also where they ask for nothing. */
const everyMs = 60_000;
/** How old the tokens may be that a request is judged by. */
const freshMs = 5_000;
/** An unknown token has the Secret read, but no more often than this. */
const refreshMs = 1_000;
/** Requests wait for that read. */
const refreshTimeoutMs = 2_000;

interface Secret extends KubernetesObject {
  readonly type?: string;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>;
}

interface Pair {
  readonly full: SecretText;
  readonly readOnly: SecretText;
}

export interface TokenSecretOptions {
  readonly client: Pick<KubeClient, 'find' | 'create' | 'replace'>;
  readonly namespace: string;
  readonly name: string;
  /** For the log, once for each fault: the tokens read before stay valid. */
  readonly onFailure: (error: Error) => void;
  /** The tokens are others than before. */
  readonly onChange?: () => void;
}

/** It is not available at the start; the message says which right is missing. */
class TokenSecretError extends Error {
  override readonly name = 'TokenSecretError';
  readonly code = 'token_secret';
}

/**
 * The tokens of the admin API in a Secret that all replicas share. What is missing of it is made, at the start and later:
 * who deletes the Secret gets new tokens. It is read when a request comes, which costs a control plane nothing that is not asked.
 */
export class TokenSecret implements Tokens {
  readonly #options: TokenSecretOptions;
  #pair: Pair;
  #readAt = performance.now();
  #reading: Promise<void> | undefined;
  #failure: string | undefined;

  private constructor(options: TokenSecretOptions, pair: Pair) {
    this.#options = options;
    this.#pair = pair;
  }

  /** Reads or makes the Secret. Rejects with TokenSecretError for a missing right or namespace, else with KubeError. */
  static async open(options: TokenSecretOptions): Promise<TokenSecret> {
    return new TokenSecret(options, await load(options).catch((error) => Promise.reject(explained(error, options))));
  }

  readonly full = async (): Promise<SecretText> => (await this.#fresh()).full;
  readonly readOnly = async (): Promise<SecretText> => (await this.#fresh()).readOnly;

  /** Reads the Secret again, unless that was done within the last second. Never rejects. */
  readonly refresh = async (): Promise<void> => {
    if (this.#reading === undefined && performance.now() - this.#readAt < refreshMs) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
      this.#readAt = performance.now();
    });
    await this.#reading;
  };

  /** Reads the Secret again now and then, from now on. Returns how to stop. */
  start(): () => void {
    const timer = setInterval(() => void this.refresh(), everyMs).unref();
    return () => clearInterval(timer);
  }

  async #fresh(): Promise<Pair> {
    if (performance.now() - this.#readAt >= freshMs) {
      const read = this.refresh();
      // While the API server is away, requests would wait for nothing again and again.
      if (this.#failure === undefined) await read;
    }
    return this.#pair;
  }

  async #read(): Promise<void> {
    try {
      const pair = await load(this.#options, { timeoutMs: refreshTimeoutMs });
      this.#failure = undefined;
      const isSame = (['full', 'readOnly'] as const).every((key) => pair[key].reveal() === this.#pair[key].reveal());
      if (isSame) return;
      this.#pair = pair;
      this.#options.onChange?.();
    } catch (caught) {
      const error = caught as Error;
      if (error.message !== this.#failure) this.#options.onFailure(error);
      this.#failure = error.message;
    }
  }
}

interface Timing {
  readonly timeoutMs?: number;
}

async function load(options: TokenSecretOptions, timing: Timing = {}): Promise<Pair> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await loadOnce(options, timing);
    } catch (error) {
      const lost = error instanceof KubeError && (error.code === 'conflict' || error.code === 'already-exists');
      if (!lost || tries >= maxTries) throw error;
    }
  }
}

async function loadOnce({ client, namespace, name }: TokenSecretOptions, timing: Timing): Promise<Pair> {
  const secret = await client.find<Secret>(secretType, { namespace, name }, timing);
  const full = textOf(secret, tokenKeys.full);
  const readOnly = textOf(secret, tokenKeys.readOnly);
  const pair = { full: new SecretText(full ?? generated()), readOnly: new SecretText(readOnly ?? generated()) };
  if (full !== undefined && readOnly !== undefined) return pair;
  const data = {
    ...secret?.data,
    [tokenKeys.full]: base64(pair.full),
    [tokenKeys.readOnly]: base64(pair.readOnly),
  };
  if (secret !== undefined) await client.replace(secretType, { ...secret, data } as Secret, timing);
  else {
    const metadata = { namespace, name, labels: { 'app.kubernetes.io/name': 'gatewright' } };
    const made = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data };
    await client.create(secretType, made as unknown as Secret, timing);
  }
  return pair;
}

/** 256 bits. */
const generated = (): string => randomBytes(32).toString('base64url');

const base64 = (token: SecretText): string => Buffer.from(token.reveal()).toString('base64');

/** Undefined for what is missing or empty. */
const textOf = (secret: Secret | undefined, key: string): string | undefined =>
  Buffer.from(secret?.data?.[key] ?? '', 'base64')
    .toString('utf8')
    .trim() || undefined;

function explained(error: unknown, { namespace, name }: TokenSecretOptions): unknown {
  if (!(error instanceof KubeError)) return error;
  if (error.code === 'not-found')
    return new TokenSecretError(`adminAuth.tokenSecret: ${error.message}; create namespace ${namespace}`, {
      cause: error,
    });
  if (error.code !== 'forbidden') return error;
  const remedy = `grant create on secrets, and get and update on Secret ${name}, in namespace ${namespace} (Role gatewright of rbac/control-plane.yaml), or name another token`;
  return new TokenSecretError(`adminAuth.tokenSecret: ${error.message}; ${remedy}`, { cause: error });
}
