import { createHash } from 'node:crypto';
import { type KubeClient, KubeError } from '../../kube/index.ts';
import { type Admission, AdmissionError, type NodeClaim } from '../../xds/index.ts';
import { claimsOf, serviceAccountOf } from './service-account-token.ts';

/** A ServiceAccount by its names. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

export interface TokenReviewerOptions {
  readonly client: Pick<KubeClient, 'json'>;
  /** Whom the tokens must be for. */
  readonly audience: string;
  /** Which ServiceAccount the proxies of a Gateway (`NAMESPACE/NAME`) run as; undefined when that is no Gateway's name. */
  readonly accountOf: (gateway: string) => Account | undefined;
  readonly now?: () => Date;
}

/** How long an answer counts, in milliseconds. A token that was taken back is so for at most this long. */
const acceptedMs = 60_000;
const rejectedMs = 10_000;
/** So many answers are kept, and so many questions asked at once: any client that reaches the port may send tokens. */
const maxAnswers = 4_096;
const maxQuestions = 32;
const reviewTimeoutMs = 10_000;

const podName = 'authentication.kubernetes.io/pod-name';

interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly error?: string;
    readonly audiences?: readonly string[];
    readonly user?: {
      readonly username?: string;
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
}

interface Answer {
  readonly admission: Promise<Admission>;
  /** Until the question is answered, for as long as that takes. */
  untilMs: number;
}

/**
 * Admits proxies by the token of their ServiceAccount, which the API server checks (TokenReview). Equal tokens are asked
 * for once a minute; they are kept as hashes only.
 */
export class TokenReviewer {
  readonly #options: TokenReviewerOptions;
  readonly #answers = new Map<string, Answer>();
  #questions = 0;

  constructor(options: TokenReviewerOptions) {
    this.#options = options;
  }

  /** Rejects with AdmissionError. */
  admit(token: string): Promise<Admission> {
    const nowMs = this.#now().getTime();
    const key = createHash('sha256').update(token).digest('base64');
    const known = this.#answers.get(key);
    if (known !== undefined && nowMs < known.untilMs) return known.admission;
    this.#answers.delete(key);
    const answer: Answer = { admission: this.#ask(token), untilMs: Number.POSITIVE_INFINITY };
    this.#keep(key, answer);
    answer.admission.then(
      () => this.#expire(answer, Math.min(acceptedMs, this.#remainingMs(token))),
      (error: unknown) => {
        if (error instanceof AdmissionError && error.code === 'unauthenticated') this.#expire(answer, rejectedMs);
        else if (this.#answers.get(key) === answer) this.#answers.delete(key);
      },
    );
    return answer.admission;
  }

  #keep(key: string, answer: Answer): void {
    const [oldest] = this.#answers.keys();
    if (this.#answers.size >= maxAnswers && oldest !== undefined) this.#answers.delete(oldest);
    this.#answers.set(key, answer);
  }

  #expire(answer: Answer, afterMs: number): void {
    answer.untilMs = this.#now().getTime() + afterMs;
  }

  #remainingMs(token: string): number {
    const expiresAt = claimsOf(token)?.expiresAt;
    return expiresAt === undefined ? acceptedMs : expiresAt.getTime() - this.#now().getTime();
  }

  async #ask(token: string): Promise<Admission> {
    const { audience } = this.#options;
    const fault = this.#faultOf(token);
    if (fault !== undefined) throw new AdmissionError('unauthenticated', fault);
    if (this.#questions >= maxQuestions) {
      throw new AdmissionError('unavailable', 'too many tokens are being checked at once; try again');
    }
    this.#questions += 1;
    try {
      return this.#admission(await this.#review(token, audience));
    } finally {
      this.#questions -= 1;
    }
  }

  /** What is known without asking. */
  #faultOf(token: string): string | undefined {
    const { audience } = this.#options;
    const claims = claimsOf(token);
    if (claims === undefined) return 'the token is no ServiceAccount token';
    if (!claims.audiences.includes(audience))
      return `the token is for audience ${claims.audiences.join(', ') || '(none)'}, and not for ${audience}`;
    if (claims.expiresAt !== undefined && claims.expiresAt <= this.#now()) return 'the token has expired';
    return undefined;
  }

  async #review(token: string, audience: string): Promise<TokenReview['status']> {
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, audiences: [audience] },
    };
    const request = {
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      body: JSON.stringify(body),
    } as const;
    try {
      return (await this.#options.client.json<TokenReview>(request, { timeoutMs: reviewTimeoutMs })).status;
    } catch (cause) {
      const { message } = KubeError.from('TokenReview', cause);
      throw new AdmissionError('unavailable', `the token cannot be checked now: ${message}`, { cause });
    }
  }

  #admission(status: TokenReview['status']): Admission {
    const { audience } = this.#options;
    if (status?.authenticated !== true)
      throw new AdmissionError('unauthenticated', `the token is rejected: ${status?.error ?? 'it is not valid'}`);
    // An API server that knows nothing of audiences says nothing of them.
    if (!status.audiences?.includes(audience))
      throw new AdmissionError('unauthenticated', `the token is not for audience ${audience}`);
    const account = serviceAccountOf(status.user?.username ?? '');
    if (account === undefined)
      throw new AdmissionError('unauthenticated', `the token is that of ${status.user?.username}, no ServiceAccount`);
    const pod = status.user?.extra?.[podName]?.[0];
    return {
      subject: `${account.namespace}/${account.name}${pod === undefined ? '' : ` in pod ${pod}`}`,
      rejects: (claim) => this.#rejects(claim, account, pod),
    };
  }

  #rejects({ nodeId, cluster }: NodeClaim, account: Account, pod: string | undefined): string | undefined {
    const expected = this.#options.accountOf(cluster);
    if (expected === undefined) return `node.cluster ${cluster} is not NAMESPACE/NAME of a Gateway`;
    if (expected.namespace !== account.namespace || expected.name !== account.name) {
      return `the token is that of ServiceAccount ${account.namespace}/${account.name}, and proxies of Gateway ${cluster} run as ${expected.namespace}/${expected.name}`;
    }
    // Or a proxy could take the place of another one's stream.
    if (pod !== undefined && pod !== nodeId)
      return `node.id ${nodeId} is not the pod that the token is for, which is ${pod}`;
    return undefined;
  }

  #now(): Date {
    return this.#options.now?.() ?? new Date();
  }
}
