import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Leadership } from '../../admin/index.ts';

/** An identity that no other process has. A container that was started again has its pod's name, as the one before it had. */
export const processIdentity = (): string => `${hostname()}_${randomBytes(4).toString('hex')}`;

/** The leadership of a replica that is the only one. */
export function onlyReplica(): () => Leadership {
  const identity = processIdentity();
  return () => ({ identity, isLeader: true });
}
