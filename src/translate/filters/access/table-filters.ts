import { accessTags } from '../../../contracts/index.ts';
import * as ir from '../../../ir/index.ts';
import { type HostStep, stepByHost } from '../host-step.ts';
import { identifying, identityUse } from '../identity.ts';
import { type SlotContent, stepOfChain, type TableFilter } from '../slot.ts';
import type { LastOf } from './hidden.ts';

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
  step.part ? [ofTable(level, step, true), ofTable(level, step, false)] : [ofTable(level, step, false)];

const ofTable = (level: ir.TableLevel, { name, contentOf, part }: TableStep, overridable: boolean): TableFilter => ({
  chain: 'access',
  filterOf({ access, limits }, slots, isAlone) {
    const isOverridable = (demand: ir.TableAccess) => part !== undefined && demand.overridable.includes(part);
    const own = access?.demands.filter((demand) => demand.level === level && isOverridable(demand) === overridable);
    if (!access || !own?.length) return undefined;
    const identifies =
      slots.has(identityUse) || (limits?.levels ?? []).some(({ buckets }) => ir.countByIdentity(buckets));
    const last = isAlone ? lastAt(level, access, slots) : noneLast;
    const steps = own.flatMap((demand): HostStep[] => {
      const content = contentOf(identifies ? identifying(demand) : demand, accessTags[level], last);
      return content ? [{ content, hosts: demand.hostnames }] : [];
    });
    const [first] = steps;
    if (!first) return undefined;
    const filter = first.hosts ? stepByHost(name, steps, access.hostnames ?? []) : stepOfChain(name, first.content);
    return { name: `${tableName(level, name)}${overridable ? '' : '!'}`, filter };
  },
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
