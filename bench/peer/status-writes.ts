import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Counts who wrote which status, by the API server's own audit log. */
export class StatusWrites {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async prepare(parent: string): Promise<StatusWrites> {
    const writes = new StatusWrites(await mkdtemp(join(parent, 'gatewright-audit-')));
    const rules = [
      { level: 'Metadata', verbs: ['update', 'patch'], resources: [{ group: 'gateway.networking.k8s.io' }] },
    ];
    const policy = {
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived'],
      rules: [...rules, { level: 'None' }],
    };
    await writeFile(writes.#policy, JSON.stringify(policy));
    return writes;
  }

  get apiServerArgs(): readonly string[] {
    return [`--audit-policy-file=${this.#policy}`, `--audit-log-path=${this.#log}`, '--audit-log-mode=blocking'];
  }

  /** Status writes so far that the API server took, of one user to one type (`httproutes`). */
  async count(user: string, type: string): Promise<number> {
    let count = 0;
    for await (const line of createInterface({ input: createReadStream(this.#log) })) {
      const { user: who, objectRef, responseStatus } = JSON.parse(line) as AuditEvent;
      const isTheirs = who.username === user && objectRef?.resource === type && objectRef.subresource === 'status';
      if (isTheirs && (responseStatus?.code ?? 0) < 300) count += 1;
    }
    return count;
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #policy(): string {
    return join(this.#folder, 'policy.json');
  }

  get #log(): string {
    return join(this.#folder, 'audit.log');
  }
}

interface AuditEvent {
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code: number };
}
