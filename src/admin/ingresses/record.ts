import * as z from 'zod';
import { count, flag, named, object, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const ingressStates = ['served', 'degraded', 'failed', 'foreign'] as const;

export const ingress = named(
  'Ingress',
  'An Ingress, and what became of it. `rules`, `tls` and `defaultBackend` are what the user wrote, as Kubernetes has it.',
  {
    namespace: z.string(),
    name: z.string(),
    class: z.string().nullable().describe('The IngressClass that it names; null: none.'),
    state: z
      .enum(ingressStates)
      .describe('`foreign`: its class is none of ours, so nothing of it is served and nothing is written to it.'),
    gateway: z.string().nullable().describe('`NAMESPACE/NAME` of the Gateway that serves it; null: none.'),
    adopted: flag.describe('Its class is one of ingress-nginx that is adopted, so nothing is written to its status.'),
    hosts: z.array(z.string()).describe('Host names of its rules.'),
    addresses: z.array(z.string()).describe('Where the Gateway is reached.'),
    routes: z
      .array(object({ name: z.string(), accepted: flag, resolvedRefs: flag }))
      .describe('HTTPRoutes that it became, in its namespace; they are in no cluster.'),
    faults: z
      .array(object({ reason: z.string(), message: z.string(), isWhole: flag.describe('Nothing of it is served.') }))
      .describe('What is wrong with it.'),
    rules: z.array(z.looseObject({})),
    tls: z.array(z.looseObject({})).describe('Hosts with the Secrets of their certificates.'),
    defaultBackend: z.looseObject({}).nullable().describe('What is forwarded to where no path fits; null: nothing.'),
    createdAt: time.nullable(),
    generation: count.nullable(),
  },
);

export type IngressRecord = Shown<typeof ingress>;
export type IngressState = (typeof ingressStates)[number];
