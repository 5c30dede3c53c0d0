import { isOwnHeader, ownHeaderPrefix } from '../../../../ir/index.ts';
import { headerNameFault } from '../../../model/index.ts';

/** A header that says how a message is read, or whose it is, not what is in it. */
export const framing: readonly string[] = [
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** What no filter writes, removes or reads. */
export const nameFault = (name: string): string | undefined =>
  headerNameFault(name) ??
  (isOwnHeader(name)
    ? `header ${name}: names that begin with ${ownHeaderPrefix} are for use within the proxy; choose another name`
    : undefined);

export function framingHeader(name: string): string | undefined {
  if (name === 'host') return 'header host cannot be changed here: use hostRewrite, or URLRewrite.hostname';
  return framing.includes(name)
    ? `header ${name} says how a message is read, and proxies write it themselves: choose another name`
    : undefined;
}

/** A beginning of names of which one is for use within the proxy, or all. */
export function prefixFault(prefix: string): string | undefined {
  const fault = nameFault(prefix);
  if (fault !== undefined) return fault;
  if (ownHeaderPrefix.startsWith(prefix))
    return `prefix ${prefix}: names that begin with ${ownHeaderPrefix} begin so too; write a longer prefix`;
  const concerned = framing.find((name) => name.startsWith(prefix));
  return concerned === undefined
    ? undefined
    : `prefix ${prefix}: header ${concerned} begins so too, and says how a message is read; write a longer prefix`;
}
