import { headerNameFault } from '../../../graph/model/index.ts';
import { isOwnHeader } from '../../../ir/index.ts';

/** Of the connection, of the message itself, and those by which proxies say where a request came from. */
const reserved = [
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['content-length', 'expect', 'host'],
];
const reservedPrefixes = ['x-forwarded-', 'x-envoy-'];

/** Why a policy may not write a header; undefined: it may. */
export function writtenHeaderFault(field: string, name: string | undefined): string[] {
  if (name === undefined) return [];
  const lower = name.toLowerCase();
  const fault = headerNameFault(name);
  if (fault) return [`${field}: ${fault}`];
  const isReserved = reserved.includes(lower) || reservedPrefixes.some((prefix) => lower.startsWith(prefix));
  return isReserved || isOwnHeader(lower) ? [`${field}: header ${lower} may not be written: choose another name`] : [];
}

export const headerFaults = (field: string, names: readonly string[] = []): string[] =>
  names.flatMap((name, index) => {
    const fault = headerNameFault(name);
    return fault ? [`${field}[${index}]: ${fault}`] : [];
  });

/** In lower case, each once, sorted. */
export const headerNames = (names: readonly string[] = []): string[] => [
  ...new Set(names.map((name) => name.toLowerCase()).sort()),
];
