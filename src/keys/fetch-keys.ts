import { type Discovered, discoveryUrl, readFetchedJwks } from '../key-sets/index.ts';
import type { OutgoingAnswer } from '../outgoing/index.ts';
import { readDiscovery } from './discovery.ts';
import { FetchFault } from './fetch-fault.ts';
import { type DocumentClient, getDocument, urlNamedBy } from './get-document.ts';
import { freshForMs } from './interval.ts';

/** A server to ask for keys. */
export type KeysServer =
  | { readonly kind: 'keys'; readonly url: URL }
  | { readonly kind: 'discovery'; readonly issuer: string };

export interface FetchedSet {
  /** Public keys alone, as readJwks gives them. */
  readonly keys: string;
  readonly discovered?: Discovered;
  /** For how long they need not be fetched again, in milliseconds. */
  readonly freshMs: number;
}

/** Fetches a set of keys; throws FetchFault. */
export async function fetchKeys(server: KeysServer, client: DocumentClient): Promise<FetchedSet> {
  if (server.kind === 'keys') return keysOf(await getDocument(server.url, client));
  const url = new URL(discoveryUrl(server.issuer));
  const { jwksUri, ...discovered } = readDiscovery(await discoveryText(url, client), server.issuer);
  const keysUrl = urlNamedBy(url, jwksUri, client, 'the discovery document names');
  return { ...keysOf(await getDocument(keysUrl, client)), discovered };
}

async function discoveryText(url: URL, client: DocumentClient): Promise<string> {
  try {
    return (await getDocument(url, client)).text;
  } catch (caught) {
    const { message, outcome } = FetchFault.from(caught);
    throw new FetchFault(message, { reason: 'DiscoveryFailed', outcome, cause: caught });
  }
}

function keysOf({ text, headers }: OutgoingAnswer): FetchedSet {
  const read = readFetchedJwks(text);
  if ('fault' in read) throw new FetchFault(`the answer ${read.fault}`);
  return { keys: read.keys, freshMs: freshForMs(headers['cache-control']) };
}
