import { createHash } from 'node:crypto';
import { ingressOf } from '../../gateway-api/index.ts';

const longest = 253;

/** A name of an object, with an ending. One that is too long is cut, and has a hash of the whole. Objects that no cluster has keep their own form. */
export function nameOf(name: string, ending = ''): string {
  const joint = ingressOf(name) === undefined ? '-' : ':';
  const whole = ending === '' ? name : `${name}${joint}${ending}`;
  if (whole.length <= longest) return whole;
  return `${whole.slice(0, longest - 9)}-${hashOf(whole)}`;
}

/** A name with a hash of what it is for, where it is another object's already. */
export const unusedName = (name: string, taken: (name: string) => boolean, of: string): string =>
  taken(name) ? nameOf(name, hashOf(of)) : name;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** A name of a listener, made from its host: no other host of the list has it. */
export const listenerName = (host: string, all: readonly { readonly host: string }[]): string =>
  host.startsWith('*.')
    ? unusedName(nameOf(`wildcard.${host.slice(2)}`), (name) => all.some((each) => each.host === name), host)
    : nameOf(host);

/** The name of a namespace's ListenerSet, of which there are several if it has many hosts. */
export const setName = (gateway: string, set: number): string => nameOf(gateway, set === 0 ? '' : String(set + 1));
