import { keyOf } from '../../gateway-api/index.ts';
import type { Fields, Grant } from '../features/part.ts';
import type { Finding } from '../finding.ts';
import type { Judged, Judgement } from '../judge/judge.ts';
import { hostsOf, type Site } from '../judge/site.ts';
import { streamServices } from '../judge/streams.ts';
import { ingressDigest } from '../values/ingress-digest.ts';
import { type Verdict, worstOf } from '../verdict.ts';
import { canariesOf } from './canaries-of.ts';
import { certificateFor, defaultCertificate, hostCertificates } from './certificates.ts';
import { defaultRoute } from './default-backend.ts';
import { gatewayObjects, listenerSets } from './gateway.ts';
import { Grants } from './grants.ts';
import { issuedCertificates } from './issuing.ts';
import { objectOf } from './object.ts';
import type { ConvertOptions } from './options.ts';
import { digestName, fromName } from './origin.ts';
import { passthroughObjects } from './passthrough.ts';
import { policiesOf } from './policies.ts';
import type { Route } from './route.ts';
import { routesOf } from './routes.ts';
import { ServicePolicies, serviceTargets } from './services.ts';
import { l4Routes } from './streams.ts';
import { yamlOf } from './yaml.ts';

/** What became of one Ingress. */
export interface Converted {
  readonly judged: Judged;
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  /** `closed`: its paths are answered 503, since a part of it has no equivalent here. `left`: nothing was made. */
  readonly outcome: 'converted' | 'closed' | 'left';
}

export interface Conversion {
  /** By path below the output's folder, in order. */
  readonly files: ReadonlyMap<string, string>;
  readonly ingresses: readonly Converted[];
  /** Services for which Ingresses want different things: the first was taken. */
  readonly disputed: readonly string[];
}

/** The files of a conversion. The same world and options give the same bytes. */
export function convert({ site, ingresses }: Judgement, options: ConvertOptions): Conversion {
  const dead = new Set(options.includeDead ? [] : site.dead.keys());
  const certificates = hostCertificates(site, { left: dead, isAnnotated: options.certificates === 'annotate' });
  const context = { site, options, certificates, hasDefault: defaultCertificate(site) !== undefined };
  const streams = streamServices(site).services;
  const files = new Map<string, string>([['gateway.yaml', yamlOf(gatewayObjects(site, streams, options).map(plain))]]);
  for (const [namespace, routes] of l4Routes(streams, options))
    files.set(`${namespace}/_streams.yaml`, yamlOf(routes.map(plain)));
  for (const [namespace, objects] of passthroughObjects(site, options))
    files.set(`${namespace}/_passthrough.yaml`, yamlOf(objects.map(plain)));
  const standard = defaultRoute(site, options);
  if (standard) files.set(`${standard.namespace}/_default-backend.yaml`, yamlOf([plain(standard.route)]));
  const converted: Converted[] = [];
  const services = new Map<string, ServicePolicies>();
  const users = new Map<string, Set<string>>();
  const grants = new Grants();
  for (const judged of ingresses) {
    const { namespace = 'default', name } = judged.ingress.metadata;
    if (dead.has(judged.key) || judged.isShare) {
      converted.push({
        judged,
        verdict: judged.verdict,
        findings: judged.findings,
        outcome: dead.has(judged.key) ? 'left' : 'converted',
      });
      continue;
    }
    const isForced = options.without.has(judged.key);
    const blocks = judged.findings.filter(({ blocks: isBlock }) => isBlock);
    const closed = blocks.length === 0 || isForced ? undefined : blocks.map(({ about }) => about).join(', ');
    const made = routesOf(judged, closed, context);
    const findings = [...judged.findings, ...made.findings];
    const objects = [
      ...made.routes.map((route) =>
        objectOf('gateway.networking.k8s.io/v1', 'HTTPRoute', { name: route.name, namespace }, route.spec),
      ),
      ...made.filters.all.map((filter) =>
        objectOf('gatewright.dev/v1alpha1', 'HTTPFilter', { name: filter.name, namespace }, filter.spec),
      ),
      ...(closed === undefined ? policiesOf(judged, made.routes) : []),
    ];
    for (const host of hostsOf(judged.ingress)) {
      const of = certificateFor(host, certificates)?.of ?? host;
      users.set(of, (users.get(of) ?? new Set()).add(namespace));
    }
    if (closed === undefined) {
      addServices(services, judged, namespace, site);
      grants.add(namespace, name, [...(judged.part.grants ?? []), ...backendGrants(made.routes)]);
    }
    if (made.routes.length > 0)
      files.set(`${namespace}/${name}.yaml`, yamlOf(described(objects, judged, findings, closed, site)));
    const verdict = worstOf(findings.map((finding) => finding.verdict));
    converted.push({
      judged,
      findings,
      verdict,
      outcome: closed !== undefined ? 'closed' : made.routes.length > 0 ? 'converted' : 'left',
    });
  }
  if (options.certificates === 'explicit')
    for (const [namespace, objects] of issuedCertificates(site, (ingress) => dead.has(keyOf(ingress))))
      files.set(`${namespace}/_certificates.yaml`, yamlOf(objects));
  for (const [namespace, objects] of grants.objects()) files.set(`${namespace}/_grants.yaml`, yamlOf(objects));
  const disputed = addShared(files, services, context, users);
  return { files: new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1))), ingresses: converted, disputed };
}

