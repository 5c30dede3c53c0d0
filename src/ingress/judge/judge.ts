import { keyOf, type ObjectKey } from '../../gateway-api/index.ts';
import { findAnnotation, meantAnnotation } from '../annotations/index.ts';
import { access } from '../features/access.ts';
import { balancing, connectTimeout, serviceAddress, sessions } from '../features/backends.ts';
import { cors } from '../features/cors.ts';
import { customHeaders, globalHeaders } from '../features/custom-headers.ts';
import { defaultBackend } from '../features/default-backend.ts';
import { errorPages } from '../features/error-pages.ts';
import { limits } from '../features/limits.ts';
import { joined, type Part } from '../features/part.ts';
import { protocol } from '../features/protocol.ts';
import { mirror, redirect, upstreamHost } from '../features/redirects.ts';
import { bandwidth, bodySize, idleTimeout, responseCookies, responseLocation, retries } from '../features/traffic.ts';
import { annotated, type Finding } from '../finding.ts';
import { SettingsOf } from '../settings-of.ts';
import { snippet } from '../snippets/convert.ts';
import { parseDirectives } from '../snippets/parse.ts';
import { type Verdict, worstOf } from '../verdict.ts';
import type { Ingress } from '../world/objects.ts';
import type { World } from '../world/world.ts';
import { clientAuthorities, clientCertificates } from './client-certificates.ts';
import { dependsOn } from './companions.ts';
import { hostFindings } from './host-findings.ts';
import { shownCertificate } from './shown-certificate.ts';
import { hasPaths, placedAt, type Site, siteOf } from './site.ts';

/** One Ingress of the class: what the move does to it, and what it becomes. */
export interface Judged {
  readonly key: ObjectKey;
  readonly ingress: Ingress;
  readonly settings: SettingsOf;
  /** The worst of its findings. */
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  readonly part: Part;
  /** A canary, which gets a part of the requests of other Ingresses and has no paths of its own. */
  readonly isShare: boolean;
}

export interface Judgement {
  readonly site: Site;
  /** By key. */
  readonly ingresses: readonly Judged[];
}

/** Judges all Ingresses of the class, with what hosts have in common. `withDead`: those that are not served today as if they were. */
export function judge(world: World, { withDead = false }: { readonly withDead?: boolean } = {}): Judgement {
  const known = siteOf(world, withDead);
  const site = { ...known, authorities: clientAuthorities(known), shownCertificate: shownCertificate(known) };
  const ingresses = site.ordered.map((ingress) => judgedIn(site, ingress)).sort((a, b) => (a.key < b.key ? -1 : 1));
  return { site, ingresses };
}

/** One Ingress, with what its hosts have in common. */
export function judgedIn(site: Site, ingress: Ingress): Judged {
  const key = keyOf(ingress);
  const settings = new SettingsOf(ingress, site.world.controller);
  const dead = site.dead.get(key);
  const isShare = settings.is('canary') && !hasPaths(ingress, site);
  const part = isShare ? canaryPart(settings) : joined(partsOf(ingress, settings, site));
  const ofHosts = hostFindings(ingress, settings, site, isShare);
  const findings = [
    ...(dead === undefined ? [] : [{ verdict: 'not-served' as const, about: 'Ingress', text: dead }]),
    ...part.findings,
    ...ofHosts,
    ...otherFindings(settings, new Set([...part.findings, ...ofHosts].map(({ about }) => about))),
    ...foreignFindings(ingress),
  ];
  return {
    key,
    ingress,
    settings,
    findings: findings.map(clipped),
    part,
    isShare,
    verdict: worstOf(findings.map(({ verdict }) => verdict)),
  };
}

/** Values may be of any length. */
const clipped = (finding: Finding): Finding =>
  finding.text.length <= mostText ? finding : { ...finding, text: `${finding.text.slice(0, mostText)}…` };
const mostText = 400;

/** Of a canary all but balancing and sessions is ignored. */
const canaryPart = (settings: SettingsOf): Part => joined([balancing(settings)]);

function partsOf(ingress: Ingress, settings: SettingsOf, site: Site): readonly Part[] {
  const { namespace = 'default' } = ingress.metadata;
  const hosts = (ingress.spec.rules ?? []).map(({ host = '' }) => host.toLowerCase());
  const firstPath = ingress.spec.rules?.[0]?.http?.paths[0]?.path ?? '/';
  const read = (key: string) => site.world.configMaps.get(key as ObjectKey)?.data;
  const place = { hasAddresses: saysNoAddresses(settings), isAlone: isAlone(settings) };
  const placed = placedAt(ingress, site);
  return [
    globalHeaders(settings, read),
    redirect(settings),
    upstreamHost(settings),
    mirror(settings, namespace),
    cors(settings),
    customHeaders(settings, namespace, read),
    access(settings, placed),
    clientCertificates(ingress, settings, site),
    limits(settings),
    bodySize(settings),
    idleTimeout(settings),
    retries(settings),
    bandwidth(settings),
    responseLocation(settings),
    responseCookies(settings),
    connectTimeout(settings),
    serviceAddress(settings),
    defaultBackend(settings, ingress, site.world),
    errorPages(settings, ingress, site.world),
    balancing(settings),
    sessions(settings, firstPath),
    protocol(settings, hosts, { ...placed, shownCertificate: site.shownCertificate }),
    ...globalSnippets.map((name) => globalSnippet(name, settings.config[name] ?? '')),
    ...parsedSnippets.flatMap((name) => {
      const source = settings.written(name);
      return source === undefined ? [] : [snippet(name, source, name === 'configuration-snippet' ? place : {})];
    }),
  ];
}

