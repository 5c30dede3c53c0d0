import { column, several, wide } from '../columns/column.ts';
import { listing } from '../columns/listing.ts';
import type { AccessEntry } from './record.ts';

/** A line of `gatewright get accesspolicies`: one part of a policy at one of its targets. */
export const accessColumns = listing<AccessEntry>(
  'accesspolicy',
  '/v1/access',
  () => [
    column('namespace', ({ policy }) => policy.namespace),
    column('name', ({ policy }) => policy.name),
    column('part', ({ part }) => part ?? ''),
    column('level', ({ level }) => level ?? ''),
    column('target', ({ target: { kind, name, rule } }) => `${kind}/${name}${rule === null ? '' : `/${rule}`}`),
    wide('gateway', ({ gateway }) => (gateway ? `${gateway.namespace}/${gateway.name}` : '')),
    column('state', ({ state, by }) => `${state}${by ? ` by ${by.namespace}/${by.name}` : ''}`),
    wide('hosts', ({ hostCount }) => String(hostCount)),
    several('reasons', ({ reasons }) => reasons),
  ],
  ({ policy }) => policy,
);
