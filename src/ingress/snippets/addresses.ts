import { isIP } from 'node:net';
import type { Fields } from '../features/part.ts';
import { withoutHostBits } from '../values/network.ts';
import { type Directive, mostDirectives } from './parse.ts';

const gates: ReadonlySet<string> = new Set(['allow', 'deny']);
/** What answers before addresses are looked at, or puts conditions on them. */
const earlier: ReadonlySet<string> = new Set(['return', 'rewrite', 'if', 'set', 'satisfy', 'include']);

/**
 * `clientIPs` that mean the same as the lines `allow` and `deny` of one block; undefined where that is not certain. Of nginx's lines the first that fits
 * counts, and without one all may come in. Here what is denied goes first, and then what is allowed may come in alone.
 */
export function addressLines(directives: readonly Directive[]): Fields | undefined {
  // There may be more of them than were read.
  if (directives.length >= mostDirectives || directives.some(({ name }) => earlier.has(name))) return undefined;
  const deny: string[] = [];
  const allow: string[] = [];
  for (const { name, args, hasBlock } of directives.filter((each) => gates.has(each.name))) {
    const [text = '', ...rest] = args;
    if (hasBlock || rest.length > 0) return undefined;
    // No line behind one for all is ever reached.
    if (text === 'all') return ending(name, allow, deny);
    if (!isNetwork(text) || (name === 'deny' && allow.length > 0)) return undefined;
    (name === 'allow' ? allow : deny).push(withoutHostBits(text));
  }
  return ending('allow', allow, deny);
}

/** A list that lets no one in has no word. */
function ending(all: string, allow: readonly string[], deny: readonly string[]): Fields | undefined {
  if (all === 'deny') return allow.length === 0 ? undefined : { allow, ...(deny.length > 0 && { deny }) };
  return deny.length === 0 ? undefined : { deny };
}

function isNetwork(text: string): boolean {
  const { address = '', length = '0' } = /^(?<address>[0-9a-f.:]+)(?:\/(?<length>\d{1,3}))?$/i.exec(text)?.groups ?? {};
  const family = isIP(address);
  return family !== 0 && Number(length) <= (family === 4 ? 32 : 128);
}

export const isAddressLine = ({ name }: Directive): boolean => gates.has(name);
