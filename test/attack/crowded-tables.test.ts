import test from 'ava';
import type { PolicyStatus } from '../../src/gateway-api/index.ts';
import { pause } from '../support/pace.ts';
import { isCurrent, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/** A tenant with more policies than a port has room for: those of other tenants stay in force, and its own youngest close its own listeners. */

const group = 'gateway.networking.k8s.io';
const apiVersion = `${group}/v1`;

interface Tenant {
  readonly namespace: string;
  readonly count: number;
  /** Of its policies. */
  readonly born: number;
  /** Networks that may come in. */
  readonly allow: readonly string[];
}

/** A ListenerSet for a host of its own, and a policy for it. */
function objectsOf({ namespace, count, born, allow }: Tenant, port: number): object[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `${namespace}-${String(index).padStart(3, '0')}`;
    const listeners = [{ name: 'own', port, protocol: 'HTTP', hostname: `${name}.test` }];
    const parentRef = { name: 'edge', namespace: 'default' };
    const creationTimestamp = new Date(Date.UTC(2026, 0, born) + index * 1000).toISOString();
    return [
      { apiVersion, kind: 'ListenerSet', metadata: { name, namespace }, spec: { parentRef, listeners } },
      {
        apiVersion: 'gatewright.dev/v1alpha1',
        kind: 'AccessPolicy',
        metadata: { name, namespace, creationTimestamp },
        spec: { targetRefs: [{ group, kind: 'ListenerSet', name }], clientIPs: { allow } },
      },
    ];
  }).flat();
}

const everyone = ['0.0.0.0/0'];
const noOne = ['192.0.2.1/32'];

/** Writes what the tenants have; resolves when the proxy has it. */
async function write(standalone: Standalone, file: string, ...tenants: readonly Tenant[]): Promise<void> {
  const { control, port } = standalone;
  standalone.write(file, ...tenants.flatMap((tenant) => objectsOf(tenant, port)));
  const last = tenants.at(-1)!;
  const key = `${last.namespace}/${last.namespace}-${String(last.count - 1).padStart(3, '0')}`;
  await until('the policies to be read', () => control.graph.find('AccessPolicy', key) !== undefined);
  await control.builder.settled();
  await until('the proxy to have them', () => isCurrent(standalone));
}

test('a tenant with hundreds of policies closes its own listeners and those of no other tenant', async (t) => {
  t.timeout(600_000);
  const standalone = await startStandalone();
  t.teardown(() => standalone.stop());
  const { port, control } = standalone;
  const [gatewayClass] = standalone.gatewayObjects;
  standalone.write('gateway.yaml', gatewayClass!, {
    apiVersion,
    kind: 'Gateway',
    metadata: { name: 'edge' },
    spec: {
      gatewayClassName: 'gatewright',
      allowedListeners: { namespaces: { from: 'All' } },
      listeners: [{ name: 'http', port, protocol: 'HTTP' }],
    },
  });
  const statusOf = async (name: string) => (await standalone.get(`${name}.test:${port}`)).status;
  const conditionOf = (name: string) => {
    const status = control.graph.statusOf('AccessPolicy', `${name.split('-')[0]}/${name}`) as PolicyStatus | undefined;
    return status?.ancestors[0]?.conditions.find(({ type }) => type === 'Accepted');
  };
  await write(
    standalone,
    'tenants.yaml',
    { namespace: 'open', count: 2, born: 20, allow: everyone },
    { namespace: 'shut', count: 2, born: 21, allow: noOne },
  );
  const victims = { 'open-000': 404, 'open-001': 404, 'shut-000': 403, 'shut-001': 403 };
  const check = async (when: string) => {
    for (const [name, status] of Object.entries(victims)) t.is(await statusOf(name), status, `${when}: ${name}`);
  };
  await until('the policies to hold', async () => (await statusOf('shut-001')) === 403);
  await check('before');

  const running = new AbortController();
  const seen = new Map<string, Set<number>>();
  const asking = (async () => {
    while (!running.signal.aborted)
      for (const name of Object.keys(victims)) {
        seen.set(name, (seen.get(name) ?? new Set()).add(await statusOf(name)));
        await pause();
      }
  })();
  // Older than all others, and more of them each time.
  for (const count of [200, 260, 320])
    await write(standalone, 'bulk.yaml', { namespace: 'bulk', count, born: 1, allow: everyone });
  running.abort();
  await asking;
  for (const [name, status] of Object.entries(victims)) t.deepEqual([...(seen.get(name) ?? [])], [status], name);
  await check('after');
  // 256 places, of which the others have four.
  t.is(await statusOf('bulk-251'), 404);
  t.is(await statusOf('bulk-252'), 500);
  t.is(await statusOf('bulk-319'), 500);
  t.is(conditionOf('bulk-251')?.status, 'True');
  t.like(conditionOf('bulk-252'), { status: 'False', reason: 'Invalid' });
  t.regex(conditionOf('bulk-252')?.message ?? '', /room for 256 policies of a level, which namespaces share evenly/);
  for (const name of Object.keys(victims)) t.is(conditionOf(name)?.status, 'True', name);
});
