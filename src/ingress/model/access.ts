import { BlockList, isIP } from 'node:net';
import { type ObjectKey, objectKey } from '../../gateway-api/index.ts';
import type { Ingress } from '../world/objects.ts';
import type { World } from '../world/world.ts';
import { type Annotations, readList } from './annotations.ts';
import { headerOf, type ModelRequest } from './request.ts';
import type { Site } from './site.ts';

/** Who may come in to the locations of an Ingress. */
export interface AccessRules {
  readonly allow: BlockList | undefined;
  readonly deny: BlockList | undefined;
  readonly basic: boolean;
  /** What browsers show when they ask for a password. */
  readonly realm: string;
  /** The URL that is asked about each request. */
  readonly authUrl: string | undefined;
  /** One of addresses and login is enough. */
  readonly any: boolean;
  /** A rule that cannot be used: no client may. */
  readonly fault: string | undefined;
}

export function accessOf({ metadata }: Ingress, all: Annotations, { world, settings }: Site): AccessRules {
  const allow = rangesOf(all.text('allowlist-source-range') ?? all.text('whitelist-source-range') ?? settings.allow);
  const deny = rangesOf(all.text('denylist-source-range') ?? settings.deny);
  const secret = all.text('auth-type') === undefined ? undefined : (all.text('auth-secret') ?? '');
  const authUrl = all.text('auth-url');
  const isGlobal = authUrl === undefined && (all.flag('enable-global-auth') ?? true);
  return {
    allow: allow instanceof BlockList ? allow : undefined,
    deny: deny instanceof BlockList ? deny : undefined,
    basic: secret !== undefined,
    realm: (all.text('auth-realm') ?? '').replaceAll(/^"|"$/g, ''),
    authUrl: authUrl ?? (isGlobal ? settings.globalAuthUrl : undefined),
    any: all.text('satisfy') === 'any',
    fault:
      rangeFault('allowlist-source-range', allow) ??
      rangeFault('denylist-source-range', deny) ??
      (secret === undefined ? undefined : secretFault(world, 'auth-secret', metadata.namespace, secret)) ??
      urlFault(authUrl) ??
      headersFault(all.text('custom-headers'), metadata.namespace, { world, settings }),
  };
}

/** Undefined: there are none; a text: the one that is no range. */
function rangesOf(text: string): BlockList | string | undefined {
  const ranges = readList(text);
  if (ranges.length === 0) return undefined;
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', length] = range.split('/');
    const family = isIP(address);
    const bits = family === 4 ? 32 : 128;
    const prefix = length === undefined ? bits : Number(length);
    if (family === 0 || !/^\d{1,3}$/.test(length ?? '0') || prefix > bits) return range;
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

const rangeFault = (name: string, ranges: BlockList | string | undefined): string | undefined =>
  typeof ranges === 'string' ? `${name} has ${JSON.stringify(ranges)}, which is no range of addresses` : undefined;

const keyIn = (namespace: string | undefined, name: string): ObjectKey =>
  name.includes('/') ? (name as ObjectKey) : objectKey(namespace, name);

function secretFault(
  { secrets, unread, controller }: World,
  name: string,
  namespace: string | undefined,
  secret: string,
) {
  if (secret === '') return `${name} is missing`;
  const isAway = secret.includes('/') && !secret.startsWith(`${namespace}/`);
  if (isAway && controller.settings['allow-cross-namespace-resources']?.trim() !== 'true')
    return `${name} names Secret ${secret} of another namespace`;
  if (unread.has('Secret') || secrets.has(keyIn(namespace, secret))) return undefined;
  return `${name} names Secret ${secret}, which does not exist`;
}

function urlFault(url: string | undefined): string | undefined {
  if (url === undefined || /^https?:\/\/[^/\s]+(?:[/?]\S*)?$/.test(url)) return undefined;
  return `auth-url ${JSON.stringify(url)} is no URL`;
}

function headersFault(name: string | undefined, namespace: string | undefined, { world, settings }: Site) {
  if (name === undefined || world.unread.has('ConfigMap')) return undefined;
  const headers = world.configMaps.get(keyIn(namespace, name))?.data;
  if (headers === undefined) return `custom-headers names ConfigMap ${name}, which does not exist`;
  const other = Object.keys(headers).find((header) => !settings.allowedHeaders.has(header.toLowerCase()));
  return other && `custom-headers sets ${other}, which is not in global-allowed-response-headers`;
}

/** What comes of a request that has to pass. */
export type Verdict =
  | { readonly passes: true; readonly open: readonly string[] }
  | { readonly passes: false; readonly status: 401 | 403; readonly reason: string; readonly challenge?: string };

/** By addresses first, then by login; what the world does not say is left open. */
export function judge(rules: AccessRules, request: ModelRequest): Verdict {
  const address = byAddress(rules, request);
  const login = byLogin(rules, request);
  const gates = [address, login].filter((verdict) => verdict !== undefined);
  if (gates.length === 0) return { passes: true, open: [] };
  const closed = gates.find(({ passes }) => !passes);
  const opened = gates.find((verdict) => verdict.passes && verdict.open.length === 0);
  if (rules.any && gates.length > 1 && opened) return opened;
  if (rules.any && gates.length > 1 && closed && gates.some(({ passes }) => passes))
    return gates.find(({ passes }) => passes) as Verdict;
  // A missing login is said rather than an address that is not allowed. Source: `ngx_http_core_access_phase`.
  const asksLogin = gates.find((verdict) => !verdict.passes && verdict.status === 401);
  if (rules.any && asksLogin) return asksLogin;
  return closed ?? { passes: true, open: gates.flatMap((verdict) => (verdict.passes ? verdict.open : [])) };
}

function byAddress({ allow, deny }: AccessRules, { from }: ModelRequest): Verdict | undefined {
  if (allow === undefined && deny === undefined) return undefined;
  if (from === undefined) return { passes: true, open: ['the address of the client'] };
  const family = isIP(from) === 6 ? 'ipv6' : 'ipv4';
  const reason = `the address ${from} is not allowed`;
  if (deny?.check(from, family)) return { passes: false, status: 403, reason };
  return allow && !allow.check(from, family) ? { passes: false, status: 403, reason } : { passes: true, open: [] };
}

function byLogin({ basic, realm, authUrl }: AccessRules, request: ModelRequest): Verdict | undefined {
  if (basic && headerOf(request, 'authorization') === undefined)
    return { passes: false, status: 401, reason: 'it has no login', challenge: `Basic realm="${realm}"` };
  const open = [...(basic ? ['the password'] : []), ...(authUrl === undefined ? [] : [`the answer of ${authUrl}`])];
  return open.length === 0 ? undefined : { passes: true, open };
}
