import { ruleLabel } from '../../../../gateway-api/index.ts';
import { outcomeText } from '../../tools/explain-request.ts';
import type { wire } from '../../tools/index.ts';
import { clusterText, lines, mostListed, paragraphs } from '../cluster-text.ts';
import type { Texts } from '../texts/index.ts';
import type { KnownObject } from '../understand/resolve.ts';
import type { AskedRequest } from '../understand/written.ts';
import {
  type Answer,
  type Answering,
  type Finding,
  nameOf,
  type Page,
  type ProblemList,
  problemLines,
} from './answering.ts';
import { mentionsAnswer } from './mentions.ts';

/** What happens to the request that the question names, or of one to the hostname of the route that it names. */
export async function* requestAnswer(answering: Answering): Answer {
  const { frame, call, say } = answering;
  if (frame.request !== undefined) return yield* oneRequest(frame.request, answering);
  const [object] = frame.objects;
  const [missing] = frame.names.missing;
  if (object === undefined) {
    const [status] = frame.statuses;
    const { problems } = (yield* call('list_problems')) as ProblemList;
    const fitting =
      status === undefined
        ? []
        : problems.filter(({ code, cause, message }) => makes(status, code, `${cause} ${message}`));
    return paragraphs(
      missing && (yield* mentionsAnswer(missing, answering)),
      fitting.length > 0 && paragraphs(say.foundProblems, problemLines(fitting, fitting.length, answering)),
      fitting.length === 0 && status !== undefined && say.noProblemMakes(status),
      say.whichRequest(status),
    );
  }
  const host = yield* hostOf(object, answering);
  if (host === undefined) return say.noHostname(nameOf(object));
  return yield* oneRequest({ host, path: '/', method: 'GET', scheme: undefined, port: undefined }, answering);
}

/** The problems that end with such an answer to a client. */
function makes(status: number, code: string, text: string): boolean {
  if (text.includes(String(status))) return true;
  if (status === 404)
    return ['route_not_accepted', 'parent_unknown', 'gateway_class_unknown', 'route_degraded'].includes(code);
  return (
    status >= 500 &&
    ['traffic_failing', 'backend_without_endpoints', 'backend_unusable', 'rule_without_backend'].includes(code)
  );
}

/** A hostname of the route, or of a route that forwards to the Service. */
async function* hostOf(
  object: { readonly kind: string; readonly namespace: string; readonly name: string },
  { call }: Answering,
) {
  let route = object;
  if (['Service', 'ServiceImport', 'XBackend', 'InferencePool', 'AIService'].includes(object.kind)) {
    const { entries } = (yield* call('list_backends', {
      namespace: object.namespace,
      service: object.name,
    })) as Page<wire.BackendAnswer>;
    const [first] = entries.flatMap(({ referencedBy }) => referencedBy);
    if (first === undefined) return undefined;
    route = first;
  }
  if (!route.kind.endsWith('Route')) return undefined;
  const { hostnames } = (yield* call('get_route', { ...route })) as wire.RouteAnswer;
  return hostnames[0]?.replace(/^\*/, 'any');
}

async function* oneRequest(request: AskedRequest, answering: Answering): Answer {
  const { call, say, frame } = answering;
  const { answer, asked } = yield* bestAnswer(request, answering);
  const { route, backends } = answer;
  const near = route === null ? yield* nearHost(request.host, call) : { routes: [], hosts: [] };
  const services = backends.flatMap(({ namespace, service }) =>
    namespace === null || service === null ? [] : [{ namespace, name: service }],
  );
  const onTheWay = [...(route === null ? near.routes : [route]), ...services];
  const names = [...new Set(onTheWay.map(({ name }) => name))].slice(0, 20);
  const found = names.length === 0 ? undefined : ((yield* call('list_problems', { names })) as ProblemList);
  const problems = (found?.problems ?? []).filter(({ object }) =>
    onTheWay.some(({ namespace }) => namespace === object.namespace),
  );
  // What is said below with its next step is not said twice.
  const hints = answer.hints.filter((hint) => !problems.some(({ message }) => hint.includes(message)));
  return paragraphs(
    requestText({ ...answer, hints }, asked, say),
    problems.length > 0 && paragraphs(say.foundProblems, problemLines(problems, problems.length, { frame, say })),
    near.routes.length === 0 &&
      near.hosts.length > 0 &&
      say.didYouMean(near.hosts.map((host) => clusterText(host)).join(say.or)),
  );
}

interface NearHost {
  /** Routes for exactly this host, served or not. */
  readonly routes: readonly KnownObject[];
  /** Hosts that are written nearly so. */
  readonly hosts: readonly string[];
}

