import { type KubeClient, KubeError, type ResourceType } from '../../kube/index.ts';
import type { Authority } from './authority.ts';
import { authoritiesOf, type Secret, secretData } from './authority-secret.ts';
import { type AuthorityTiming, isDue, livingOf } from './authority-set.ts';
import { IdentityError } from './identity-error.ts';
import { createAuthority } from './issue-certificates.ts';

const secretType: ResourceType = { group: '', version: 'v1', plural: 'secrets', name: 'Secret' };
/** So many replicas may want to write at the same moment. */
const maxTries = 20;

export interface KubeAuthoritiesOptions {
  readonly client: Pick<KubeClient, 'find' | 'create' | 'replace'>;
  readonly namespace: string;
  readonly name: string;
  readonly timing: AuthorityTiming;
  readonly now: () => Date;
}

/** The authorities that all replicas share, in a Secret beside them. */
export class KubeAuthorities {
  readonly #options: KubeAuthoritiesOptions;

  constructor(options: KubeAuthoritiesOptions) {
    this.#options = options;
  }

  /**
   * The authorities that have not ended, oldest first and at least one; makes one where that is due. Any number of
   * replicas may do this at once: one write counts, and the others read it. Rejects with IdentityError for what an operator
   * has to fix, else with KubeError.
   */
  async load(): Promise<readonly Authority[]> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#load();
      } catch (error) {
        const lost = error instanceof KubeError && (error.code === 'conflict' || error.code === 'already-exists');
        if (!lost || tries >= maxTries) throw this.#explained(error);
      }
    }
  }

  async #load(): Promise<readonly Authority[]> {
    const { client, namespace, name, timing, now } = this.#options;
    const secret = await client.find<Secret>(secretType, { namespace, name });
    const living = secret === undefined ? [] : livingOf(this.#read(secret), now());
    if (!isDue(living, now(), timing)) return living;
    const next = [...living, await createAuthority(now(), timing.lifetimeMs)];
    await this.#write(secret, next);
    return next;
  }

  /** An object that was there is written over only if it is still as it was read. */
  async #write(secret: Secret | undefined, authorities: readonly Authority[]): Promise<void> {
    const { client, namespace, name } = this.#options;
    const data = secretData(authorities);
    if (secret !== undefined) {
      await client.replace(secretType, { ...secret, data } as Secret);
      return;
    }
    const metadata = { namespace, name, labels: { 'app.kubernetes.io/name': 'gatewright' } };
    const created = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data };
    await client.create(secretType, created as unknown as Secret);
  }

  #read(secret: Secret): Authority[] {
    try {
      return authoritiesOf(secret);
    } catch (cause) {
      throw new IdentityError(
        `xds.tls.authoritySecret: Secret ${this.#place} is not one of ours: ${(cause as Error).message}; name another one, or delete it for a new authority`,
        { cause },
      );
    }
  }

  #explained(error: unknown): unknown {
    if (!(error instanceof KubeError)) return error;
    const { namespace } = this.#options;
    if (error.code === 'not-found') {
      const remedy = `create namespace ${namespace}, or set xds.tls.namespace`;
      return new IdentityError(`xds.tls: ${error.message}; ${remedy}`, { cause: error });
    }
    if (error.code !== 'forbidden') return error;
    const remedy = `grant get, create and update on secrets in namespace ${namespace} (manifests/ has the Role), or set xds.tls.namespace`;
    return new IdentityError(`xds.tls: ${error.message}; ${remedy}`, { cause: error });
  }

  get #place(): string {
    return `${this.#options.namespace}/${this.#options.name}`;
  }
}
