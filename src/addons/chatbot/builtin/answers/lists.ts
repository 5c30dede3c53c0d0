import type { wire } from '../../tools/index.ts';
import { clusterText, lines, mostListed, paragraphs } from '../cluster-text.ts';
import type { Texts } from '../texts/index.ts';
import type { Concept } from '../understand/lexicon.ts';
import { type Answer, type Answering, nameOf, type Page } from './answering.ts';
import { policiesAnswer } from './relations.ts';

interface Listed {
  readonly tool: string;
  readonly word: string;
  readonly input?: object;
  /** Whether entries can be narrowed to a namespace. */
  readonly hasNamespace: boolean;
  readonly line: (entry: never, say: Texts) => string;
}

const routeLine = ({ kind, namespace, name, hostnames, accepted }: wire.RouteAnswer, say: Texts): string =>
  `${nameOf({ kind, namespace, name })}: ${clusterText(hostnames.slice(0, 5).join(', ')) || say.anyHost}${accepted ? '' : ` (${say.notAccepted})`}`;

const routes = (kind?: string): Listed => ({
  tool: 'list_routes',
  word: kind === undefined ? 'routes' : `${kind}s`,
  ...(kind && { input: { kind } }),
  hasNamespace: true,
  line: routeLine,
});
const gateways: Listed = {
  tool: 'list_gateways',
  word: 'Gateways',
  hasNamespace: true,
  line: ({ namespace, name, addresses }: wire.GatewayAnswer, say) =>
    `${nameOf({ kind: 'Gateway', namespace, name })}: ${addresses.map(({ value }) => clusterText(value)).join(', ') || say.noAddress}`,
};
const listeners: Listed = {
  tool: 'list_listeners',
  word: 'listeners',
  hasNamespace: true,
  line: ({ name, gateway, protocol, port, hostname }: wire.ListenerAnswer) =>
    clusterText(`${name} (Gateway ${gateway.namespace}/${gateway.name}): ${protocol} ${port}, ${hostname ?? '*'}`),
};
const objects = (kind: string, word = `${kind}s`): Listed => ({
  tool: 'list_objects',
  word,
  input: { kind },
  hasNamespace: true,
  line: ({ namespace, name }: wire.ResourceAnswer) => nameOf({ kind, namespace, name }),
});

/** What can be listed, by the word that asks for it; the first that the question has. */
const lists: readonly (readonly [Concept, Listed])[] = [
  ['httproute', routes('HTTPRoute')],
  ['grpcroute', routes('GRPCRoute')],
  ['tcproute', routes('TCPRoute')],
  ['udproute', routes('UDPRoute')],
  ['tlsroute', routes('TLSRoute')],
  ['route', routes()],
  ['listenerset', objects('ListenerSet')],
  ['listener', listeners],
  ['gateway', gateways],
  ['aiservice', objects('AIService')],
  ['class', objects('GatewayClass', 'GatewayClasses')],
  ['referencegrant', objects('ReferenceGrant')],
  [
    'service',
    {
      tool: 'list_backends',
      word: 'backends',
      hasNamespace: true,
      line: ({ namespace, name, endpoints }: wire.BackendAnswer) =>
        clusterText(`${namespace}/${name}: ${endpoints.filter(({ healthy }) => healthy).length}/${endpoints.length}`),
    },
  ],
  ['port', listeners],
  ['address', gateways],
  ['host', routes()],
];

/** A list of the things that the question names, or how many there are of everything. */
export async function* listAnswer(answering: Answering): Answer {
  const { frame, call, say } = answering;
  const { concepts } = frame.question;
  const listed = lists.find(([concept]) => concepts.has(concept))?.[1];
  if (listed === undefined && concepts.has('policy')) return yield* policiesAnswer(answering);
  if (listed === undefined && (frame.namespace !== undefined || !concepts.has('namespace')))
    return yield* overviewAnswer(answering);
  const { tool, word, input, hasNamespace, line } = listed ?? namespaces;
  const gateway = frame.objects.find(({ kind }) => kind === 'Gateway');
  const narrowed = {
    ...input,
    ...(hasNamespace && frame.namespace !== undefined && { namespace: frame.namespace }),
    ...(gateway !== undefined &&
      ['list_routes', 'list_listeners'].includes(tool) && { gateway: `${gateway.namespace}/${gateway.name}` }),
  };
  const { total, entries } = (yield* call(tool, narrowed)) as Page<never>;
  if (total === 0) return say.noneOf(word);
  const shown = entries.slice(0, mostListed);
  return paragraphs(
    say.counted(total, word),
    lines(shown.map((entry) => line(entry, say))),
    total > shown.length && say.more(total - shown.length),
  );
}

const namespaces: Listed = {
  tool: 'list_namespaces',
  word: 'namespaces',
  hasNamespace: false,
  line: (name: string) => clusterText(name),
};

async function* overviewAnswer({ call, say }: Answering): Answer {
  const { gatewayCount, listenerCount, routeCount, backendCount, nodeCount } = (yield* call(
    'summary',
  )) as wire.SummaryAnswer;
  return paragraphs(say.overview(gatewayCount, listenerCount, routeCount, backendCount, nodeCount), say.whichList);
}
