import { Annotations } from '../model/annotations.ts';
import { orderedIngresses } from '../model/servers.ts';
import type { Ingress } from '../world/objects.ts';
import type { World } from '../world/world.ts';

/** What of a world decides how its hosts are moved. All lists are sorted, each entry once. */
export interface MoveFacts {
  readonly ingresses: readonly string[];
  readonly hosts: readonly string[];
  /** Without a section `tls`: nginx serves them over TLS with its default certificate. */
  readonly hostsWithoutTls: readonly string[];
  readonly secrets: readonly string[];
  /** Ingresses by what they have cert-manager or external-dns do. */
  readonly certManager: readonly string[];
  readonly externalDns: readonly string[];
  /** Ingresses with cookies of sessions, limits of requests, or lists of addresses. */
  readonly sessions: readonly string[];
  readonly limits: readonly string[];
  readonly addresses: readonly string[];
  /** `--publish-service`: the Service whose address clients use. */
  readonly publishService: string | undefined;
  readonly sendsHsts: boolean;
  readonly trustsForwardedHeaders: boolean;
  readonly usesProxyProtocol: boolean;
}

const sorted = (all: Iterable<string>): string[] => [...new Set(all)].sort();

const keyOfIngress = ({ metadata: { namespace = 'default', name } }: Ingress): string => `${namespace}/${name}`;

export function moveFacts(world: World): MoveFacts {
  const served = orderedIngresses(world);
  const { settings, flags } = world.controller;
  const having = (test: (ingress: Ingress) => boolean): string[] => sorted(served.filter(test).map(keyOfIngress));
  const annotated = (prefix: string) => (ingress: Ingress) =>
    Object.keys(ingress.metadata.annotations ?? {}).some((name) => name.startsWith(prefix));
  const says = (test: (all: Annotations) => boolean) => (ingress: Ingress) =>
    test(new Annotations(ingress, world.controller));
  const withTls = new Set(served.flatMap(({ spec }) => spec.tls?.flatMap(({ hosts = [] }) => hosts) ?? []));
  const hosts = sorted(served.flatMap(({ spec }) => spec.rules?.flatMap(({ host }) => host || []) ?? []));
  return {
    ingresses: having(() => true),
    hosts,
    hostsWithoutTls: hosts.filter((host) => !withTls.has(host)),
    secrets: sorted(served.flatMap((ingress) => secretsOf(ingress))),
    certManager: having(
      (ingress) => annotated('cert-manager.io/')(ingress) || annotated('kubernetes.io/tls-acme')(ingress),
    ),
    externalDns: having(annotated('external-dns.alpha.kubernetes.io/')),
    sessions: having(says((all) => all.text('affinity') === 'cookie')),
    limits: having(says((all) => ['limit-rps', 'limit-rpm', 'limit-connections'].some((name) => all.text(name)))),
    addresses: having(
      says((all) =>
        ['allowlist-source-range', 'whitelist-source-range', 'denylist-source-range'].some((name) => all.text(name)),
      ),
    ),
    publishService: flags.get('publish-service'),
    sendsHsts: settings.hsts?.trim().toLowerCase() !== 'false',
    trustsForwardedHeaders: settings['use-forwarded-headers']?.trim().toLowerCase() === 'true',
    usesProxyProtocol: settings['use-proxy-protocol']?.trim().toLowerCase() === 'true',
  };
}

const secretsOf = ({ metadata: { namespace = 'default' }, spec }: Ingress): string[] =>
  (spec.tls ?? []).flatMap(({ secretName }) => (secretName ? [`${namespace}/${secretName}`] : []));
