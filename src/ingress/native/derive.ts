import {
  apiVersionOf,
  type Ingress,
  type KindName,
  type KubernetesObject,
  keyOf,
  kinds,
  nameFromIngress,
  type ObjectKey,
  parseObjectKey,
} from '../../gateway-api/index.ts';
import { policiesOf } from '../convert/policies.ts';
import type { RouteContext } from '../convert/routes.ts';
import { routesOf } from '../convert/routes.ts';
import { ServicePolicies } from '../convert/services.ts';
import type { Fields } from '../features/part.ts';
import type { Finding } from '../finding.ts';
import { type Judged, judgedIn } from '../judge/judge.ts';
import { siteOf } from '../judge/site.ts';
import { catchAll } from '../model/servers.ts';
import type { World } from '../world/world.ts';
import { admitted } from './admitted.ts';
import { certificateFaults } from './certificate-faults.ts';
import { nativeCertificates, type WildcardOwner } from './certificates.ts';
import { backendFaults, findingFaults } from './faults.ts';
import { type GatewayListeners, httpsListenerOf } from './gateway-listeners.ts';
import { listenerSetOf } from './listener-set.ts';
import type { IngressFault } from './options.ts';
import { plainValue } from './plain-value.ts';

/** One object that an Ingress becomes. */
export interface Derived {
  readonly kind: KindName;
  readonly object: KubernetesObject;
}

/** What became of one Ingress. */
export interface Outcome {
  readonly objects: readonly Derived[];
  readonly faults: readonly IngressFault[];
}

/** What Ingresses that have hosts in common become at a Gateway, by key. The same ones give the same, in whatever order they are. */
export function derive(
  given: World,
  {
    gateway,
    listeners,
    ownerOf,
  }: { readonly gateway: ObjectKey; readonly listeners: GatewayListeners; readonly ownerOf: WildcardOwner },
): ReadonlyMap<ObjectKey, Outcome> {
  const { world, faults } = admitted(given);
  const site = siteOf(world, false);
  const context: RouteContext = {
    site,
    certificates: nativeCertificates(site, listeners, ownerOf),
    hasDefault: false,
    served: {
      httpListener: listeners.http.name,
      httpsListener: (host) => httpsListenerOf(listeners, host === catchAll ? '' : host)?.name,
    },
    options: {
      gateway: parseObjectKey(gateway),
      gatewayClass: '',
      httpPort: listeners.http.port,
      httpsPort: listeners.https[0]?.port ?? usualHttpsPort,
      includeDead: false,
      without: new Set(),
    },
  };
  const outcomes = site.ordered.map((ingress) => {
    const judged = judgedIn(site, ingress);
    const found = outcomeOf(judged, context);
    return [judged.key, { ...found, faults: [...(faults.get(judged.key) ?? []), ...found.faults] }] as const;
  });
  const left = [...faults].filter(([key]) => !outcomes.some(([known]) => known === key));
  return new Map([...left.map(([key, own]) => [key, { objects: [], faults: own }] as const), ...outcomes]);
}

const usualHttpsPort = 443;

function outcomeOf(judged: Judged, context: RouteContext): Outcome {
  const { site } = context;
  const reason = site.dead.get(judged.key);
  if (reason !== undefined)
    return { objects: [], faults: [{ reason: 'NotServed', message: `it is not served: ${reason}`, isWhole: true }] };
  if (judged.settings.is('canary')) return { objects: [], faults: findingFaults(judged.findings, undefined) };
  // A backend that is not there closes its own paths alone.
  const blocks = judged.findings.filter(({ blocks: isBlock, about }) => isBlock && !about.startsWith('Service '));
  const outside = (judged.part.external ?? []).map(outsideFinding);
  const written = writtenFindings(judged);
  const parts = [...blocks, ...outside].map(({ about }) => about);
  const closed = parts.length === 0 ? undefined : parts.join(', ');
  const named = renamed(judged);
  const made = routesOf(named, closed, context);
  const fields = [
    ...made.routes.map(({ name, spec, isLast }) => ({ kind: 'HTTPRoute', name, spec, isLast })),
    ...made.filters.all.map(({ name, spec }) => ({ kind: 'HTTPFilter', name, spec })),
    ...(closed === undefined ? policies(named, judged.ingress, made.routes) : []),
    ...listenerSetOf(judged.ingress, context),
  ];
  return {
    objects: fields.map((each) => derived(judged.ingress, each)),
    faults: [
      ...findingFaults([...judged.findings, ...outside, ...written, ...made.findings], closed),
      ...(closed === undefined ? backendFaults(judged.ingress, site.world) : []),
      ...certificateFaults(judged.ingress, context),
    ],
  };
}

