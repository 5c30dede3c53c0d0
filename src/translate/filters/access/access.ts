import type { Any } from '@bufbuild/protobuf/wkt';
import { accessTags } from '../../../contracts/index.ts';
import * as ir from '../../../ir/index.ts';
import type { EnvoyFilter } from '../envoy-filter.ts';
import { copiedHeaders, identifying } from '../identity.ts';
import {
  emptySlot,
  fillSlot,
  nameInSlot,
  type Slot,
  type SlotContent,
  slotWith,
  switchedOff,
  type TableFilter,
} from '../slot.ts';
import { waitingIn } from '../steady.ts';
import { accessFilter, identityHeaders, withCopies, withoutIdentity } from './access-filters.ts';
import { certificateMark } from './client-certificates.ts';
import type { LastOf } from './hidden.ts';
import { hideContext, hideHeaders, hidesByScript, hidingParts } from './hidden-credentials.ts';
import { hideScript } from './hidden-script.ts';
import {
  loginCookiesFor,
  loginCookiesMetadata,
  loginCookiesNeeds,
  loginCookiesOfTable,
  loginCookiesSlot,
} from './login-cookies.ts';
import { passedMark } from './passed-servers.ts';
import { hasSignIn, signInContext, signInPassed, signInScript } from './sign-in.ts';
import { switchedOffMetadata } from './switched-off.ts';
import { isTableTag, tableFilters, tableNames } from './table-filters.ts';

/** What routes add, in slots: `rt` of policies for a whole route, `ru` of those for one rule. */
const levels = { route: accessTags.route, rule: accessTags.rule } as const;
type Level = keyof typeof levels;

/** One filter, for each level that wants it: those of the table run for all of its requests, routes fill a slot. */
interface Step {
  /** Behind `gatewright.LEVEL.` */
  readonly name: string;
  /** Undefined: what the level demands does not want it. */
  readonly contentOf: (access: ir.Access, level: string, last: LastOf) => SlotContent | undefined;
  /** Routes do not carry the filter: the slot has it once, the same for all of them. */
  readonly shared?: (level: string) => Any;
  /** It denies requests, or what denies them depends on it, or it keeps credentials from backends. */
  readonly protects?: true;
  /** Routes may switch the table's off, where the table says so. */
  readonly part?: ir.AccessPart;
}

const nameOf = (level: string, { name }: Pick<Step, 'name'>): string => `gatewright.${level}.${name}`;

const slotOf = (level: Level, step: Step): Slot => ({
  name: nameOf(levels[level], step),
  chain: 'access',
  ...(step.protects && { protects: true }),
  filter: () => (step.shared ? slotWith(step.name, step.shared(levels[level])) : emptySlot()),
});

/** Each part of a route removes its own headers, but for those that do not run for each request: parts of which one is enough, and logins. */
const strip: Step = {
  name: 'strip',
  protects: true,
  contentOf(access, level) {
    const headers = access.any || access.oidc || isTableTag(level) ? identityHeaders(access) : [];
    return headers.length > 0 ? withoutIdentity(headers) : undefined;
  },
};

/** Behind what verifies credentials at any level: the headers by which backends learn whose a request is, for limits as well. */
const identityStep: Step = {
  name: 'identity',
  contentOf(access) {
    const copied = copiedHeaders(access);
    return copied.length > 0 ? withCopies(copied) : undefined;
  },
};

const partStep = (part: ir.AccessPart): Step => ({
  name: part,
  part,
  protects: true,
  contentOf: (access, level, last) => accessFilter(part, access, level, last),
});

function passedStep(part: ir.AskingPart): Step {
  return { name: `${part}.passed`, contentOf: (access, level) => passedMark(part, access, level) };
}

/** A server's 401 becomes a redirect in front of the filter that asks it, and only while the mark behind that filter is not there. */
const forwardAuthSteps: readonly Step[] = [
  { name: 'signIn.context', contentOf: signInContext },
  {
    name: 'signIn',
    contentOf: (access, level) => (hasSignIn(access) ? signInScript(level) : undefined),
    shared: signInScript,
  },
  partStep('forwardAuth'),
  passedStep('forwardAuth'),
  { name: 'signIn.passed', contentOf: signInPassed },
];

