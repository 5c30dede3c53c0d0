import { parseObjectKey } from '../../gateway-api/index.ts';
import { entriesOf } from '../annotations/index.ts';
import type { Fields } from '../features/part.ts';
import type { Site } from '../judge/site.ts';
import type { StreamService } from '../judge/streams.ts';
import { SettingsOf } from '../settings-of.ts';
import { withoutHostBits } from '../values/network.ts';
import { noted } from '../values/noted.ts';
import { defaultCertificate, type HostCertificate } from './certificates.ts';
import { listenerName, nameOf, setName } from './names.ts';
import { objectOf } from './object.ts';
import type { ConvertOptions } from './options.ts';
import { streamListeners, streamPolicies } from './streams.ts';

const all = { namespaces: { from: 'All' } } as const;
const own = 'gatewright.dev/v1alpha1';

/** The Gateway with what the ConfigMap says of all Ingresses. */
export function gatewayObjects(
  site: Site,
  streams: readonly StreamService[],
  options: ConvertOptions,
): readonly Fields[] {
  const { gateway, gatewayClass, httpPort, httpsPort } = options;
  const { settings: config } = site.world.controller;
  const { namespace: certNamespace, name: certName } = defaultCertificate(site) ?? {};
  const certificate = { ...(certNamespace !== gateway.namespace && { namespace: certNamespace }), name: certName };
  const https = {
    name: 'https',
    port: httpsPort,
    protocol: 'HTTPS',
    tls: { certificateRefs: [certificate] },
    allowedRoutes: all,
  };
  const target = { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: gateway.name }] };
  const policies: readonly (readonly [kind: string, spec: Fields])[] = [
    ['ListenerPolicy', listenerSettings(site)],
    ['AccessPolicy', blocked(config)],
    ['TrafficPolicy', compression(config)],
  ];
  return [
    objectOf('gateway.networking.k8s.io/v1', 'Gateway', gateway, {
      gatewayClassName: gatewayClass,
      ...tlsOf(site, gateway),
      allowedListeners: all,
      listeners: [
        { name: 'http', port: httpPort, protocol: 'HTTP', allowedRoutes: all },
        ...(certName === undefined ? [] : [https]),
        ...streamListeners(streams),
      ],
    }),
    ...(site.authorities
      ? [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: authoritiesName(gateway.name), namespace: gateway.namespace },
            data: { 'ca.crt': site.authorities.certificates },
          },
        ]
      : []),
    ...policies
      .filter(([, spec]) => Object.keys(spec).length > 0)
      .map(([kind, spec]) => objectOf(own, kind, gateway, { ...target, ...spec })),
    ...streamPolicies(streams, options),
    ...(certName !== undefined && certNamespace !== gateway.namespace
      ? [secretGrant(certNamespace ?? '', certName, gateway.namespace, 'default-certificate')]
      : []),
    ...shownGrants(site, gateway.namespace),
  ];
}

const authoritiesName = (gateway: string): string => nameOf(gateway, 'client-authorities');

/** What is asked of clients, and shown to backends. */
function tlsOf({ authorities, shownCertificate }: Site, { namespace: home, name }: ConvertOptions['gateway']): Fields {
  if (authorities === undefined && shownCertificate === undefined) return {};
  const shown = shownCertificate && parseObjectKey(shownCertificate);
  const reference = shown && { ...(shown.namespace !== home && { namespace: shown.namespace }), name: shown.name };
  return {
    tls: {
      ...(authorities && frontendTls(name)),
      ...(reference && {
        backend: { clientCertificateRef: noted(reference, 'proxy-ssl-secret: shown to all backends that ask for one') },
      }),
    },
  };
}

function shownGrants({ shownCertificate }: Site, home: string): readonly Fields[] {
  if (shownCertificate === undefined) return [];
  const { namespace, name } = parseObjectKey(shownCertificate);
  return namespace === home ? [] : [secretGrant(namespace, name, home, 'backend-certificate')];
}

/** All hosts ask for a certificate, and policies demand one where nginx does. */
const frontendTls = (gateway: string): Fields => {
  const reference = { group: '', kind: 'ConfigMap', name: authoritiesName(gateway) };
  const mode = noted('AllowInsecureFallback', 'clients without a certificate come in, unless a policy demands one');
  return { frontend: { default: { validation: { caCertificateRefs: [reference], mode } } } };
};

const secretGrant = (namespace: string, name: string, from: string, what: string): Fields =>
  objectOf(
    'gateway.networking.k8s.io/v1beta1',
    'ReferenceGrant',
    { name: nameOf(name, what), namespace },
    {
      from: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: from }],
      to: [{ group: '', kind: 'Secret', name }],
    },
  );

type Config = Readonly<Record<string, string>>;

const passesCertificate = (ingresses: Site['ordered'], controller: Site['world']['controller']): boolean =>
  ingresses.some((ingress) => new SettingsOf(ingress, controller).is('auth-tls-pass-certificate-to-upstream'));

