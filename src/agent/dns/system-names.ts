import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { plainName } from '../../egress/index.ts';

/** What resolv.conf(5) says. */
export interface ResolverSettings {
  /** Addresses of name servers, port 53. */
  readonly servers: readonly string[];
  readonly search: readonly string[];
  readonly ndots: number;
}

export function parseResolvConf(text: string): ResolverSettings {
  const lines = text
    .split('\n')
    .map((line) =>
      line
        .replace(/[#;].*$/, '')
        .trim()
        .split(/\s+/),
    )
    .filter(([keyword]) => keyword);
  const of = (keyword: string) => lines.filter(([first]) => first === keyword).map(([, ...rest]) => rest);
  const options = of('options').flat();
  const ndots = options.findLast((option) => /^ndots:\d+$/.test(option))?.slice('ndots:'.length);
  return {
    servers: of('nameserver')
      .flatMap(([address = '']) => (isIP(address.replace(/%.*$/, '')) ? [address] : []))
      .slice(0, 3),
    // Of `domain` and `search` the last one counts.
    search: (lines.findLast(([first]) => first === 'search' || first === 'domain')?.slice(1) ?? []).map(plainName),
    ndots: Math.min(Number(ndots ?? 1), 15),
  };
}

/** Addresses by name, as hosts(5) has them. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*$/, '').trim().split(/\s+/);
    if (isIP(address.replace(/%.*$/, '')) === 0) continue;
    for (const name of names.map(plainName)) hosts.set(name, [...(hosts.get(name) ?? []), address]);
  }
  return hosts;
}

/** A file that is parsed again when it has changed; it is looked at every few seconds at most. What cannot be read is empty. */
export class FollowedFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  readonly #now: () => number;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #mark = '';
  #content: T;

  constructor(path: string, parse: (text: string) => T, now: () => number) {
    this.#path = path;
    this.#parse = parse;
    this.#now = now;
    this.#content = parse('');
  }

  async read(): Promise<T> {
    if (this.#now() - this.#lookedAt < lookEveryMs) return this.#content;
    this.#lookedAt = this.#now();
    const mark = await stat(this.#path).then(
      ({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`,
      () => '',
    );
    if (mark !== this.#mark) this.#content = this.#parse(mark && (await readFile(this.#path, 'utf8').catch(() => '')));
    this.#mark = mark;
    return this.#content;
  }
}

const lookEveryMs = 2000;
