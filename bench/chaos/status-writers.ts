import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface AuditEvent {
  readonly requestReceivedTimestamp: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly subresource?: string };
  readonly responseStatus?: { readonly code: number };
}

/** Who wrote statuses, in order, by the API server's audit log. */
export class StatusWriters {
  readonly #policy: string;
  readonly #log: string;

  private constructor(folder: string) {
    this.#policy = join(folder, 'audit-policy.json');
    this.#log = join(folder, 'audit.log');
  }

  static async prepare(folder: string): Promise<StatusWriters> {
    const writers = new StatusWriters(folder);
    const written = {
      level: 'Metadata',
      verbs: ['update', 'patch'],
      resources: [{ group: 'gateway.networking.k8s.io' }],
    };
    const policy = {
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived'],
      rules: [written, { level: 'None' }],
    };
    await writeFile(writers.#policy, JSON.stringify(policy));
    return writers;
  }

  get apiServerArgs(): readonly string[] {
    return [`--audit-policy-file=${this.#policy}`, `--audit-log-path=${this.#log}`, '--audit-log-mode=blocking'];
  }

  /** How many statuses were written, and how often by another one than the last. */
  async count(): Promise<{ readonly writes: number; readonly changes: number }> {
    const lines = (await readFile(this.#log, 'utf8')).split('\n').filter(Boolean);
    const events = lines
      .map((line) => JSON.parse(line) as AuditEvent)
      .filter(
        ({ objectRef, responseStatus }) => objectRef?.subresource === 'status' && (responseStatus?.code ?? 0) < 300,
      )
      .sort((one, other) => (one.requestReceivedTimestamp < other.requestReceivedTimestamp ? -1 : 1));
    const changes = events.filter(({ user }, at) => at > 0 && user.username !== events[at - 1]?.user.username).length;
    return { writes: events.length, changes };
  }
}
