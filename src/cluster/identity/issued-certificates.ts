import type { CertificateSource, ServingCertificate } from '../../xds/index.ts';
import type { Authority, IssuedCertificate } from './authority.ts';
import { type AuthorityTiming, bundleOf, livingOf, signerOf } from './authority-set.ts';
import { Followers } from './followers.ts';
import { issueServing } from './issue-certificates.ts';

export interface IssuedCertificatesOptions {
  /** The authorities as they are kept; makes one where that is due. */
  readonly load: () => Promise<readonly Authority[]>;
  readonly timing: AuthorityTiming;
  /** DNS names and addresses that clients call the server by. */
  readonly hosts: readonly string[];
  /** Whose certificates clients may show; see ServingCertificate. */
  readonly clientAuthorities?: () => string;
  /** How long a serving certificate is valid. Another is made after a third of it. Default a day. Milliseconds. */
  readonly servingMs?: number;
  /** How often authorities and certificate are looked at. Default a minute. Milliseconds. */
  readonly everyMs?: number;
  readonly now?: () => Date;
  /** For the log: the authorities could not be read, and will be tried again. */
  readonly onFailure: (error: unknown) => void;
  /** For the log. */
  readonly onIssued?: (notAfter: Date) => void;
}

const defaultServingMs = 86_400_000;
const defaultEveryMs = 60_000;

/**
 * A serving certificate of our own authority, issued in memory and again before it ends. Nothing of it is kept: each replica
 * has its own, and all are known by the bundle.
 */
export class IssuedCertificates implements CertificateSource {
  readonly #options: IssuedCertificatesOptions;
  readonly #certificates = new Followers<ServingCertificate>();
  readonly #bundles = new Followers<string>();
  #authorities: readonly Authority[];
  #signer: Authority;
  #issued: IssuedCertificate;
  #issuedAt: Date;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  private constructor(options: IssuedCertificatesOptions, first: First) {
    this.#options = options;
    this.#authorities = first.authorities;
    this.#signer = first.signer;
    this.#issued = first.issued;
    this.#issuedAt = first.now;
  }

  /** Reads or makes the authorities and issues the first certificate. Rejects as `load` does. */
  static async open(options: IssuedCertificatesOptions): Promise<IssuedCertificates> {
    const now = options.now?.() ?? new Date();
    const authorities = await options.load();
    const signer = signerOf(authorities, now, options.timing);
    const issued = await issue(options, signer, now);
    return new IssuedCertificates(options, { authorities, signer, issued, now });
  }

  get current(): ServingCertificate {
    const { certificate, key } = this.#issued;
    return { certificate, key, clientAuthorities: this.#options.clientAuthorities?.() };
  }

  /** What clients know the server by, in PEM. */
  get bundle(): string {
    return bundleOf(this.#authorities);
  }

  follow(listener: (certificate: ServingCertificate) => void): () => void {
    return this.#certificates.add(listener);
  }

  /** Calls the listener for every later bundle. Returns how to stop. */
  followBundle(listener: (bundle: string) => void): () => void {
    return this.#bundles.add(listener);
  }

  /** Reports the current certificate once more: the authorities of clients changed. */
  announce(): void {
    this.#certificates.notify(this.current);
  }

  /** Looks after both from now on. Returns how to stop. */
  start(): () => void {
    this.#timer ??= setInterval(() => void this.look(), this.#options.everyMs ?? defaultEveryMs).unref();
    return () => clearInterval(this.#timer);
  }

  /** Reads the authorities again, and issues another certificate where that is due. Never rejects. */
  async look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      await this.#reload();
      await this.#renew();
    } catch (error) {
      this.#options.onFailure(error);
    } finally {
      this.#looking = false;
    }
  }

  /** Authorities that cannot be read now are still those that were read before. */
  async #reload(): Promise<void> {
    const before = this.bundle;
    try {
      this.#authorities = await this.#options.load();
    } catch (error) {
      this.#authorities = livingOf(this.#authorities, this.#now());
      this.#options.onFailure(error);
    }
    if (this.bundle !== before) this.#bundles.notify(this.bundle);
  }

  async #renew(): Promise<void> {
    const now = this.#now();
    const signer = signerOf(this.#authorities, now, this.#options.timing);
    const { servingMs = defaultServingMs } = this.#options;
    const ageMs = now.getTime() - this.#issuedAt.getTime();
    // Below zero where the clock was set back: no client takes a certificate that is not valid yet.
    const isFresh = ageMs >= 0 && ageMs < servingMs / 3;
    if (isFresh && signer.certificate === this.#signer.certificate) return;
    this.#issued = await issue(this.#options, signer, now);
    this.#signer = signer;
    this.#issuedAt = now;
    this.#certificates.notify(this.current);
  }

  #now(): Date {
    return this.#options.now?.() ?? new Date();
  }
}

interface First {
  readonly authorities: readonly Authority[];
  readonly signer: Authority;
  readonly issued: IssuedCertificate;
  readonly now: Date;
}

async function issue(options: IssuedCertificatesOptions, signer: Authority, now: Date): Promise<IssuedCertificate> {
  const { hosts, servingMs: lifetimeMs = defaultServingMs, onIssued } = options;
  const issued = await issueServing(signer, { hosts, now, lifetimeMs });
  onIssued?.(issued.notAfter);
  return issued;
}