/** Behind what verifies credentials at any level, and in front of all servers that are asked. Switched off with the part that verified them. */
const hideSteps: readonly Step[] = [
  ...hidingParts.flatMap((part): Step[] => [
    {
      name: `${part}.hide`,
      part,
      protects: true,
      contentOf: (access, level, last) => hideHeaders(part, access, level, last),
    },
    {
      name: `${part}.hidden`,
      part,
      protects: true,
      contentOf: (access, level, last) => hideContext(part, access, level, last),
    },
  ]),
  {
    name: 'hide',
    protects: true,
    contentOf: (access, level, last) => (hidesByScript(access, level, last) ? hideScript(level) : undefined),
    shared: hideScript,
  },
];

/** Steps of a part beside its own. */
const stepsOf: Partial<Record<ir.AccessPart, readonly Step[]>> = {
  any: [{ name: 'any.certificate', contentOf: certificateMark }, partStep('any'), passedStep('any')],
  basicAuth: [partStep('basicAuth'), passedStep('basicAuth')],
  forwardAuth: forwardAuthSteps,
};

/** Before all that may write them, clients' own identity headers go. Then part by part. */
const groups: readonly (readonly Step[])[] = [
  [strip],
  ...ir.accessParts.flatMap((part) => [
    stepsOf[part] ?? [partStep(part)],
    ...(part === 'jwt' ? [[identityStep], hideSteps] : []),
  ]),
];

/** Behind the logins of all levels, which need their cookies. */
const cookieSteps: readonly (Slot | TableFilter)[] = [
  ...ir.tableLevels.flatMap((level) => tableFilters(level, loginCookiesOfTable)),
  loginCookiesSlot,
];

/** Each group first for the Gateway, its ListenerSet and the listener, then for the route, then for the rule. */
export const accessSteps: readonly (Slot | TableFilter)[] = groups.flatMap((group) => [
  ...stepsOfGroup(group),
  ...(group.some(({ part }) => part === 'oidc') ? cookieSteps : []),
]);

function stepsOfGroup(group: readonly Step[]): readonly (Slot | TableFilter)[] {
  return [
    ...ir.tableLevels.flatMap((level) => group.flatMap((step) => tableFilters(level, step))),
    ...group.map((step) => slotOf('route', step)),
    ...group.map((step) => slotOf('rule', step)),
  ];
}

const stepsByPart = Map.groupBy(groups.flat(), ({ part }) => part);

export const access: EnvoyFilter<'access'> = {
  slots: (demands) => [
    ...contentsOf(demands).map(({ level, step }) => nameOf(level, step)),
    ...loginCookiesNeeds(demands),
    ...(isWaiting(demands) ? waitingIn('access') : []),
  ],
  metadata: (demands) => ({ ...loginCookiesMetadata(demands), ...switchedOffMetadata(demands) }),
  perRoute: ({ overrides = [], ...demands }) => ({
    ...loginCookiesFor(demands),
    ...Object.fromEntries(contentsOf(demands).map((content) => [nameOf(content.level, content.step), inSlot(content)])),
    ...Object.fromEntries(
      overrides.flatMap((part) =>
        tableNames(stepsByPart.get(part) ?? []).map((name) => [name, switchedOff()] as const),
      ),
    ),
  }),
};

const isWaiting = ({ route, rule }: ir.RouteAccess): boolean =>
  [route, rule].some((level) => level !== undefined && ir.accessWaits(level));

interface LevelContent {
  readonly level: string;
  readonly step: Step;
  readonly content: SlotContent;
}

const contentsOf = (demands: ir.RouteAccess): readonly LevelContent[] =>
  (Object.keys(levels) as Level[]).flatMap((name) => {
    const wanted = demands[name];
    const level = levels[name];
    if (!wanted) return [];
    const demanded = demands.identifies ? identifying(wanted) : wanted;
    const last = name === 'rule' ? credentialParts : lastWithout(demands.rule);
    return groups.flat().flatMap((step) => {
      const content = step.contentOf(demanded, level, last);
      return content ? [{ level, step, content }] : [];
    });
  });

const credentialParts: LastOf = new Set(['apiKeys', 'jwt']);

/** Of a route, behind whose filters are those of the rule. */
const lastWithout = (rule: ir.Access = {}): LastOf => new Set([...credentialParts].filter((part) => !rule[part]));

const inSlot = ({ step: { name, shared }, content }: LevelContent): Any =>
  shared ? nameInSlot(name) : fillSlot(name, content);
