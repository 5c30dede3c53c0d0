import * as ir from '../../../ir/index.ts';
import type { Level } from './part.ts';

/** How many keys or users a policy may have. What is for a route is in each of its hosts. */
const maxCredentials: Readonly<Record<Level, number>> = { gateway: 1000, route: 100 };

export function tooMany(what: string, count: number, level: Level): string | undefined {
  const most = maxCredentials[level];
  if (count <= most) return undefined;
  const advice = level === 'route' ? '; a policy for the Gateway may have more' : '';
  return `${count} ${what}, and at most ${most} may be in one policy for a ${level}${advice}`;
}

export const sensitive = (text: string): ir.Sensitive => new ir.Sensitive(Buffer.from(text));
