import { createHash } from 'node:crypto';
import { type KubeClient, KubeError } from '../../../kube/index.ts';
import { HttpError } from '../../http/index.ts';
import { unauthorized } from '../unauthorized.ts';
import { Expiring } from './expiring.ts';
import type { Identities, ObjectAttributes, PathAttributes, Person } from './person.ts';
import { Turnstile } from './turnstile.ts';

export interface ClusterIdentitiesOptions {
  readonly client: Pick<KubeClient, 'json'>;
  /** Whom tokens must be for, one of these; empty: the API server. */
  readonly audiences: readonly string[];
  readonly nowMs?: () => number;
}

/** How long an answer counts, in milliseconds: a token or a right that was taken back is so for at most this long. */
const acceptedMs = 10_000;
const rejectedMs = 10_000;
const rightMs = 5_000;
/** Answers that are kept. Those to strangers have a place of their own, which they cannot push others out of. */
const maxAnswers = 1_024;
const timeoutMs = 5_000;

/** What a bearer token may look like (RFC 6750), as long as Node takes headers. */
const tokenForm = /^[A-Za-z0-9._~+/-]{8,16000}={0,2}$/;
const longestReason = 300;

interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly error?: string;
    readonly audiences?: readonly string[];
    readonly user?: Partial<Person>;
  };
}

interface AccessReview {
  readonly status?: { readonly allowed?: boolean };
}

/**
 * Asks the API server who a token is (TokenReview) and what that person may do (SubjectAccessReview). Answers are kept for
 * seconds, tokens only as hashes; whether an object may be written is asked each time. Without an answer the request gets a
 * 503, and nothing is done.
 */
export class ClusterIdentities implements Identities {
  readonly #options: ClusterIdentitiesOptions;
  readonly #people: Expiring<Person>;
  readonly #rejected: Expiring<string>;
  readonly #rights: Expiring<boolean>;
  /** Questions under way, by hash: equal ones are asked once. */
  readonly #asked = new Map<string, Promise<Person>>();
  readonly #turnstile = new Turnstile();

  constructor(options: ClusterIdentitiesOptions) {
    this.#options = options;
    const nowMs = options.nowMs ?? Date.now;
    this.#people = new Expiring(maxAnswers, nowMs);
    this.#rejected = new Expiring(maxAnswers, nowMs);
    this.#rights = new Expiring(maxAnswers, nowMs);
  }

  knows(token: string): boolean {
    return this.#people.find(hashOf(token)) !== undefined;
  }

  async personOf(token: string, peer: string): Promise<Person> {
    const key = hashOf(token);
    const known = this.#people.find(key);
    if (known !== undefined) return known;
    const rejection = tokenForm.test(token) ? this.#rejected.find(key) : 'it has not the form of a token';
    if (rejection !== undefined) throw this.#unauthorized(rejection);
    const asked = this.#asked.get(key) ?? this.#ask(key, token, peer);
    return await asked;
  }

  async mayUse(person: Person, { verb, path }: PathAttributes): Promise<boolean> {
    const key = hashOf(JSON.stringify([verb, path, person]));
    const known = this.#rights.find(key);
    if (known !== undefined) return known;
    const allowed = await this.#review(person, { nonResourceAttributes: { verb, path } });
    this.#rights.keep(key, allowed, rightMs);
    return allowed;
  }

  mayWrite(person: Person, object: ObjectAttributes): Promise<boolean> {
    return this.#review(person, { resourceAttributes: object });
  }

  #ask(key: string, token: string, peer: string): Promise<Person> {
    const asked = this.#turnstile
      .pass(peer, () => this.#reviewToken(key, token))
      .finally(() => this.#asked.delete(key));
    this.#asked.set(key, asked);
    return asked;
  }

  async #reviewToken(key: string, token: string): Promise<Person> {
    const { audiences } = this.#options;
    const spec = { token, ...(audiences.length > 0 && { audiences }) };
    const { status } = await this.#post<TokenReview>('authentication.k8s.io', 'TokenReview', spec);
    const rejection = this.#rejectionOf(status);
    if (rejection !== undefined) {
      this.#rejected.keep(key, rejection, rejectedMs);
      throw this.#unauthorized(rejection);
    }
    const { username = '', uid, groups = [], extra = {} } = status?.user ?? {};
    const person = { username, ...(uid !== undefined && { uid }), groups, extra };
    this.#people.keep(key, person, acceptedMs);
    return person;
  }

  #rejectionOf(status: TokenReview['status']): string | undefined {
    const { audiences } = this.#options;
    if (status?.authenticated !== true || !status.user?.username) return status?.error ?? 'it is not valid';
    // An API server that knows nothing of audiences says nothing of them.
    const isForUs = audiences.length === 0 || audiences.some((audience) => status.audiences?.includes(audience));
    return isForUs ? undefined : `it is not for audience ${audiences.join(' or ')}`;
  }

  async #review(person: Person, what: object): Promise<boolean> {
    const { username: user, uid, groups, extra } = person;
    const spec = { user, ...(uid !== undefined && { uid }), groups, extra, ...what };
    const { status } = await this.#post<AccessReview>('authorization.k8s.io', 'SubjectAccessReview', spec);
    return status?.allowed === true;
  }

  async #post<T extends object>(group: string, kind: string, spec: object): Promise<T> {
    const apiVersion = `${group}/v1`;
    const path = `/apis/${apiVersion}/${kind.toLowerCase()}s`;
    const body = JSON.stringify({ apiVersion, kind, spec });
    try {
      return await this.#options.client.json<T>({ method: 'POST', path, body }, { timeoutMs });
    } catch (cause) {
      const { code, message } = KubeError.from(kind, cause);
      const remedy =
        code === 'forbidden' ? '; grant the control plane create on it (ClusterRole gatewright-cluster)' : '';
      throw new HttpError(
        'identity_unavailable',
        `the API server cannot say now who may do this: ${message.slice(0, longestReason)}${remedy}`,
        { headers: { 'Retry-After': '5' } },
      );
    }
  }

  #unauthorized(reason: string): HttpError {
    return unauthorized(
      `the bearer token is none of the configured ones, and the cluster rejects it: ${reason.slice(0, longestReason)}`,
      true,
    );
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');