/** Routes that are not served are not among those that the proxies know. */
async function* nearHost(host: string, call: Answering['call']): Finding<NearHost> {
  const found = (yield* call('find_objects', { words: [host] })) as readonly wire.FoundAnswer[];
  const matches = found.flatMap(({ matches }) => matches);
  const ofHost = matches.filter(({ by, object }) => by === 'hostname' && object.kind.endsWith('Route'));
  const hosts = matches.flatMap(({ by, hostname }) => (by === 'near' && hostname !== null ? [hostname] : []));
  return { routes: ofHost.map(({ object }) => object), hosts: [...new Set(hosts)].slice(0, 3) };
}

interface Tried {
  readonly answer: wire.RouteTestAnswer;
  readonly asked: string;
}

/** Who gives no port means the one that shows what they see: the answer that they speak of, or else the one where most happens. */
async function* bestAnswer(request: AskedRequest, { call, frame }: Answering): Finding<Tried> {
  const tried: Tried[] = [];
  for (const { scheme, port } of yield* doors(request, call)) {
    const { host, path, method } = request;
    const input = { host, path, method, scheme, ...(port !== undefined && { port }) };
    const answer = (yield* call('explain_request', input)) as wire.RouteTestAnswer;
    tried.push({
      answer,
      asked: `${method} ${scheme}://${host}${request.port === undefined ? '' : `:${request.port}`}${path}`,
    });
  }
  const withStatus = tried.find(({ answer: { status } }) => status !== null && frame.statuses.includes(status));
  const isHandled = ({ answer: { outcome } }: Tried) => outcome === 'forward' || outcome === 'respond';
  return (withStatus ??
    tried.find(isHandled) ??
    tried.find(({ answer }) => answer.route !== null) ??
    tried[0]) as Tried;
}

interface Door {
  readonly scheme: 'http' | 'https';
  readonly port: number | undefined;
}

/** Ports that the request may come in at: those of its scheme, the usual one first. */
async function* doors({ scheme, port }: AskedRequest, call: Answering['call']): Finding<readonly Door[]> {
  if (port !== undefined) return [{ scheme: scheme ?? (port === 443 ? 'https' : 'http'), port }];
  const { entries } = (yield* call('list_listeners', { limit: 100 })) as Page<wire.ListenerAnswer>;
  const found = new Map<number, Door>();
  for (const { protocol, port: at } of entries)
    if (protocol === (scheme?.toUpperCase() ?? protocol) && ['HTTP', 'HTTPS'].includes(protocol))
      found.set(at, { scheme: protocol === 'HTTP' ? 'http' : 'https', port: at });
  const usual = (door: Door) => (door.port === 80 || door.port === 443 ? 0 : 1);
  const all = [...found.values()].sort(
    (a, b) => a.scheme.localeCompare(b.scheme) || usual(a) - usual(b) || (a.port ?? 0) - (b.port ?? 0),
  );
  return all.length === 0 ? [{ scheme: scheme ?? 'http', port: undefined }] : all.slice(0, 4);
}

function requestText(answer: wire.RouteTestAnswer, asked: string, say: Texts): string {
  const { gateway, port, listener, backends, candidates, hints } = answer;
  const targets = backends.map(({ namespace, service, port: to, share, endpoints, picker, status }) =>
    service === null
      ? say.shareUnresolved(percent(share), status)
      : say.share(
          percent(share),
          clusterText(`${namespace}/${to === 0 ? service : `${service}:${to}`}`),
          endpoints,
          status,
        ) + pickerText(picker, say),
  );
  const others = candidates
    .filter(({ outcome }) => outcome === 'mismatch')
    .slice(0, mostListed)
    .map(({ kind, namespace, name, rule, ruleName, reason }) =>
      clusterText(`${kind} ${namespace}/${name} rule ${ruleLabel(rule, ruleName)}: ${reason}`),
    );
  return paragraphs(
    say.request(
      clusterText(asked),
      clusterText(`${gateway.namespace}/${gateway.name}`),
      port,
      listener === null ? null : clusterText(listener),
      clusterText(outcomeText(answer)),
    ),
    lines(targets.slice(0, mostListed)),
    others.length > 0 && targets.length === 0 && `${say.candidates}\n${lines(others)}`,
    hints.length > 0 && `${say.hints}\n${lines(hints.slice(0, mostListed).map((hint) => clusterText(hint)))}`,
  );
}

function pickerText(picker: wire.RouteTestAnswer['backends'][number]['picker'], say: Texts): string {
  if (!picker) return '';
  const lately = picker.lately.map(({ requests, endpoint, outcome }) => say.pickedLately(requests, endpoint, outcome));
  return say.pickedBy(clusterText(picker.service), picker.failureMode === 'FailOpen') + lately.join('');
}

export const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;
