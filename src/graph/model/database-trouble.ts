import type { DatabaseFault } from '../../contracts/index.ts';

/** A database of places that proxies of a fleet cannot use. */
export interface DatabaseTrouble extends DatabaseFault {
  /** The first of these proxies, whose words `message` has. */
  readonly nodeId: string;
  /** How many there are. */
  readonly proxies: number;
}

/** What a condition says of it. */
export function describeTrouble({ nodeId, proxies, message }: DatabaseTrouble): string {
  const others = proxies === 1 ? '' : ` and ${proxies - 1} more`;
  return `proxy ${nodeId}${others} cannot use a database: ${message}`;
}
