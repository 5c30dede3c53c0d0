import * as z from 'zod';
import { count, object, warning } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** What runs for a Gateway, or should. */
const part = object({
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
  // What it is there for.
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
  // `NAMESPACE/NAME` of the Gateway, `NAMESPACE/class:NAME` where those of a class share it; null when nothing says whose it is.
  owner: z.string().nullable(),
  // `pending`: not yet; `failed`: something is in the way; `drifted`: it was changed by others, or is about to be changed;
  // `missing`: desired and not there; `orphan`: there and not desired.
  state: z.enum(['ready', 'pending', 'failed', 'drifted', 'missing', 'orphan']),
  // Why it is not ready, for people.
  reasons: z.array(z.string()),
  // Of a Deployment or a process.
  replicas: object({ desired: count, ready: count }).nullable(),
  // Where it can be reached: IP addresses or names, with a port where it is one.
  addresses: z.array(z.string()),
});

/** All of it with counts. */
export const infrastructure = object({
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
