import * as z from 'zod';
import { count, object, warning } from '../resource/leaves.ts';

export const infrastructure = object({
  summary: object({
    resourceCount: count,
    readyCount: count,
    driftedCount: count,
    missingCount: count,
    orphanCount: count,
  }),
  resources: z.array(
    object({
      kind: z.enum([
        'Deployment',
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
      role: z.enum([
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
      ]),
      owner: z.string().nullable(),
      state: z.enum(['ready', 'pending', 'failed', 'drifted', 'missing', 'orphan']),
      reasons: z.array(z.string()),
      replicas: object({ desired: count, ready: count }).nullable(),
      addresses: z.array(z.string()),
    }),
  ),
  warnings: z.array(warning),
});
