import type { HostRules } from '../egress/index.ts';
import {
  type AddressGuard,
  namedUrl,
  type OutgoingAnswer,
  OutgoingError,
  send,
  type TlsOptions,
} from '../outgoing/index.ts';
import { FetchFault } from './fetch-fault.ts';

const maxBytes = 1024 * 1024;
const maxRedirects = 3;

/** What a document is fetched with. */
export interface DocumentClient {
  readonly guard: AddressGuard;
  readonly hosts: Pick<HostRules, 'clusterDomain'>;
  readonly tls?: TlsOptions | undefined;
  /** Of the request's header, where it is not the URL's. */
  readonly host?: string;
  /** Ends the whole, redirects included. */
  readonly signal: AbortSignal;
}

/** Fetches a document of at most 1 MiB by GET. Redirects lead to https alone, and are judged like the first address. Throws FetchFault. */
export async function getDocument(url: URL, client: DocumentClient, redirects = 0): Promise<OutgoingAnswer> {
  const { guard, tls, host, signal } = client;
  try {
    const headers = { accept: 'application/json', ...(host !== undefined && { host }) };
    const answer = await send({ url, method: 'GET', headers, tls, signal }, { guard, maxBytes });
    if (answer.status === 200) return answer;
    throw new FetchFault(`${url.host} answers ${answer.status}`);
  } catch (caught) {
    const location = caught instanceof OutgoingError ? caught.location : undefined;
    if (location === undefined || host !== undefined) throw FetchFault.from(caught);
    if (redirects === maxRedirects) throw new FetchFault(`${url.host} redirects more than ${maxRedirects} times`);
    return await getDocument(followed(url, location, client), client, redirects + 1);
  }
}

const followed = (from: URL, location: string, client: Pick<DocumentClient, 'hosts'>): URL =>
  urlNamedBy(from, location, client, `${from.host} redirects to`);

/** A URL that a server's answer names. Throws FetchFault for one that is not followed. */
export function urlNamedBy(server: URL, text: string, { hosts }: Pick<DocumentClient, 'hosts'>, what: string): URL {
  const named = namedUrl(server, text, hosts);
  if ('url' in named) return named.url;
  throw new FetchFault(`${what} ${named.fault}`, { outcome: named.isBlocked ? 'blocked' : 'invalid' });
}
