import * as z from 'zod';
import { targetAddress } from './leaf.ts';

/** Where the other control planes are, which this one acts as one with. Their port is that of `admin.listen`. */
export const replicas = z
  .strictObject({
    service: targetAddress('gatewright-replicas.gatewright-system.svc:18081')
      .optional()
      .describe(
        'A name whose addresses are all control planes, such as a headless Service, with the port of their `admin.listen`. Resolved again every few seconds.',
      ),
    peers: z
      .array(targetAddress('10.0.0.7:18081'), { error: 'a list of addresses such as ["10.0.0.7:18081"]' })
      .meta({ title: 'list of addresses `HOST:PORT`' })
      .default([])
      .describe('The same as a fixed list, if there is no such name. It may contain this control plane.'),
  })
  .refine(({ service, peers }) => service === undefined || peers.length === 0, {
    error: 'one of service and peers: remove the other',
  })
  .prefault({})
  .describe('The other replicas of this control plane. Without `service` and `peers` there are none.');
