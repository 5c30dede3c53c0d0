import { createHash } from 'node:crypto';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { AskedRequest } from './asked-request.ts';
import { comparedHeaders, type SeenAnswer } from './seen-answer.ts';

/** Where one side is reached. */
export interface SideAddress {
  readonly host: string;
  readonly httpPort: number;
  readonly httpsPort: number;
}

/** `HOST`, `HOST:HTTP_PORT` or `HOST:HTTP_PORT:HTTPS_PORT`; an IPv6 address in brackets. Undefined: it is none of these. */
export function readSideAddress(text: string): SideAddress | undefined {
  const {
    bracketed,
    name,
    http = '80',
    https = '443',
  } = /^(?:\[(?<bracketed>[^\]]+)\]|(?<name>[^:/\s[\]]+))(?::(?<http>\d{1,5}))?(?::(?<https>\d{1,5}))?$/.exec(text)
    ?.groups ?? {};
  const host = bracketed ?? name;
  if (host === undefined || (bracketed !== undefined && isIP(bracketed) !== 6)) return undefined;
  const address = { host, httpPort: Number(http), httpsPort: Number(https) };
  return [address.httpPort, address.httpsPort].every((port) => port >= 1 && port <= 65_535) ? address : undefined;
}

export interface AskOptions {
  /** For one answer, from the connection to its last byte. */
  readonly timeoutMs: number;
  /** Bodies are compared by their digest. */
  readonly withBody: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** More of a body is not read. */
const mostBytes = 4 * 2 ** 20;

/**
 * Asks an address over a connection of its own. Redirects are not followed, certificates not checked: both sides may have test certificates.
 * Never rejects: what goes wrong is an answer with status 0.
 */
export async function askAddress(
  address: SideAddress,
  request: AskedRequest,
  options: AskOptions,
): Promise<SeenAnswer> {
  const { timeoutMs, signal: outer } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = outer ? AbortSignal.any([outer, timeout]) : timeout;
  try {
    const response = await send(address, request, signal);
    return await seen(response, address, options);
  } catch (error) {
    return {
      status: 0,
      reason: timeout.aborted ? `none in ${timeoutMs / 1000} s` : reasonOf(error),
      headers: {},
      open: [],
    };
  }
}

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code?.startsWith('ERR_SSL') || code === 'ECONNRESET' || code === 'EPROTO'
    ? 'the connection was ended'
    : (code ?? message);
};

function send(address: SideAddress, asked: AskedRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { method, scheme, host, target, headers, bodyBytes = 0 } = asked;
  const isTls = scheme === 'https';
  const name = host.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();
  const options: RequestOptions & { servername?: string; rejectUnauthorized?: boolean } = {
    host: address.host,
    port: isTls ? address.httpsPort : address.httpPort,
    method,
    path: target,
    headers: {
      ...Object.fromEntries(headers),
      host,
      connection: 'close',
      ...(bodyBytes > 0 && { 'content-length': bodyBytes }),
    },
    agent: false,
    signal,
    ...(isTls && { rejectUnauthorized: false, ...(isIP(name) === 0 && { servername: name }) }),
  };
  return new Promise((resolve, reject) => {
    const request = (isTls ? httpsRequest : httpRequest)(options, resolve);
    // A server that rejects a body may end the connection while it is still sent.
    request.on('error', reject);
    request.end(bodyBytes > 0 ? Buffer.alloc(bodyBytes) : undefined);
  });
}

async function seen(response: IncomingMessage, address: SideAddress, { withBody }: AskOptions): Promise<SeenAnswer> {
  const hash = createHash('sha256');
  let length = 0;
  if (withBody)
    for await (const piece of response) {
      length += (piece as Buffer).length;
      hash.update(piece as Buffer);
      if (length > mostBytes) break;
    }
  response.destroy();
  const { statusCode = 0, headers } = response;
  const location = headers.location && withoutOwnPort(headers.location, address);
  return {
    status: statusCode,
    reason: '',
    ...(location !== undefined && { location }),
    headers: Object.fromEntries(
      comparedHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
    ),
    cookies: (headers['set-cookie'] ?? []).map(cookieForm),
    ...(withBody && { digest: hash.digest('hex') }),
    open: [],
  };
}

/** Ports by which a side is reached stand for 80 and 443. */
const withoutOwnPort = (location: string, { httpPort, httpsPort }: SideAddress): string =>
  location.replace(/^(https?):\/\/([^/?#]*):(\d+)(?=[/?#]|$)/, (whole, scheme: string, host: string, port: string) =>
    Number(port) === (scheme === 'https' ? httpsPort : httpPort) ? `${scheme}://${host}` : whole,
  );

/** `NAME; ATTRIBUTE; ATTRIBUTE=VALUE`, without the value and dates, which differ each time. */
const cookieForm = (line: string): string => {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const kept = attributes.map((part) => part.toLowerCase()).filter((part) => !part.startsWith('expires='));
  return [pair.split('=', 1)[0], ...kept.sort()].join('; ');
};
