/**
 * The tests of the OWASP Core Rule Set against the firewall of `examples/waf`, through a gateway and its Envoy.
 *
 *     npm run bench -- waf [--only 942]
 *
 * Each request goes as bytes to the proxy. What matched is read from the firewall's log. A line of JSON for each test that did not pass, then the sums.
 * `--only`: tests of rules whose number begins so.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ExecutionContext } from 'ava';
import { startFirewall } from '../../scripts/example/firewall.ts';
import { serviceObjects } from '../../test/support/http.ts';
import { startTrafficWorld } from '../../test/support/traffic-world.ts';
import { answer } from './backend.ts';
import { type Case, coreRuleSetCases } from './cases.ts';
import { FirewallLog } from './firewall-log.ts';
import { judge, type Verdict } from './judge.ts';
import { requestBytes } from './request-bytes.ts';
import { talk } from './talk.ts';

const { values: options } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const atOnce = 4;

const ends: (() => unknown)[] = [];
const t = { teardown: (end: () => unknown) => void ends.unshift(end) } as unknown as ExecutionContext;
try {
  await measure();
} finally {
  for (const end of ends) await end();
}

async function measure(): Promise<void> {
  const { version, cases } = await coreRuleSetCases();
  const log = new FirewallLog();
  const firewall = await startFirewall('127.0.0.1', 0, ['-trace', '-rules', join(import.meta.dirname, 'tests.conf')]);
  ends.unshift(() => firewall.close());
  firewall.onLine((line) => log.take(line));
  const { port } = await startTrafficWorld(t, answer, objects(firewall.port));
  const left = cases.filter(({ name }) => name.startsWith(options.only));
  const sums = new Map<Verdict, number>();
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift()) {
      const verdict = await run(next, port, log);
      sums.set(verdict, (sums.get(verdict) ?? 0) + 1);
      if (verdict !== 'passed') console.log(JSON.stringify({ test: next.name, group: next.group, verdict }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  console.log(JSON.stringify({ rules: version, ...Object.fromEntries([...sums].sort()) }));
}

/** The verdict of the first stage that does not pass. */
async function run({ stages }: Case, port: number, log: FirewallLog): Promise<Verdict> {
  for (const { input, output } of stages) {
    const answered = await talk(port, requestBytes(input));
    const rules = answered.transaction ? await log.rulesOf(answered.transaction) : new Set<number>();
    const verdict = judge(output, answered, rules);
    if (verdict !== 'passed') return verdict;
  }
  return 'passed';
}

/** A route for all hosts, with the firewall before it. */
function objects(firewallPort: number): Readonly<Record<string, readonly object[]>> {
  const all = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'all' },
    spec: { parentRefs: [{ name: 'edge' }], rules: [{ backendRefs: [{ name: 'web', port: 80 }] }] },
  };
  const policy = {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'ExtensionPolicy',
    metadata: { name: 'firewall' },
    spec: {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
      extProc: {
        backendRef: { name: 'firewall', port: 80 },
        timeout: '5m',
        request: { body: 'Buffered', attributes: ['source.address', 'request.protocol'] },
        response: { body: 'Buffered' },
      },
    },
  };
  return { 'firewall.yaml': serviceObjects('firewall', [firewallPort]), 'all.yaml': [all, policy] };
}
