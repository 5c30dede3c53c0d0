import type { Discovered } from '../key-sets/index.ts';
import { FetchFault } from './fetch-fault.ts';

/** A discovery document, as far as it is used. Source: OpenID Connect Discovery 1.0, 3. */
export interface DiscoveryDocument extends Discovered {
  readonly jwksUri: string;
}

/** Reads a discovery document. Throws FetchFault when it is none, or another issuer's. Source: 4.3 of the same. */
export function readDiscovery(text: string, issuer: string): DiscoveryDocument {
  const fault = (message: string) => new FetchFault(message, { reason: 'DiscoveryFailed' });
  const document = objectIn(text);
  if (!document) throw fault('the discovery document is no JSON object');
  const { issuer: own, jwks_uri: jwksUri } = document;
  if (typeof own !== 'string') throw fault('the discovery document names no issuer');
  if (own !== issuer)
    throw fault(`the discovery document is of issuer ${JSON.stringify(own.slice(0, 200))}, and not of ${issuer}`);
  if (typeof jwksUri !== 'string') throw fault('the discovery document names no jwks_uri');
  const [authorization, token, endSession] = [
    document.authorization_endpoint,
    document.token_endpoint,
    document.end_session_endpoint,
  ].map((value) => (typeof value === 'string' && isHttps(value) ? value : undefined));
  return {
    jwksUri,
    ...(authorization !== undefined && { authorization }),
    ...(token !== undefined && { token }),
    ...(endSession !== undefined && { endSession }),
  };
}

const isHttps = (text: string): boolean =>
  text.length <= 2048 && URL.canParse(text) && new URL(text).protocol === 'https:';

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
