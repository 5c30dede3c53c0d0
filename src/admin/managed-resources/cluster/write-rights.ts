import type { Kind } from '../../../gateway-api/index.ts';
import type { KubeClient } from '../../../kube/index.ts';
import { managedKinds } from '../managed-kinds.ts';

export interface WriteRightsOptions {
  readonly client: Pick<KubeClient, 'json'>;
  /** Those that are read; all when left out. */
  readonly namespaces?: readonly string[] | undefined;
  readonly nowMs?: () => number;
}

/** How old an answer may be before it is asked for again, in milliseconds. */
const freshMs = 30_000;
const timeoutMs = 5_000;
const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

interface AccessReview {
  readonly status?: { readonly allowed?: boolean };
}

/** Which kinds of managed resources the control plane may write, in all namespaces that are read. Asked only while a client wants to know. */
export class WriteRights {
  readonly #options: WriteRightsOptions;
  #kinds: ReadonlySet<string> = new Set();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  constructor(options: WriteRightsOptions) {
    this.#options = options;
  }

  /** Names of kinds, as last seen; has them looked at again when that was long ago. */
  get kinds(): ReadonlySet<string> {
    if (this.#nowMs() - this.#lookedAt > freshMs) void this.look();
    return this.#kinds;
  }

  /** Asks the API server. Never rejects: without an answer what was known stays. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    this.#lookedAt = this.#nowMs();
    try {
      const asked = managedKinds.map(async (kind) => ((await this.#mayWrite(kind)) ? [kind.name] : []));
      this.#kinds = new Set((await Promise.all(asked)).flat());
    } catch {
      // The next question finds out.
    }
  }

  async #mayWrite({ group, plural, namespaced }: Kind): Promise<boolean> {
    const { namespaces } = this.#options;
    const places = namespaced ? (namespaces ?? [undefined]) : [undefined];
    const answers = places.map(async (namespace) => {
      const spec = { resourceAttributes: { verb: 'patch', group, resource: plural, namespace } };
      const body = JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec });
      const { status } = await this.#options.client.json<AccessReview>({ method: 'POST', path, body }, { timeoutMs });
      return status?.allowed === true;
    });
    return (await Promise.all(answers)).every((allowed) => allowed);
  }

  #nowMs(): number {
    return this.#options.nowMs?.() ?? Date.now();
  }
}
