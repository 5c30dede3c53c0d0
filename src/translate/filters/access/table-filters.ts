import { create } from '@bufbuild/protobuf';
import { accessTags } from '../../../contracts/index.ts';
import { CompositeSchema, packAny } from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';
import { type HostStep, matcherByHost, matcherOfStep, stepByHost } from '../host-step.ts';
import { identifying, identityUse } from '../identity.ts';
import { type Guard, type SlotContent, stepOfChain, type TableFilter } from '../slot.ts';
import type { LastOf } from './hidden.ts';
import { isSwitchedOff } from './switched-off.ts';

/** Whether a level is one that all requests of a table meet. */
export const isTableTag = (level: string): boolean => ir.tableLevels.some((each) => accessTags[each] === level);

/** A filter of the table that routes may switch off goes by this name. Any other name is one that no route can know. */
const tableName = (level: ir.TableLevel, name: string): string => `gatewright.${accessTags[level]}.${name}`;

/** How the filters of these steps are called that routes may switch off. */
export const tableNames = (steps: readonly Pick<TableStep, 'name'>[]): readonly string[] =>
  steps.flatMap(({ name }) => ir.tableLevels.map((level) => tableName(level, name)));

/** A filter as levels of a table want it. */
interface TableStep {
  readonly name: string;
  readonly contentOf: (access: ir.Access, level: string, last: LastOf) => SlotContent | undefined;
  readonly part?: ir.AccessPart;
}

/** What policies of one level demand: what routes may switch off, and what they may not. */
export const tableFilters = (level: ir.TableLevel, step: TableStep): readonly TableFilter[] =>
  step.part
    ? [ofTable(level, step, true, noGuard), ofTable(level, step, false, guardOf(level, step))]
    : [ofTable(level, step, false, guardOf(level, step))];

/** It is part of the other's. */
const noGuard: Guard = { mayWait: false, of: () => undefined };

const isOverridable = ({ part }: TableStep, demand: ir.TableAccess): boolean =>
  part !== undefined && ir.canGoOff(part, demand);

const ofTable = (level: ir.TableLevel, step: TableStep, overridable: boolean, guard: Guard): TableFilter => ({
  chain: 'access',
  guard,
  filterOf({ access, limits }, slots, isAlone) {
    const own = access?.demands.filter(
      (demand) => demand.level === level && isOverridable(step, demand) === overridable,
    );
    if (!access || !own?.length) return undefined;
    const identifies =
      slots.has(identityUse) || (limits?.levels ?? []).some(({ buckets }) => ir.countByIdentity(buckets));
    const steps = hostStepsOf(step, own, { identifies, last: isAlone ? lastAt(level, access, slots) : noneLast });
    const [first] = steps;
    if (!first) return undefined;
    const { name } = step;
    const filter = first.hosts ? stepByHost(name, steps, access.hostnames ?? []) : stepOfChain(name, first.content);
    return { name: `${tableName(level, name)}${overridable ? '' : '!'}`, filter };
  },
});

/** Other steps of a part go with it, but only the one with its name may ask a server. */
const asks = (step: TableStep): step is TableStep & { readonly part: ir.AccessPart } => step.part === step.name;

/** What routes may switch off is found by their metadata, so it is in one filter with what they may not. */
const guardOf = (level: ir.TableLevel, step: TableStep): Guard => ({
  mayWait: asks(step) && ir.waitingParts.includes(step.part),
  of(access, slots, isAlone) {
    const { name, part } = step;
    const own = access.demands.filter((demand) => demand.level === level);
    const last = isAlone ? lastAt(level, access, slots) : noneLast;
    const steps = own.flatMap((demand) =>
      hostStepsOf(step, [demand], { identifies: slots.has(identityUse), last }).map((each) =>
        part && isOverridable(step, demand) ? { ...each, except: isSwitchedOff(part, demand) } : each,
      ),
    );
    const [first] = steps;
    if (!first) return undefined;
    const matcher = first.hosts ? matcherByHost(name, steps, access.hostnames ?? []) : matcherOfStep(name, first);
    return {
      filter: { name, typedConfig: packAny(CompositeSchema, create(CompositeSchema, { matcher })) },
      waits: asks(step) && own.some((demand) => ir.partWaits(step.part, demand)),
    };
  },
});

interface Circumstances {
  /** Filters say whose a request is. */
  readonly identifies: boolean;
  readonly last: LastOf;
}

const hostStepsOf = (
  { contentOf }: TableStep,
  demands: readonly ir.TableAccess[],
  { identifies, last }: Circumstances,
): readonly HostStep[] =>
  demands.flatMap((demand): HostStep[] => {
    const content = contentOf(identifies ? identifying(demand) : demand, accessTags[demand.level], last);
    return content ? [{ content, hosts: demand.hostnames }] : [];
  });

const noneLast: LastOf = new Set();

const credentialParts = ['apiKeys', 'jwt'] as const;

/** Parts that neither a deeper level of the table demands, nor any of its routes. */
function lastAt(level: ir.TableLevel, { demands }: ir.TableGuards, slots: ReadonlySet<string>): LastOf {
  const deeper = ir.tableLevels.slice(ir.tableLevels.indexOf(level) + 1);
  const isLast = (part: ir.AccessPart) =>
    !routeTags.some((tag) => slots.has(`gatewright.${tag}.${part}`)) &&
    !demands.some((demand) => deeper.includes(demand.level) && demand[part]);
  return new Set(credentialParts.filter(isLast));
}

const routeTags = [accessTags.route, accessTags.rule];
