import * as z from 'zod';
import { whole } from './leaf.ts';

const limit = (of: string) =>
  whole(`the greatest number of ${of}, or 0 for no limit`, 0, 1_000_000_000)
    .prefault(0)
    .describe(`The greatest number of ${of}; 0: no limit.`);

/** What one control plane takes on. Beyond it no snapshot is built, and proxies keep the one that they have. */
export const translatorLimits = z
  .strictObject({
    maxInputObjects: limit('objects that are read'),
    maxSnapshotObjects: limit('listeners, hosts, routes of hosts, secrets and backends in a snapshot'),
    maxSnapshotEndpoints: limit('endpoints in a snapshot'),
  })
  .prefault({})
  .describe(
    'What one control plane takes on. Beyond it no snapshot is built, and proxies keep the one that they have.',
  );
