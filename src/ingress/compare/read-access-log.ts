import { createReadStream } from 'node:fs';
import type { AskedRequest } from './asked-request.ts';

/** Where lines that name no host are for: hosts by the name of their upstream, `NAMESPACE-SERVICE-PORT`. */
export type HostsOfUpstream = (upstream: string, target: string) => Pick<AskedRequest, 'host' | 'scheme'> | undefined;

export interface LogRead {
  readonly requests: readonly AskedRequest[];
  readonly lines: number;
  /** Lines that are no requests, or whose host is not known. */
  readonly unread: number;
}

/** More of a line is not looked at. */
const longestLine = 64 * 2 ** 10;

/**
 * The distinct requests of an access log of nginx: of the controller's own format, with a host anywhere before the request, or as JSON objects. The
 * file is read piece by piece, until there are as many as wanted. Rejects with the file system's error.
 */
export async function readAccessLog(path: string, hostsOf: HostsOfUpstream, most: number): Promise<LogRead> {
  const requests = new Map<string, AskedRequest>();
  let [lines, unread] = [0, 0];
  for await (const line of linesOf(path)) {
    lines += 1;
    const request = readLine(line, hostsOf);
    if (!request) unread += 1;
    else {
      const { method, scheme, host, target } = request;
      const key = `${method} ${scheme} ${host} ${target}`;
      if (!requests.has(key)) requests.set(key, { ...request, because: `line ${lines} of ${path}` });
    }
    if (requests.size >= most) break;
  }
  return { requests: [...requests.values()], lines, unread };
}

/** Lines of a file, none longer than allowed: the rest of a longer one is dropped. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let line = '';
  for await (const piece of createReadStream(path, { encoding: 'utf8' })) {
    const parts = (piece as string).split('\n');
    for (const part of parts.slice(0, -1)) {
      yield (line + part).slice(0, longestLine);
      line = '';
    }
    line = (line + (parts.at(-1) ?? '')).slice(0, longestLine);
  }
  if (line !== '') yield line;
}

type Read = Omit<AskedRequest, 'because'>;

function readLine(line: string, hostsOf: HostsOfUpstream): Read | undefined {
  if (line.startsWith('{')) return readJsonLine(line, hostsOf);
  const {
    before = '',
    method,
    target,
    after = '',
  } = /^(?<before>.*?)"(?<method>[A-Z]{3,20}) (?<target>\/[^"\s]*) HTTP\/[\d.]+"(?<after>.*)$/.exec(line)?.groups ?? {};
  if (method === undefined || target === undefined) return undefined;
  const written = unescaped(target);
  const host = hostIn(before);
  const [, upstream = ''] = /\[([^\]\s]*)\] \[[^\]]*\]/.exec(after) ?? [];
  return requestOf(method, written, host, hostsOf(upstream, written));
}

/** A name with a dot, or with a port, that is no address, before the request. */
const hostIn = (text: string): string | undefined =>
  text
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .split(/[\s,"]+/)
    .find((word) => /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*(:\d+)?$/i.test(word));

/** nginx writes quotes, backslashes and bytes that are no text as `\xHH`. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\x([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

function readJsonLine(line: string, hostsOf: HostsOfUpstream): Read | undefined {
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
  const text = (...names: readonly string[]): string | undefined =>
    names.map((name) => fields[name]).find((value): value is string => typeof value === 'string' && value !== '');
  const method = text('method', 'request_method', 'verb');
  const target = text('request_uri', 'uri', 'path', 'url');
  if (method === undefined || !target?.startsWith('/')) return undefined;
  const query = text('request_query', 'query', 'args');
  const whole = query === undefined || target.includes('?') ? target : `${target}?${query}`;
  const known = hostsOf(text('proxy_upstream_name', 'upstream_name') ?? '', whole);
  return requestOf(method, whole, text('vhost', 'host', 'http_host', 'server_name'), known);
}

function requestOf(
  method: string,
  target: string,
  host: string | undefined,
  known: ReturnType<HostsOfUpstream>,
): Read | undefined {
  const name = host ?? known?.host;
  if (name === undefined) return undefined;
  return { method, scheme: known?.scheme ?? 'http', host: name, target, headers: [] };
}
