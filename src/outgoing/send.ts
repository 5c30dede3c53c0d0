import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type AddressGuard, hostOf } from './address-guard.ts';
import { OutgoingError } from './outgoing-error.ts';

/** How a server is trusted; for https only. */
export interface TlsOptions {
  /** Authorities in PEM; those of the system without it. */
  readonly caCertificate?: string;
  /** Name that the certificate must have, when it is not the URL's host. */
  readonly serverName?: string;
  /** The certificate must have one of these in place of `serverName`, which is then what the server is asked for. */
  readonly names?: readonly string[];
  readonly insecureSkipVerify?: boolean;
}

export interface OutgoingRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly tls?: TlsOptions | undefined;
  /** Ends the call, its answer's body included. An AbortSignal.timeout makes it a `timeout`. */
  readonly signal: AbortSignal;
}

/** An answer that was read to its end. */
export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends a request to a configured server, by the rules for such calls. Addresses that the guard rejects are not called, redirects
 * are not followed, and nothing of the caller's own request is passed on. Resolves with the head; the caller reads the body.
 * Rejects with OutgoingError.
 */
export function open(request: OutgoingRequest, guard: AddressGuard): Promise<IncomingMessage> {
  const { url, method, headers, body, tls, signal } = request;
  return new Promise((resolve, reject) => {
    const fail = (caught: unknown) => reject(OutgoingError.from(url.host, caught, signal));
    try {
      guard.check(url);
      const sent = (url.protocol === 'https:' ? https : http).request(url, {
        method,
        headers: { 'accept-encoding': 'identity', 'user-agent': 'gatewright', ...headers },
        lookup: guard.lookup,
        // A connection of its own: none that was made for other settings is used again.
        agent: false,
        signal,
        ...(url.protocol === 'https:' && tlsOf(url, tls)),
      });
      sent.once('error', fail);
      sent.once('response', (response) => {
        sent.off('error', fail);
        // Errors of the body go to its reader.
        sent.on('error', () => {});
        if (!isRedirect(response)) return resolve(response);
        response.destroy();
        const { location } = response.headers;
        const to = JSON.stringify(location ?? '').slice(0, 300);
        const message = `${url.host} redirects to ${to}, which is not followed: configure that`;
        fail(new OutgoingError('redirected', message, undefined, location));
      });
      sent.end(body);
    } catch (caught) {
      fail(caught);
    }
  });
}

/** The same with the whole body, of at most `maxBytes`. */
export async function send(
  request: OutgoingRequest,
  { guard, maxBytes }: { readonly guard: AddressGuard; readonly maxBytes: number },
): Promise<OutgoingAnswer> {
  const response = await open(request, guard);
  const chunks: Buffer[] = [];
  for await (const chunk of bodyOf(response, request, maxBytes)) chunks.push(chunk);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(chunks).toString('utf8'),
  };
}

/** The chunks of an answer as they come; throws an OutgoingError when it breaks off or is longer than `maxBytes`. */
export async function* bodyOf(
  response: IncomingMessage,
  { url, signal }: Pick<OutgoingRequest, 'url' | 'signal'>,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new OutgoingError('too_large', `${url.host} answers more than ${Math.floor(maxBytes / 1024)} KiB`);
      yield chunk;
    }
  } catch (caught) {
    throw OutgoingError.from(url.host, caught, signal);
  } finally {
    response.destroy();
  }
}

const isRedirect = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 300 && statusCode < 400;

function tlsOf(url: URL, { caCertificate, serverName, names, insecureSkipVerify = false }: TlsOptions = {}) {
  return {
    ...(names && { checkServerIdentity: (_: string, certificate: PeerCertificate) => faultOfAll(names, certificate) }),
    rejectUnauthorized: !insecureSkipVerify,
    ...(caCertificate && { ca: caCertificate }),
    ...(serverName ? { servername: serverName } : {}),
    ...(serverName && { host: hostOf(url) }),
  };
}

/** Why a certificate is for none of the names. */
function faultOfAll(names: readonly string[], certificate: PeerCertificate): Error | undefined {
  const faults = names.map((name) => checkServerIdentity(name, certificate));
  return faults.some((fault) => fault === undefined) ? undefined : (faults[0] ?? new Error('no name is trusted'));
}
