import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeApiServer, type KubeApiServerOptions } from './kube-apiserver.ts';

/** One call as the API server wrote it down. */
export interface AuditedCall {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource: string; readonly namespace?: string; readonly name?: string };
  readonly responseStatus?: { readonly code?: number };
}

/** An API server that writes down every call of the users that are named. */
export interface AuditedKube {
  readonly api: KubeApiServer;
  /** All calls of a user so far: the log is written before an answer is sent. */
  callsOf(user: string): Promise<AuditedCall[]>;
  stop(): Promise<void>;
}

export async function startAuditedKube(
  options: KubeApiServerOptions & { users: readonly string[] },
): Promise<AuditedKube> {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-audit-'));
  const [policy, log] = [join(directory, 'policy.json'), join(directory, 'audit.log')];
  const rule = { level: 'Metadata', users: options.users, omitStages: ['RequestReceived'] };
  const rules = [rule, { level: 'None' }];
  await writeFile(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
  await writeFile(log, '');
  const args = [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`];
  const api = await KubeApiServer.start({ ...options, args: [...(options.args ?? []), ...args] });
  return {
    api,
    async callsOf(user) {
      const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as AuditedCall).filter((call) => call.user.username === user);
    },
    async stop() {
      await api.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
