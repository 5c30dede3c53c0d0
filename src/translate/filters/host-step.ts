import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  CompositeSchema,
  FilterStateInputSchema,
  HeaderMutationFilterSchema,
  type Matcher_OnMatchSchema,
  packAny,
  ServerNameMatcherSchema,
  SetFilterStateSchema,
} from '../../envoy/index.ts';
import { type ChainKind, celFormatter } from '../resource/index.ts';
import {
  actionOf,
  type Matcher,
  matcherOf,
  type Predicate,
  type SlotContent,
  type TableContent,
  type TableFilter,
} from './slot.ts';
import { steadySlots } from './steady.ts';

/** Filter state: the name of the virtual host that was found for the request, in lower case and without a port. */
const hostKey = 'gatewright.host';

const [resolveName, hostName] = ['gatewright.host.resolve', 'gatewright.host'];
/** Filters that a chain has once, however many of its filters want them. */
export const hostFilterNames: ReadonlySet<string> = new Set([resolveName, hostName]);

/** What requests for some hosts meet. */
export interface HostStep {
  readonly content: SlotContent;
  /** Those that it is for, as listeners have them; undefined: every request. */
  readonly hosts: readonly string[] | undefined;
  /** Requests that meet nothing of it. */
  readonly except?: Predicate;
}

/**
 * Says which virtual host was found, in tables where that decides what is demanded. The name is ours, where Host is the client's: what it is spelt
 * like, and how the virtual host was found, make no difference. The first of the two makes Envoy choose the route where the fallthrough cleared it:
 * until then it names the virtual host of the scope before.
 */
export const hostFilters = (chain: ChainKind): readonly TableFilter[] => [
  ofHosts(chain, resolveName, () => noMutations()),
  ofHosts(chain, hostName, keepHost),
];

/** Where requests wait in the chain it has them always: then it does not change when listeners begin to differ. */
function ofHosts(chain: ChainKind, name: string, filter: () => Any): TableFilter {
  return {
    chain,
    filterOf: (table, slots) =>
      slots.has(steadySlots[chain]) || differs[chain](table) ? { name, filter: filter() } : undefined,
  };
}

/** Whether listeners differ in what a chain has of them. The demands of a table, and what says for whom they are, change in one step. */
const differs: Readonly<Record<ChainKind, (table: TableContent) => boolean>> = {
  entry: ({ limits, traffic }) => (limits?.hostnames ?? traffic?.hostnames) !== undefined,
  access: ({ access, limits, traffic }) => (access?.hostnames ?? limits?.hostnames ?? traffic?.hostnames) !== undefined,
  traffic: () => false,
};

function keepHost(): Any {
  return packAny(
    SetFilterStateSchema,
    create(SetFilterStateSchema, {
      onRequestHeaders: [
        {
          key: { case: 'objectKey', value: hostKey },
          factoryKey: 'envoy.string',
          value: {
            case: 'formatString',
            value: {
              format: {
                case: 'textFormatSource',
                value: { specifier: { case: 'inlineString', value: '%CEL(xds.virtual_host_name)%' } },
              },
              formatters: [celFormatter],
            },
          },
        },
      ],
    }),
  );
}

/**
 * A filter of the chain like stepOfChain's, for steps that are each for some of the listeners. Of the hostnames of all listeners the most specific one that covers the virtual
 * host counts, so those without a step are there too.
 */
export const stepByHost = (name: string, steps: readonly HostStep[], hostnames: readonly string[]): Any =>
  packAny(CompositeSchema, create(CompositeSchema, { matcher: matcherByHost(name, steps, hostnames) }));

/** What the step does where it is for all hosts, or for one of its own. */
export function matcherOfStep(name: string, { content, except }: HostStep): Matcher {
  const matcher = matcherOf(name, content);
  if (!except) return matcher;
  return {
    onNoMatch: { onMatch: { case: 'matcher', value: matcher } },
    matcherType: { case: 'matcherList', value: { matchers: [{ predicate: except, onMatch: skip() }] } },
  };
}

export function matcherByHost(name: string, steps: readonly HostStep[], hostnames: readonly string[]): Matcher {
  const taken = new Set(steps.flatMap(({ hosts = [] }) => hosts));
  const others = hostnames.filter((host) => !taken.has(host));
  const matchers = [
    ...steps.map((step) => ({
      domains: [...(step.hosts ?? [])],
      onMatch: { onMatch: { case: 'matcher' as const, value: matcherOfStep(name, step) } },
    })),
    ...(others.length > 0 ? [{ domains: others, onMatch: skip() }] : []),
  ];
  const input = packAny(FilterStateInputSchema, create(FilterStateInputSchema, { key: hostKey }));
  const byHost = packAny(ServerNameMatcherSchema, create(ServerNameMatcherSchema, { domainMatchers: matchers }));
  return {
    matcherType: {
      case: 'matcherTree',
      value: {
        input: { name: 'host', typedConfig: input },
        treeType: { case: 'customMatch', value: { name: 'hostnames', typedConfig: byHost } },
      },
    },
  };
}

/** Runs nothing. Envoy 1.40 has no action for that: it does nothing for SkipFilter either, but logs an error for each request. */
export const skip = (): MessageInitShape<typeof Matcher_OnMatchSchema> =>
  actionOf({
    typedConfig: { name: 'none', typedConfig: noMutations() },
    samplePercent: { defaultValue: { numerator: 0 } },
  });

const noMutations = (): Any =>
  packAny(HeaderMutationFilterSchema, create(HeaderMutationFilterSchema, { mutations: {} }));