function listenerSettings({ world, servers, ordered, authorities }: Site): Fields {
  const config = world.controller.settings;
  const special = [...servers.all.values()].some(({ locations }) =>
    locations.all.some(({ path, isDefault }) => !isDefault && path !== '/'),
  );
  const isAllowed = config['enable-underscores-in-headers']?.trim() === 'true';
  return {
    headers: {
      ...(authorities &&
        passesCertificate(ordered, world.controller) && {
          clientCertificate: noted('Forward', 'auth-tls-pass-certificate-to-upstream: by X-Forwarded-Client-Cert'),
        }),
      underscores: noted(isAllowed ? 'Allow' : 'Drop', 'as nginx does with headers that have an underscore'),
      ...backendHeaders(config),
    },
    path: {
      escapedSlashes: special
        ? noted(
            'UnescapeAndForward',
            'differs: nginx sends %2F on as it is; here paths are compared and sent on with a slash, so that no rule is gone around',
          )
        : noted('Keep', 'as nginx: all hosts have the path / alone'),
    },
    ...tlsVersions(config),
    ...clientAddress(config),
  };
}

/** Headers by which backends learn of the client, and those of answers that nginx takes away. */
function backendHeaders(config: Config): Fields {
  const appends = config['compute-full-forwarded-for']?.trim() === 'true';
  const isKept = config['generate-request-id']?.trim() === 'false';
  return {
    forwarded: noted(
      {
        forwardedFor: appends ? 'Append' : 'Replace',
        add: [
          'X-Real-IP',
          'X-Forwarded-Host',
          'X-Forwarded-Port',
          'X-Forwarded-Scheme',
          'X-Scheme',
          'X-Original-Forwarded-For',
        ],
      },
      'what nginx writes for backends',
    ),
    requestID: { mode: isKept ? 'Preserve' : 'PreserveOrGenerate' },
    ...(config['allow-backend-server-header']?.trim() !== 'true' && { response: { remove: ['server'] } }),
  };
}

const versions: Readonly<Record<string, string>> = {
  TLSv1: '1.0',
  'TLSv1.1': '1.1',
  'TLSv1.2': '1.2',
  'TLSv1.3': '1.3',
};

function tlsVersions(config: Config): Fields {
  const used = (config['ssl-protocols'] ?? '')
    .split(/\s+/)
    .flatMap((word) => versions[word] ?? [])
    .sort();
  const [minVersion] = used;
  const maxVersion = used.at(-1);
  return minVersion === undefined || maxVersion === undefined ? {} : { tls: { minVersion, maxVersion } };
}

/** Networks of proxies before the controller. Those of every client are left out: clients could then write their address themselves. */
function clientAddress(config: Config): Fields {
  if (config['use-proxy-protocol']?.trim() === 'true') return { clientIP: { proxyProtocol: 'Required' } };
  const isOn = config['use-forwarded-headers']?.trim() === 'true' || config['enable-real-ip']?.trim() === 'true';
  const networks = entriesOf(config['proxy-real-ip-cidr'] ?? '')
    .filter((network) => !/\/0$/.test(network))
    .map(withoutHostBits);
  if (!isOn || networks.length === 0) return {};
  const header = config['forwarded-for-header']?.trim();
  const isUsual = header === undefined || header.toLowerCase() === 'x-forwarded-for';
  return { clientIP: { trustedCIDRs: networks, ...(!isUsual && { header }) } };
}

function blocked(config: Config): Fields {
  const deny = entriesOf(config['block-cidrs'] ?? '').map(withoutHostBits);
  return deny.length === 0 ? {} : { clientIPs: { deny } };
}

function compression(config: Config): Fields {
  const algorithms = [
    ...(config['enable-brotli']?.trim() === 'true' ? ['Brotli'] : []),
    ...(config['use-gzip']?.trim() === 'true' ? ['Gzip'] : []),
  ];
  if (algorithms.length === 0) return {};
  const types = (config['gzip-types'] ?? '').split(/\s+/).filter((type) => /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/.test(type));
  const least = Number(config['gzip-min-length'] ?? 256);
  return {
    compression: {
      algorithms,
      minBytes: Math.min(1_048_576, Math.max(30, least || 256)),
      ...(types.length > 0 && { contentTypes: types.slice(0, 64) }),
    },
  };
}

/** The ListenerSets of a namespace: an HTTPS listener for each of its hosts with a certificate. */
export function listenerSets(
  namespace: string,
  hosts: readonly HostCertificate[],
  users: (of: string) => readonly string[],
  { gateway, httpsPort }: ConvertOptions,
): readonly Fields[] {
  return [...Map.groupBy(hosts, ({ set }) => set)].map(([set, some]) =>
    annotated(
      some[0]?.annotations ?? {},
      objectOf(
        'gateway.networking.k8s.io/v1',
        'ListenerSet',
        { name: setName(gateway.name, set), namespace },
        {
          parentRef: { kind: 'Gateway', name: gateway.name, namespace: gateway.namespace },
          listeners: some.map(({ host, of, secretName }) => ({
            name: listenerName(host, hosts),
            hostname: host,
            port: httpsPort,
            protocol: 'HTTPS',
            tls: { certificateRefs: [{ name: secretName }] },
            ...allowedOf(namespace, users(of)),
          })),
        },
      ),
    ),
  );
}

const annotated = (annotations: Readonly<Record<string, string>>, object: Fields): Fields =>
  Object.keys(annotations).length === 0
    ? object
    : { ...object, metadata: { ...(object.metadata as Fields), annotations } };

/** Routes of other namespaces for the host. */
function allowedOf(namespace: string, users: readonly string[]): Fields {
  const others = users.filter((user) => user !== namespace);
  if (others.length === 0) return {};
  const selector = {
    matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [namespace, ...others] }],
  };
  return { allowedRoutes: { namespaces: { from: 'Selector', selector } } };
}
