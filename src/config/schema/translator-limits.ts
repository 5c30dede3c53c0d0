import * as z from 'zod';
import { whole } from './leaf.ts';

const limit = (of: string) =>
  whole(`the maximum number of ${of}, or 0 for no limit`, 0, 1_000_000_000)
    .prefault(0)
    .describe(`Maximum number of ${of}; 0: no limit.`);

/** Limits of one control plane. If one is exceeded, no snapshot is built, and proxies keep the one that they have. */
export const translatorLimits = z
  .strictObject({
    maxInputObjects: limit('objects that are read'),
    maxSnapshotObjects: limit('listeners, hosts, routes of hosts, secrets and backends in a snapshot'),
    maxSnapshotEndpoints: limit('endpoints in a snapshot'),
  })
  .prefault({})
  .describe(
    'Limits of one control plane. If one is exceeded, no snapshot is built, and proxies keep the one that they have.',
  );
