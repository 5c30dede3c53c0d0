import type { World } from '../world/world.ts';
import { readFlag, readList } from './annotations.ts';

/** What the controller's ConfigMap says, with its defaults. */
export interface Settings {
  readonly sslRedirect: boolean;
  readonly forceSslRedirect: boolean;
  readonly httpRedirectCode: number;
  /** Prefixes of an Ingress's path. */
  readonly noTlsRedirect: readonly string[];
  /** The value of `Strict-Transport-Security`; undefined: none is sent. */
  readonly hsts: string | undefined;
  readonly useForwardedHeaders: boolean;
  /** Networks of proxies whose word counts with `use-forwarded-headers`. */
  readonly trusted: readonly string[];
  /** Of them, in lower case. */
  readonly forwardedForHeader: string;
  /** `compute-full-forwarded-for`. */
  readonly appendsForwardedFor: boolean;
  /** Of a request's body, in bytes; 0: none. */
  readonly bodyLimit: number;
  readonly nextUpstream: { readonly when: string; readonly tries: number };
  readonly allow: string;
  readonly deny: string;
  readonly allowsCritical: boolean;
  /** Names of answer headers that `custom-headers` may set, in lower case. */
  readonly allowedHeaders: ReadonlySet<string>;
  readonly globalAuthUrl: string | undefined;
  readonly keepsSlash: boolean;
  readonly httpPort: number;
  readonly httpsPort: number;
}

const readNumber = (text: string | undefined, otherwise: number): number =>
  text !== undefined && /^\d+$/.test(text.trim()) ? Number(text) : otherwise;

export function readSettings({ controller: { settings: all, flags } }: World): Settings {
  const flag = (name: string, otherwise: boolean): boolean => readFlag(all[name]?.trim()) ?? otherwise;
  const code = readNumber(all['http-redirect-code'], 308);
  return {
    sslRedirect: flag('ssl-redirect', true),
    forceSslRedirect: flag('force-ssl-redirect', false),
    httpRedirectCode: [301, 302, 307, 308].includes(code) ? code : 308,
    noTlsRedirect: (all['no-tls-redirect-locations'] ?? '/.well-known/acme-challenge')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
    hsts: flag('hsts', true) ? hstsOf(all, flag) : undefined,
    useForwardedHeaders: flag('use-forwarded-headers', false),
    trusted: readList(all['proxy-real-ip-cidr'] ?? '0.0.0.0/0'),
    forwardedForHeader: (all['forwarded-for-header'] ?? 'X-Forwarded-For').trim().toLowerCase(),
    appendsForwardedFor: flag('compute-full-forwarded-for', false),
    bodyLimit: readSize(all['proxy-body-size'] ?? '1m') ?? 2 ** 20,
    nextUpstream: {
      when: all['proxy-next-upstream'] ?? 'error timeout',
      tries: readNumber(all['proxy-next-upstream-tries'], 3),
    },
    allow: all['whitelist-source-range'] ?? '',
    deny: all['denylist-source-range'] ?? '',
    allowsCritical: (all['annotations-risk-level'] ?? 'High').toLowerCase() === 'critical',
    allowedHeaders: new Set(
      (all['global-allowed-response-headers'] ?? '')
        .toLowerCase()
        .split(',')
        .map((name) => name.trim()),
    ),
    globalAuthUrl: all['global-auth-url']?.trim() || undefined,
    keepsSlash: flag('preserve-trailing-slash', false),
    httpPort: readNumber(flags.get('http-port'), 80),
    httpsPort: readNumber(flags.get('https-port'), 443),
  };
}

function hstsOf(all: Readonly<Record<string, string>>, flag: (name: string, otherwise: boolean) => boolean): string {
  const age = all['hsts-max-age']?.trim() ?? '31536000';
  const subdomains = flag('hsts-include-subdomains', true) ? '; includeSubDomains' : '';
  return `max-age=${age}${subdomains}${flag('hsts-preload', false) ? '; preload' : ''}`;
}

const units: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** A size of nginx, such as `8k`, in bytes; undefined: it is none. */
export function readSize(text: string): number | undefined {
  const { count, unit = '' } = /^(?<count>\d+)(?<unit>[kmg]?)$/i.exec(text.trim())?.groups ?? {};
  return count === undefined ? undefined : Number(count) * (units[unit.toLowerCase()] ?? 1);
}
