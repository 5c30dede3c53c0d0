import { namedUrl, OutgoingError, send } from '../outgoing/index.ts';
import { PullFault } from './pull-fault.ts';
import type { RegistryClient } from './registry-client.ts';

const maxBytes = 64 * 1024;

/** A token to pull by, of the server that the registry names. Throws PullFault. Source: Docker's "Token Authentication Specification". */
export async function bearerToken(
  challenge: string,
  registry: URL,
  authorization: string | undefined,
  { guard, hosts, tls, signal }: RegistryClient,
): Promise<string> {
  const named = namedUrl(registry, parameter(challenge, 'realm') ?? '', hosts);
  if ('fault' in named) throw new PullFault(`${registry.host} names as its token server ${named.fault}`);
  const { url } = named;
  for (const name of ['service', 'scope']) {
    const value = parameter(challenge, name);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const isOwn = url.host === registry.host;
  const headers = { accept: 'application/json', ...(authorization !== undefined && { authorization }) };
  try {
    const answer = await send({ url, method: 'GET', headers, tls: isOwn ? tls : {}, signal }, { guard, maxBytes });
    const token = answer.status === 200 ? tokenIn(answer.text) : undefined;
    if (token !== undefined) return token;
    throw new PullFault(`${url.host} answers ${answer.status} and no token: correct the credentials`);
  } catch (caught) {
    throw caught instanceof OutgoingError ? new PullFault(caught.message, { cause: caught }) : caught;
  }
}

const parameter = (challenge: string, name: string): string | undefined =>
  new RegExp(`[\\s,]${name}="([^"]*)"`, 'i').exec(challenge)?.[1];

function tokenIn(text: string): string | undefined {
  try {
    const { token, access_token: other } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const found = token ?? other;
    return typeof found === 'string' && /^[\x21-\x7e]+$/.test(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
