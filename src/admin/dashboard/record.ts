import * as z from 'zod';
import { flag, object, time } from '../resource/leaves.ts';

export const capabilities = object({
  overview: flag,
  gateways: flag,
  routes: flag,
  referenceGrants: flag,
  backendTls: flag,
  nodes: flag,
  topology: flag,
  diagnostics: flag,
  observability: flag,
  managedResources: flag,
  writes: flag,
  aiOverview: flag,
  aiServices: flag,
  aiTokenPolicies: flag,
  aiCost: flag,
  aiTraces: flag,
  aiUsage: flag,
  chatbot: flag,
  metrics: flag,
  settings: flag,
});

export const verified = object({
  authenticated: z.literal(true),
  readOnly: flag,
  /** For a token of the cluster. */
  user: z.string().optional(),
});
export const livez = object({ status: z.literal('alive') });
export const readyz = object({ status: z.literal('ready') });

/** Further fields are those of the event's type. */
export const recentEvents = z.array(
  z.looseObject({ id: z.string(), type: z.enum(['snapshot', 'node', 'resource']), at: time }),
);
