import type { IngressBackend, IngressPath, IngressRule, IngressTls } from '../../gateway-api/index.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import { age } from '../kit/table.ts';
import type { Wire } from '../kit/wire.ts';
import { failureSection } from './failures.ts';
import type { Found } from './find-object.ts';
import { eventSection, eventsOf, problemSection } from './history.ts';
import { type Description, type Section, section } from './section.ts';

type Ingress = Wire['ingress'];

/** An Ingress: who serves it, where its requests go, what it became, and what is in the way. */
export async function describeIngress(client: AdminClient, found: Found, now: Date): Promise<Description> {
  const { namespace, name } = found;
  const ingress = await client.get<Ingress>(`/v1/ingresses/${[namespace, name].map(encodeURIComponent).join('/')}`);
  const sections = await Promise.all([
    faultSection(ingress),
    pathSection(ingress),
    certificateSection(ingress),
    routeSection(ingress),
    problemSection(client, [`Ingress/${namespace}/${name}`]),
    eventSection(client, eventsOf(found), now),
    failuresOf(client, ingress),
  ]);
  const facts = {
    class: `${ingress.class ?? 'none'}${ingress.adopted ? ', adopted from ingress-nginx' : ''}`,
    gateway: ingress.gateway ?? '',
    hosts: ingress.hosts.join(', ') || 'any',
    addresses: ingress.addresses.join(', '),
    age: age(ingress.createdAt, now),
  };
  return { ...found, ...stateOf(ingress), facts, sections };
}

function stateOf({ state, class: its }: Ingress): Pick<Description, 'state' | 'isWell'> {
  switch (state) {
    case 'served':
      return { state: 'served', isWell: true };
    case 'degraded':
      return { state: 'served in part', isWell: false };
    case 'failed':
      return { state: 'not served', isWell: false };
    case 'foreign':
      return { state: its === null ? 'not served, it names no class' : `not ours, class ${its}`, isWell: true };
  }
}

const faultSection = ({ faults }: Ingress): Section =>
  section(
    'faults',
    faults,
    faults.map(({ reason, message }) => `${reason}: ${message}`),
  );

function pathSection({ rules, defaultBackend }: Ingress): Section {
  const lines = (rules as unknown as readonly IngressRule[]).flatMap(({ host, http }) => [
    host || 'any host',
    ...(http?.paths ?? []).map((path) => `  ${pathText(path)}`),
  ]);
  const rest = defaultBackend ? [`all else to ${backendText(defaultBackend as unknown as IngressBackend)}`] : [];
  return section('paths', { rules, defaultBackend }, [...lines, ...rest]);
}

const pathText = ({ path = '/', pathType, backend }: IngressPath): string =>
  `${path} (${pathType}) to ${backendText(backend)}`;

const backendText = ({ service }: IngressBackend): string =>
  service ? `Service ${service.name}:${service.port?.number ?? service.port?.name ?? '?'}` : 'what is no Service';

const certificateSection = ({ tls }: Ingress): Section =>
  section(
    'certificates',
    tls,
    (tls as unknown as readonly IngressTls[]).map(
      ({ hosts = [], secretName }) =>
        `${hosts.join(', ') || 'all hosts'}: ${secretName ? `Secret ${secretName}` : 'no Secret'}`,
    ),
  );

function routeSection({ namespace, routes }: Ingress): Section {
  const lines = routes.map(
    ({ name, accepted, resolvedRefs }) =>
      `HTTPRoute ${namespace}/${name}: ${accepted ? (resolvedRefs ? 'accepted' : 'accepted, a reference does not resolve') : 'not accepted'}`,
  );
  return section('became', routes, lines.length > 0 ? lines : ['nothing']);
}

/** Of all that it became; where nothing failed, one line says so. */
async function failuresOf(client: AdminClient, { namespace, routes }: Ingress): Promise<Section> {
  const all = await Promise.all(routes.map(({ name }) => failureSection(client, `HTTPRoute/${namespace}/${name}`)));
  const failed = all.filter(({ data }) => Array.isArray(data) && data.length > 0);
  const shown = failed.length > 0 ? failed : all.slice(0, 1);
  return section(
    'lastFailures',
    shown.flatMap(({ data }) => data ?? []),
    shown.flatMap(({ lines }) => lines),
  );
}
