import * as z from 'zod';
import { count, named, object, warning } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

const part = named('InfrastructureResource', 'What runs for a Gateway, or should.', {
  kind: z.enum([
    'Deployment',
    'DaemonSet',
    'Service',
    'Pod',
    'ServiceAccount',
    'ConfigMap',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'HorizontalPodAutoscaler',
    'EndpointSlice',
    'Process',
  ]),
  namespace: z.string(),
  name: z.string(),
  role: z
    .enum([
      'identity',
      'trust',
      'proxies',
      'proxy',
      'address',
      'disruption-budget',
      'network-policy',
      'autoscaler',
      'endpoints',
      'agent',
      'envoy',
    ])
    .describe('What it is there for.'),
  owner: z
    .string()
    .nullable()
    .describe(
      '`NAMESPACE/NAME` of the Gateway, `NAMESPACE/class:NAME` where those of a class share it; null when nothing says whose it is.',
    ),
  state: z
    .enum(['ready', 'pending', 'failed', 'drifted', 'missing', 'orphan'])
    .describe(
      '`pending`: not yet; `failed`: something is in the way; `drifted`: it was changed by others, or is about to be changed; `missing`: desired and not there; `orphan`: there and not desired.',
    ),
  reasons: z.array(z.string()).describe('Why it is not ready, for people.'),
  replicas: object({ desired: count, ready: count }).nullable().describe('Of a Deployment, a DaemonSet or a process.'),
  addresses: z
    .array(z.string())
    .describe('Where it can be reached: IP addresses or names, with a port where it is one.'),
});

export const infrastructure = named('Infrastructure', 'What runs for all Gateways, or should.', {
  summary: object({
    resourceCount: count,
    readyCount: count,
    driftedCount: count,
    missingCount: count,
    orphanCount: count,
  }),
  resources: z.array(part),
  warnings: z.array(warning),
});

export type InfrastructurePart = Shown<typeof part>;
export type InfrastructureRecord = Shown<typeof infrastructure>;
