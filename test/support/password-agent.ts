import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { PasswordServer } from '../../src/agent/passwords/index.ts';
import { passwordService } from '../../src/contracts/index.ts';
import type { Endings } from './endings.ts';

/** What an agent has for passwords, and the cluster of its bootstrap by which Envoy asks it. */
export async function startPasswordAgent(
  t: Endings,
): Promise<{ readonly server: PasswordServer; readonly cluster: object }> {
  const folder = await mkdtemp(join(tmpdir(), 'gw-passwords-'));
  const path = join(folder, 'pass.sock');
  const server = new PasswordServer({ socketPath: path, logger: pino({ level: 'silent' }) });
  await server.listen();
  t.teardown(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const endpoint = { endpoint: { address: { pipe: { path } } } };
  const assignment = { cluster_name: passwordService, endpoints: [{ lb_endpoints: [endpoint] }] };
  return { server, cluster: { name: passwordService, connect_timeout: '1s', load_assignment: assignment } };
}
