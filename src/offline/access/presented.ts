import type { PasswordChecks } from '../../passwords/index.ts';
import type { Scheme } from './client-address.ts';

/** Headers of which Envoy keeps one: several lines of them are one value, with commas. */
const joined: ReadonlySet<string> = new Set(['authorization', 'origin', 'referer']);

/** What a client shows, as the filters of Envoy find it. What one filter takes away or writes, those behind it see. */
export class Presented {
  readonly method: string;
  /** Normalized, without query. */
  readonly path: string;
  /** Undefined: not known. */
  readonly address: string | undefined;
  /** Undefined: the connection has none that was verified. */
  readonly certificate: PresentedCertificate | undefined;
  readonly now: Date;
  readonly passwords: PresentedRequest['passwords'];
  /** Undefined: not known. */
  readonly scheme: Scheme | undefined;
  readonly #given: (name: string) => readonly string[];
  readonly #changed = new Map<string, readonly string[]>();
  readonly #removedParams = new Set<string>();
  readonly #query: string;
  /** By JwtProvider.id: the claims of a token that was verified. */
  readonly claims = new Map<string, Claims>();

  constructor({ method, path, query = '', header, address, certificate, now, passwords, scheme }: PresentedRequest) {
    this.method = method;
    this.path = path;
    this.#query = query;
    this.#given = header;
    this.address = address;
    this.certificate = certificate;
    this.now = now;
    this.passwords = passwords;
    this.scheme = scheme;
  }

  header(name: string): readonly string[] {
    const values = this.#changed.get(name) ?? this.#given(name);
    return values.length > 1 && joined.has(name) ? [values.join(',')] : values;
  }

  setHeader(name: string, value: string): void {
    this.#changed.set(name, [value]);
  }

  removeHeader(name: string): void {
    this.#changed.set(name, []);
  }

  /** The first value, decoded. */
  queryParam(name: string): string | undefined {
    if (this.#removedParams.has(name)) return undefined;
    for (const pair of this.#query.split('&')) {
      const [, key = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
      if (percentDecoded(key) === name) return percentDecoded(value);
    }
    return undefined;
  }

  removeQueryParam(name: string): void {
    this.#removedParams.add(name);
  }

  /** The first value, without quotes around it. */
  cookie(name: string): string | undefined {
    for (const header of this.header('cookie')) {
      for (const part of header.split(';')) {
        const [, key, value = ''] = /^\s*([^=]*)=(.*)$/s.exec(part) ?? [];
        if (key === name) return value.replace(/^"(.*)"$/s, '$1');
      }
    }
    return undefined;
  }

  /** The others stay, in one header. */
  removeCookie(name: string): void {
    const cookies = this.header('cookie').flatMap((line) => line.split(';').filter((cookie) => cookie !== ''));
    const kept = cookies.map((cookie) => cookie.trim()).filter((cookie) => cookie.replace(/=.*$/s, '').trim() !== name);
    if (kept.length < cookies.length) this.#changed.set('cookie', kept.length > 0 ? [kept.join('; ')] : []);
  }
}

/** What a certificate says that a listener has verified. */
export interface PresentedCertificate {
  /** Subject alternative names. */
  readonly dns: readonly string[];
  readonly uris: readonly string[];
  readonly emails: readonly string[];
  readonly ips: readonly string[];
  /** As in RFC 2253; empty: it has none. */
  readonly subject: string;
}

export type Claims = Readonly<Record<string, unknown>>;

export interface PresentedRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  /** All values of a header, by its name in lower case. */
  readonly header: (name: string) => readonly string[];
  /** Of the client, as the listener's trusted hops give it. */
  readonly address?: string;
  readonly certificate?: PresentedCertificate;
  readonly now: Date;
  /** By which passwords are checked. */
  readonly passwords: Pick<PasswordChecks, 'check'>;
  /** As proxies before this one say it, if they are trusted. */
  readonly scheme?: Scheme;
}

/** As Envoy decodes: what is not `%` and two digits stays as it is. */
const percentDecoded = (text: string): string =>
  Buffer.from(
    text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  ).toString();
