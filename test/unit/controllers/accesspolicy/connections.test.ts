import test from 'ava';
import type { PolicyStatus } from '../../../../src/gateway-api/index.ts';
import { gateway, gatewayClass, httpRoute, ownObject, service } from '../../../support/objects.ts';
import { newGraph, put, someTime } from '../../../support/world.ts';

const target = (kind: string, name: string, sectionName?: string) => ({
  targetRefs: [{ group: 'gateway.networking.k8s.io', kind, name, ...(sectionName && { sectionName }) }],
});

test('a part that looks into requests is named where there are connections alone', (t) => {
  const graph = newGraph();
  put(
    graph,
    gatewayClass(),
    gateway('edge', [
      { name: 'tcp', port: 9000, protocol: 'TCP' },
      { name: 'http', port: 80 },
    ] as never),
    service('web'),
    { ...httpRoute('a', { parentRefs: [{ name: 'edge', sectionName: 'tcp' }] }), kind: 'TCPRoute' } as never,
    ownObject('AccessPolicy', 'route', { ...target('TCPRoute', 'a'), csrf: {} }),
    ownObject('AccessPolicy', 'tcp', {
      ...target('Gateway', 'edge', 'tcp'),
      csrf: {},
      clientIPs: { deny: ['10.0.0.0/8'] },
    }),
    ownObject('AccessPolicy', 'http', { ...target('Gateway', 'edge', 'http'), csrf: {} }),
    ownObject('AccessPolicy', 'both', { ...target('Gateway', 'edge'), authorization: {} }),
  );
  graph.build(someTime);
  const accepted = (name: string) => {
    const status = graph.statusOf('AccessPolicy', `default/${name}`) as Partial<PolicyStatus> | undefined;
    const [first] = status?.ancestors?.[0]?.conditions ?? [];
    return `${first?.status} ${first?.reason} ${first?.message}`;
  };
  t.regex(
    accepted('route'),
    /^False Invalid TCPRoute default\/a can demand clientIPs and clientCertificates and nothing else/,
  );
  t.regex(accepted('tcp'), /^False Invalid listener tcp of Gateway default\/edge has connections .*: remove csrf/);
  t.regex(accepted('http'), /^True Accepted/);
  t.regex(accepted('both'), /^True Accepted/);
  const at = { gateway: 'default/edge', route: 'TCPRoute default/a', rule: undefined } as const;
  t.deepEqual(
    graph
      .accessAt(at)
      .filter(({ policy }) => policy === 'default/route')
      .map(({ part, state }) => [part, state]),
    [['csrf', 'closed']],
  );
});