/** Neither annotations nor the ConfigMap say which addresses may come in, nor that one of several proofs is enough. */
const saysNoAddresses = (settings: SettingsOf): boolean =>
  ['allowlist-source-range', 'denylist-source-range'].every((name) => settings.set(name) === undefined) &&
  settings.get('satisfy').toLowerCase() !== 'any' &&
  globalSnippets.every((name) => !gate.test(settings.config[name] ?? ''));

/** No other annotation answers, rewrites, or takes one proof for another. */
const isAlone = (settings: SettingsOf): boolean =>
  ['rewrite-target', 'permanent-redirect', 'temporal-redirect'].every((name) => settings.set(name) === undefined) &&
  settings.get('satisfy').toLowerCase() !== 'any' &&
  (settings.config['location-snippet'] ?? '') === '';

/** Snippets that are read directive by directive. */
const parsedSnippets = ['configuration-snippet', 'server-snippet'] as const;
const ofSnippets: ReadonlySet<string> = new Set(parsedSnippets);
/** Keys of the ConfigMap with text for the paths of all Ingresses. */
const globalSnippets = ['location-snippet', 'server-snippet', 'http-snippet'] as const;

/** Of the whole server only what lets requests in or not is looked at: the rest is maps, formats and the like. */
function globalSnippet(name: (typeof globalSnippets)[number], source: string): Part {
  const part = snippet(`ConfigMap ${name}`, source);
  if (name !== 'http-snippet') return part;
  const gates = parseDirectives(source).filter((directive) => gate.test(directive.name));
  const lines = new Set(gates.map(({ line }) => `ConfigMap ${name} line ${line}`));
  return { findings: part.findings.filter(({ about }) => lines.has(about) || about === `ConfigMap ${name}`) };
}

const gate = /(?:^|[\s;{])(?:allow|deny|satisfy|auth_|access_by_lua|rewrite_by_lua|ssl_verify_client)/;

/** What no feature has said anything about: the words of the table. */
function otherFindings(settings: SettingsOf, said: ReadonlySet<string>): readonly Finding[] {
  const all = new Set<string>(settings.names);
  // The only protection that the ConfigMap alone switches on, and that no feature looks at.
  if (settings.is('enable-modsecurity')) all.add('enable-modsecurity');
  return [...all]
    .filter((name) => settings.fault(name) !== undefined || (!said.has(name) && !ofSnippets.has(name)))
    .map((name) => otherFinding(name, settings));
}

const effects = {
  ignored: 'ignored, and the rest is served',
  'location-503': 'its paths answer 503',
  'host-403': 'its hosts answer 403',
} as const;

function otherFinding(name: string, settings: SettingsOf): Finding {
  const row = findAnnotation(name);
  const value = settings.written(name) ?? '';
  if (row === undefined)
    return { verdict: 'no-effect', about: name, text: `ingress-nginx has no such annotation${meantAnnotation(name)}` };
  const fault = settings.fault(name);
  if (fault !== undefined) {
    const unusable = row.unusable ?? 'ignored';
    const finding = {
      about: name,
      text: `${JSON.stringify(value.slice(0, 80))}: ${fault.replaceAll('`', '')}; today ${effects[unusable]}`,
    };
    return unusable === 'ignored'
      ? { ...finding, verdict: 'no-effect' }
      : { ...finding, verdict: 'decision', blocks: true };
  }
  const needed = dependsOn(name);
  if (needed !== undefined && !isOn(needed, settings))
    return annotated(name, 'no-effect', `it has an effect with ${needed} only`);
  if (value.trim().toLowerCase() === row.default?.toLowerCase()) return annotated(name, 'same', 'it is the default');
  if (row.value === 'boolean' && !settings.is(name)) return annotated(name, 'same', 'it switches nothing on');
  return annotated(name);
}

const isOn = (name: string, settings: SettingsOf): boolean =>
  settings.set(name) !== undefined && (findAnnotation(name)?.value !== 'boolean' || settings.is(name));

/** Annotations of other controllers. */
function foreignFindings({ metadata }: Ingress): readonly Finding[] {
  const others = Object.keys(metadata.annotations ?? {}).filter((name) =>
    /^(?:nginx\.org|traefik\.ingress\.kubernetes\.io|haproxy\.org|konghq\.com)\//.test(name),
  );
  return others.map((about) => ({
    verdict: 'no-effect',
    about,
    text: "it is not ingress-nginx's; it is ignored there too",
  }));
}