/** Who may write Ingresses may not have proxies ask any server: that is for those who may write XBackends. */
const outsideFinding = ({ hostname }: { readonly hostname: string }): Finding => ({
  verdict: 'cannot',
  about: 'auth-url',
  text: `${hostname} is outside of the cluster: name a Service, or write an HTTPRoute with an AccessPolicy and an XBackend`,
  blocks: true,
});

/** What a conversion writes beside routes and policies, and must be written by hand here. */
function writtenFindings({ part: { backendAuthority }, findings }: Judged): readonly Finding[] {
  const about = 'proxy-ssl-secret';
  const unshown = findings.find((finding) => finding.about === about && finding.verdict === 'decision');
  return [
    ...(backendAuthority
      ? [
          {
            verdict: 'cannot' as const,
            about,
            text: `write its entry ca.crt into a ConfigMap ${backendAuthority.name}: until then requests get an error`,
          },
        ]
      : []),
    ...(unshown ? [{ ...unshown, verdict: 'cannot' as const }] : []),
  ];
}

/** By the name that what is made of it has. */
const renamed = (judged: Judged): Judged => {
  const { metadata } = judged.ingress;
  return {
    ...judged,
    ingress: { ...judged.ingress, metadata: { ...metadata, name: nameFromIngress(metadata.name) } },
  };
};

interface Made {
  readonly kind: string;
  readonly name: string;
  readonly spec: Fields;
  readonly isLast?: true | undefined;
}

/** Younger than all others. */
const lastOfAll = '9999-12-31T23:59:59Z';

/** Of its routes, and of its Services: there each Ingress has one of its own, and the oldest wins as among all policies. */
function policies(named: Judged, ingress: Ingress, routes: Parameters<typeof policiesOf>[1]): readonly Made[] {
  const services = new ServicePolicies();
  services.add(
    named,
    [...servicesOf(ingress)].map((name) => ({ name })),
  );
  const { objects } = services.objects(ingress.metadata.namespace ?? '');
  return [
    ...policiesOf(named, routes).map(madeOf),
    ...objects
      .filter(({ kind }) => kind !== 'ConfigMap')
      .map(madeOf)
      .map((made) => ({ ...made, name: nameFromIngress(ingress.metadata.name, made.name) })),
  ];
}

const madeOf = ({ kind, metadata, spec }: Fields): Made => ({
  kind: String(kind),
  name: String((metadata as Fields).name),
  spec: spec as Fields,
});

const servicesOf = ({ spec: { rules = [], defaultBackend } }: Ingress): ReadonlySet<string> =>
  new Set([
    ...rules.flatMap(({ http }) => http?.paths.flatMap(({ backend }) => backend.service?.name ?? []) ?? []),
    ...(defaultBackend?.service ? [defaultBackend.service.name] : []),
  ]);

function derived({ metadata }: Ingress, { kind: name, name: ownName, spec, isLast }: Made): Derived {
  const kind = name as KindName;
  const { namespace, generation } = metadata;
  const creationTimestamp = isLast ? lastOfAll : metadata.creationTimestamp;
  const object = {
    apiVersion: apiVersionOf(kinds[kind]),
    kind,
    metadata: {
      name: ownName,
      ...(namespace !== undefined && { namespace }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(generation !== undefined && { generation }),
    },
    spec: plainValue(spec),
  };
  return { kind, object };
}

export const keyOfDerived = ({ kind, object }: Derived): string => `${kind} ${keyOf(object)}`;