const plain = (object: Fields) => ({ object, comments: [] });

/** For canaries of another namespace than the Ingress that they are of. */
function backendGrants(routes: readonly Route[]): readonly Grant[] {
  const rules = routes.flatMap(({ spec }) => (spec.rules ?? []) as readonly { backendRefs?: readonly Fields[] }[]);
  return rules
    .flatMap(({ backendRefs = [] }) => backendRefs)
    .flatMap(({ namespace, name, kind = 'Service' }): readonly Grant[] =>
      namespace === undefined || kind !== 'Service'
        ? []
        : [{ from: 'HTTPRoute', to: 'Service', namespace: String(namespace), name: String(name) }],
    );
}

/** Each object with where it comes from; the first one with what is to be known. */
function described(
  objects: readonly Fields[],
  { key, ingress }: Judged,
  findings: readonly Finding[],
  closed: string | undefined,
  site: Site,
): Parameters<typeof yamlOf>[0] {
  const { resourceVersion } = ingress.metadata as { readonly resourceVersion?: string };
  const from = resourceVersion === undefined ? key : `${key}@${resourceVersion}`;
  const said = ingressDigest(ingress, canariesOf(ingress, site));
  const notes = [
    ...(closed === undefined
      ? []
      : [`NOT CONVERTED, all paths answer 503: ${closed}. Convert it by --without ${key} if that is not needed.`]),
    ...findings
      .filter(({ verdict }) => !['same', 'no-effect'].includes(verdict))
      .map(({ verdict, about, text }) => `${verdict}: ${about}: ${text}`),
  ];
  return objects.map((object, index) => ({
    object: annotated(object, from, said),
    comments: index === 0 ? notes : [],
  }));
}

/** Routes say what their Ingress and its canaries said, by which a later change of them is seen. */
function annotated(object: Fields, from: string, said: string): Fields {
  const digest = object.kind === 'HTTPRoute' ? { [digestName]: said } : {};
  const { apiVersion, kind, metadata, ...rest } = object;
  return {
    apiVersion,
    kind,
    metadata: { ...(metadata as Fields), annotations: { [fromName]: from, ...digest } },
    ...rest,
  };
}

function addServices(services: Map<string, ServicePolicies>, judged: Judged, namespace: string, site: Site): void {
  const policies = services.get(namespace) ?? new ServicePolicies();
  services.set(namespace, policies);
  policies.add(judged, serviceTargets(judged.ingress, site));
  policies.addExternal(judged.part.external ?? []);
}

/** Listeners and policies of Services, a file for each namespace, called as no Ingress can be. Gives the Services that are wanted in different ways. */
function addShared(
  files: Map<string, string>,
  services: ReadonlyMap<string, ServicePolicies>,
  {
    certificates,
    options,
  }: { readonly certificates: ReturnType<typeof hostCertificates>; readonly options: ConvertOptions },
  users: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const used = [...certificates.values()].filter(({ of }) => users.has(of));
  for (const [namespace, hosts] of Map.groupBy(used, (certificate) => certificate.namespace))
    files.set(
      `${namespace}/_listeners.yaml`,
      yamlOf(listenerSets(namespace, hosts, (of) => [...(users.get(of) ?? [])].sort(), options).map(plain)),
    );
  return [...services].flatMap(([namespace, policies]) => {
    const { objects, disputed } = policies.objects(namespace);
    if (objects.length > 0) files.set(`${namespace}/_services.yaml`, yamlOf(objects.map(plain)));
    return disputed;
  });
}
