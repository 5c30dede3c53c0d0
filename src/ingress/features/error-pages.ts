import { objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import { annotated, type Finding } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import type { Ingress } from '../world/objects.ts';
import type { World } from '../world/world.ts';
import { type Fields, nothing, only, type Part } from './part.ts';

interface PageService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** `custom-http-errors`: the default backend has the pages of these errors. */
export function errorPages(settings: SettingsOf, ingress: Ingress, world: World): Part {
  const codes = codesOf(settings.get('custom-http-errors'));
  const about = 'custom-http-errors';
  if (codes.length === 0 || settings.is('disable-proxy-intercept-errors')) return nothing;
  const { namespace = 'default' } = ingress.metadata;
  const service = pageService(settings, namespace, world);
  if (typeof service === 'string') return only(annotated(about, 'cannot', service));
  const pages = codes.filter((code) => code >= 400 && code < 600).slice(0, mostCodes);
  const isAway = service.namespace !== namespace;
  return {
    findings: [annotated(about), ...(pages.length < codes.length ? [notErrors] : [])],
    ...(pages.length > 0 && { traffic: { errorPages: [{ codes: pages, service: askedFor(service, ingress) }] } }),
    ...(isAway && { grants: [{ from: 'TrafficPolicy', to: 'Service', ...service }] }),
  };
}

function askedFor({ namespace, name, port }: PageService, ingress: Ingress): Fields {
  const { namespace: own = 'default', name: ingressName } = ingress.metadata;
  const headers = [
    { name: 'X-Namespace', value: own },
    { name: 'X-Ingress-Name', value: ingressName },
    ...serviceHeaders(ingress),
  ];
  return { backendRef: { name, ...(namespace !== own && { namespace }), port }, headers, status: 'Service' };
}

/** Of an entry of `errorPages`. */
const mostCodes = 32;

const notErrors: Finding = annotated(
  'custom-http-errors',
  'differs',
  'statuses below 400, and more than 32 of them, have no pages here',
);

const codesOf = (list: string): readonly number[] => [
  ...new Set(list.split(',').flatMap((code) => (/^\s*\d{3}\s*$/.test(code) ? Number(code) : []))),
];

/** The one of the annotation, else the controller's; or why there is none. */
function pageService(settings: SettingsOf, namespace: string, world: World): PageService | string {
  const own = objectKey(namespace, settings.set('default-backend') ?? '');
  const key = world.services.has(own) ? own : world.controller.flags.get('default-backend-service');
  if (key === undefined)
    return 'there is no default backend that has pages: nginx answers its own 404, and here errors stay as they are';
  const found = world.services.get(key as typeof own);
  const port = found?.spec.ports?.[0]?.port;
  if (port === undefined || found?.spec.type === 'ExternalName')
    return `the default backend ${key} is no Service with a port that was read; errors stay as they are`;
  return { ...parseObjectKey(key), port };
}

/** Which Service the error is of, where it can be one alone. */
function serviceHeaders({ spec: { rules = [], defaultBackend } }: Ingress): readonly Fields[] {
  const backends = [...rules.flatMap(({ http }) => http?.paths.map(({ backend }) => backend) ?? []), defaultBackend];
  const services = backends.flatMap((backend) => backend?.service ?? []);
  const [first] = services;
  if (first === undefined || services.some(({ name }) => name !== first.name)) return [];
  const port = first.port?.number ?? first.port?.name;
  return [
    { name: 'X-Service-Name', value: first.name },
    ...(port === undefined ? [] : [{ name: 'X-Service-Port', value: String(port) }]),
  ];
}
