import test from 'ava';
import type { GatewayStatus } from '../../../../src/gateway-api/index.ts';
import { gateway, gatewayClass } from '../../../support/objects.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';

type Spec = Parameters<typeof gateway>[1] extends readonly (infer L)[] | undefined ? L : never;

/** The reason of each listener's Conflicted condition. The API server lets none of these Gateways through; files of an older version may. */
function conflicts(...listeners: readonly Spec[]): string[] {
  const graph = newGraph();
  put(graph, gatewayClass(), gateway('edge', listeners));
  graph.build(someTime);
  const status = graph.statusOf('Gateway', 'default/edge') as GatewayStatus;
  return status.listeners.map(
    ({ conditions }) => conditions.find(({ type }) => type === 'Conflicted')?.reason ?? 'no condition',
  );
}

const macro = test.macro({
  exec: (t, listeners: readonly Spec[], expected: readonly string[]) => t.deepEqual(conflicts(...listeners), expected),
  title: (title) => title ?? '',
});

const both = (reason: string): string[] => [reason, reason];
const one = { name: 'one', port: 9000 };
const two = { name: 'two', port: 9000 };
const passthrough = { protocol: 'TLS', tls: { mode: 'Passthrough' } } as const;

test(
  'two TCP listeners of a port conflict',
  macro,
  [
    { ...one, protocol: 'TCP' },
    { ...two, protocol: 'TCP' },
  ],
  both('ProtocolConflict'),
);
test(
  'two UDP listeners of a port conflict',
  macro,
  [
    { ...one, protocol: 'UDP' },
    { ...two, protocol: 'UDP' },
  ],
  both('ProtocolConflict'),
);
test(
  'TCP and UDP ports are numbered apart',
  macro,
  [
    { ...one, protocol: 'TCP' },
    { ...two, protocol: 'UDP' },
  ],
  both('NoConflicts'),
);
test(
  'TCP and TLS listeners of a port conflict',
  macro,
  [
    { ...one, protocol: 'TCP' },
    { ...two, ...passthrough, hostname: 'a.test' },
  ],
  both('ProtocolConflict'),
);
test(
  'HTTP and TLS listeners of a port conflict',
  macro,
  [
    { ...one, protocol: 'HTTP' },
    { ...two, ...passthrough },
  ],
  both('ProtocolConflict'),
);
test(
  'hostnames of TCP listeners distinguish nothing',
  macro,
  [
    { ...one, protocol: 'TCP', hostname: 'a.test' },
    { ...two, protocol: 'TCP', hostname: 'b.test' },
  ],
  both('ProtocolConflict'),
);
test(
  'TLS modes of one hostname conflict',
  macro,
  [
    { ...one, ...passthrough },
    { ...two, protocol: 'TLS', tls: { mode: 'Terminate' } },
  ],
  both('HostnameConflict'),
);
test(
  'TLS modes of different hostnames share a port',
  macro,
  [
    { ...one, ...passthrough, hostname: 'a.test' },
    { ...two, protocol: 'TLS', tls: { mode: 'Terminate' } },
  ],
  both('NoConflicts'),
);

test('a protocol with the name of a method is not supported, and the listener beside it is', (t) => {
  const graph = newGraph();
  put(graph, gatewayClass(), gateway('edge', [one, { ...one, name: 'odd', port: 9001, protocol: 'constructor' }]));
  graph.build(someTime);
  const { listeners } = graph.statusOf('Gateway', 'default/edge') as GatewayStatus;
  const accepted = listeners.map(({ name, conditions }) => [
    name,
    conditions.find(({ type }) => type === 'Accepted')?.reason,
  ]);
  t.deepEqual(accepted, [
    ['one', 'Accepted'],
    ['odd', 'UnsupportedProtocol'],
  ]);
});
