import { placeOf } from './places.ts';
import type { Ask, World } from './world.ts';

/** A request as policies see it. */
export interface Facts {
  readonly ask: Ask;
  /** Normalized, without the query. */
  readonly path: string;
  readonly isTls: boolean;
  /** The client's address. */
  readonly client: string;
  /** Host and port, as requests have them. */
  readonly authority: string;
}

/** The address behind one trusted hop. */
export const clientOf = ({ forwardedFor }: Ask): string => forwardedFor?.split(',').at(-1)?.trim() ?? '127.0.0.1';

/** It comes by TLS. */
export const isTls = ({ certificate }: Ask): boolean => certificate !== undefined;

export function pathOf({ path }: Ask): string {
  const [whole = ''] = path.split(/[?#]/);
  return new URL(`http://a${whole.replace(/\/{2,}/g, '/')}`).pathname;
}

/** How clients of the model name a host. */
export function hostOf(world: Pick<World, 'hosts'>, host: number, { spelling }: Pick<Ask, 'spelling'>): string {
  const name = `${world.hosts[host]?.isWildcard ? 'x.' : ''}h${host}.${placeOf(host).domain}`;
  if (spelling === 'capitals') return name.toUpperCase();
  return spelling === 'port' ? `${name}:8080` : name;
}
