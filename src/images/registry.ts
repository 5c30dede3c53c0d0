import { createHash } from 'node:crypto';
import type { ImageReference } from '../contracts/index.ts';
import { bodyOf, namedUrl, OutgoingError, open } from '../outgoing/index.ts';
import { bearerToken } from './bearer-token.ts';
import { PullFault } from './pull-fault.ts';
import type { RegistryClient } from './registry-client.ts';

interface Ask {
  readonly url: URL;
  readonly accept: string;
  readonly maxBytes: number;
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly challenge: string;
}

const mostRedirects = 3;

/** A repository of a registry. Source: OCI Distribution Specification 1.1; Docker's "Token Authentication Specification". */
export class Repository {
  readonly #base: URL;
  readonly #client: RegistryClient;
  #authorization: string | undefined;

  constructor({ registry, repository }: Pick<ImageReference, 'registry' | 'repository'>, client: RegistryClient) {
    this.#base = new URL(`https://${registry}/v2/${repository}/`);
    this.#client = client;
  }

  /** A manifest by its digest. Throws PullFault for one that has another. */
  async manifest(digest: string, accept: string, maxBytes: number): Promise<Buffer> {
    return await this.#verified(digest, { url: new URL(`manifests/${digest}`, this.#base), accept, maxBytes });
  }

  async blob(digest: string, maxBytes: number): Promise<Buffer> {
    return await this.#verified(digest, { url: new URL(`blobs/${digest}`, this.#base), accept: '*/*', maxBytes });
  }

  /** A digest never means anything else, so what was had before is as good as what the registry has. */
  async #verified(digest: string, ask: Ask): Promise<Buffer> {
    const { kept } = this.#client;
    const before = await kept?.find(digest);
    if (before && before.length <= ask.maxBytes && digestOf(before) === digest) return before;
    const bytes = verified(digest, await this.#get(ask));
    await kept?.keep(digest, bytes);
    return bytes;
  }

  /** A registry says with its first answer what it wants to know of the client. */
  async #get(ask: Ask): Promise<Buffer> {
    const { status, body, challenge } = await this.#ask(ask);
    if (status === 200) return body;
    if (status !== 401 || this.#authorization !== undefined) throw this.#unexpected(ask.url, status);
    this.#authorization = await this.#authorize(challenge);
    const again = await this.#ask(ask);
    if (again.status === 200) return again.body;
    throw this.#unexpected(ask.url, again.status);
  }

  #unexpected({ host }: URL, status: number): PullFault {
    const isDenied = status === 401 || status === 403;
    const advice = this.#client.credentials === undefined ? 'name credentials by secretRef' : 'correct the credentials';
    const hint = isDenied ? `: ${advice}` : status === 404 ? ': it has no such image' : '';
    return new PullFault(`${host} answers ${status}${hint}`);
  }

  async #authorize(challenge: string): Promise<string> {
    const { credentials } = this.#client;
    const basic = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
    if (/^bearer\s/i.test(challenge)) return `Bearer ${await bearerToken(challenge, this.#base, basic, this.#client)}`;
    if (basic !== undefined && /^basic\b/i.test(challenge)) return basic;
    throw this.#unexpected(this.#base, 401);
  }

  /** Blobs are often kept elsewhere: what is sent there has no credentials. */
  async #ask({ url, accept, maxBytes }: Ask, redirects = 0): Promise<Answer> {
    const { guard, hosts, tls, signal } = this.#client;
    const isOwn = url.host === this.#base.host;
    const authorization = isOwn ? this.#authorization : undefined;
    const request = {
      url,
      method: 'GET' as const,
      headers: { accept, ...(authorization !== undefined && { authorization }) },
      tls: isOwn ? tls : {},
      signal,
    };
    try {
      const response = await open(request, guard);
      const chunks: Buffer[] = [];
      for await (const chunk of bodyOf(response, request, maxBytes)) chunks.push(chunk);
      const challenge = response.headers['www-authenticate'] ?? '';
      return { status: response.statusCode ?? 0, body: Buffer.concat(chunks), challenge };
    } catch (caught) {
      const location = caught instanceof OutgoingError ? caught.location : undefined;
      if (location === undefined) throw PullFault.from(caught);
      if (redirects === mostRedirects) throw new PullFault(`${url.host} redirects more than ${mostRedirects} times`);
      const named = namedUrl(url, location, hosts);
      if ('fault' in named) throw new PullFault(`${url.host} redirects to ${named.fault}`);
      return await this.#ask({ url: named.url, accept, maxBytes }, redirects + 1);
    }
  }
}

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

function verified(digest: string, bytes: Buffer): Buffer {
  const found = digestOf(bytes);
  if (found === digest) return bytes;
  throw new PullFault(`the registry answers ${digest} with bytes of another digest, ${found}`);
}
