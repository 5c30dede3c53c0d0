import { idOf, type SourceObject } from '../kit/objects.ts';
import { objectOf } from '../kit/output.ts';
import type { Converted } from '../kit/result.ts';
import { type Table, Visit } from '../kit/table.ts';
import { type Fields, isFields, listOf, textOf } from '../kit/values.ts';
import type { RouteContext } from './ingress-routes.ts';
import { readMiddlewares } from './middlewares.ts';
import { policyObjects } from './policies.ts';
import { conjunctionsOf } from './rule/conjunctions.ts';
import { parseRule, RuleError } from './rule/parse.ts';
import { middlewareTcpTable } from './tables/middleware.ts';
import { noteOption } from './tls-options.ts';

const l4Route: Table = {
  entryPoints: { aside: 'listeners' },
  routes: { aside: 'routes' },
  tls: { aside: 'listeners' },
  ingressClassName: { none: 'all objects that are read are converted' },
};
const route: Table = {
  match: { aside: 'hostnames' },
  priority: { none: 'the more specific name goes first' },
  syntax: { none: 'both grammars have HostSNI' },
  services: { aside: 'backendRefs' },
  middlewares: { aside: 'an AccessPolicy' },
};

const entryPointsOf = ({ spec }: SourceObject): readonly string[] =>
  Array.isArray(spec.entryPoints) ? spec.entryPoints.filter((name) => typeof name === 'string') : [];

/** An IngressRouteTCP or IngressRouteUDP: a route for each of its routes, at a listener for each entry point. */
export function convertStream(source: SourceObject, context: RouteContext): Converted {
  const visit = new Visit(false);
  visit.walk(source.spec, l4Route);
  const { namespace, name, spec } = source;
  const all = Array.isArray(spec.routes) ? spec.routes.filter(isFields) : [];
  let made = 0;
  let isClosed = false;
  for (const [index, fields] of all.entries()) {
    const at = new Visit(false, undefined, visit.notes, `routes[${index}]`);
    at.guarded(() => {
      at.walk(fields, route);
      const own = all.length === 1 ? name : `${name}-${index + 1}`;
      const written = writeStream(source, fields, own, at, context);
      made += written === undefined ? 0 : 1;
      isClosed ||= written === 'closed';
    });
  }
  const outcome = made === 0 ? 'left' : isClosed ? 'closed' : 'converted';
  return { id: idOf(source), outcome, notes: [...visit.notes] };

  function writeStream(
    from: SourceObject,
    fields: Fields,
    own: string,
    at: Visit,
    { listeners, objects, options, output, services }: RouteContext,
  ) {
    const tls = isFields(from.spec.tls) ? from.spec.tls : undefined;
    const names = from.kind === 'IngressRouteUDP' ? ['*'] : namesOf(textOf(fields.match), at);
    if (names === undefined) return undefined;
    const hosts = names.filter((each) => each !== '*');
    if (hosts.length > 0 && tls === undefined)
      return at.at('match').miss('names are known of TLS alone: tls is not set') as undefined;
    const protocol = from.kind === 'IngressRouteUDP' ? 'UDP' : tls === undefined ? 'TCP' : 'TLS';
    const kind = `${protocol}Route`;
    const parents = entryPointsOf(from).flatMap((entryPoint) => {
      const port = listeners.portOf(entryPoint);
      if (port !== undefined) return [listeners.stream(entryPoint, port, protocol, tlsOf(tls, at))];
      at.at('entryPoints').note(
        'decision',
        `the port of ${entryPoint} is not known: say --entry-point ${entryPoint}=PORT`,
      );
      return [];
    });
    if (parents.length === 0) return at.miss('it has no entry point whose port is known') as undefined;
    const before = at.notes.length;
    if (tls !== undefined && tls.passthrough !== true) noteOption(tls, namespace, objects, options.without, at);
    const middle = readMiddlewares(fields.middlewares, namespace, tls !== undefined, objects, at, {
      kind: 'MiddlewareTCP',
      table: middlewareTcpTable,
    });
    const closed = at.notes.slice(before).some(({ blocks }) => blocks) && !options.without.has(`${namespace}/${name}`);
    const { backendRefs } = services.ofRoute(listOf(fields.services ?? []), namespace, kind, at);
    const file = `${namespace}/${from.kind.toLowerCase()}-${name}.yaml`;
    output.add(
      file,
      objectOf('gateway.networking.k8s.io/v1', kind, namespace, own, {
        parentRefs: parents,
        ...(protocol === 'TLS' && { hostnames: hosts.length > 0 ? hosts : undefined }),
        rules: [{ backendRefs }],
      }),
      at.notes,
    );
    if (protocol !== 'UDP')
      for (const object of policyObjects(
        middle.draft,
        middle.sources,
        { namespace, name: own, kind },
        closed,
        services,
        at,
      ))
        output.add(file, object);
    return closed ? 'closed' : 'converted';
  }
}

/** TLS is passed through, or ends with the certificate of the IngressRouteTCP. */
function tlsOf(tls: Fields | undefined, visit: Visit): Fields | undefined {
  if (tls === undefined) return undefined;
  if (tls.passthrough === true) return { mode: 'Passthrough' };
  const { secretName } = tls;
  if (typeof secretName !== 'string')
    visit.at('tls').note('decision', 'name the Secret of the certificate in the listener');
  else
    visit
      .at('tls.secretName')
      .note('decision', `the Secret ${secretName} is read from the Gateway’s namespace: copy it there`);
  return {
    mode: 'Terminate',
    certificateRefs: [{ name: typeof secretName === 'string' ? secretName : 'default-certificate' }],
  };
}

/** Names of HostSNI; undefined if the rule says anything else. */
function namesOf(rule: string, visit: Visit): readonly string[] | undefined {
  try {
    const all = conjunctionsOf(parseRule(rule));
    const lost = all.flat().find(({ name, isNot }) => name !== 'HostSNI' || isNot);
    if (lost === undefined && all.every((each) => each.length === 1))
      return all.flatMap(([literal]) => literal?.values ?? []);
    visit.at('match').miss(`${lost?.isNot ? '!' : ''}${lost?.name ?? 'two names'}: connections are chosen by HostSNI`);
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    visit.at('match').miss(`the rule cannot be read: ${error.message}`);
  }
  return undefined;
}
