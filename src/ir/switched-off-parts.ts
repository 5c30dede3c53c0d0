import type { Access, AccessPart, ListenerAccess } from './access.ts';

/** What lower levels may switch off of a level. */
export interface Overridable {
  readonly overridable: readonly AccessPart[];
  /** The level's login lets some requests pass, which `jwt`, or `any`, is for. */
  readonly letsPass: boolean;
}

/** Without it, requests that a login lets pass would meet nothing. */
const isForPassed = (part: AccessPart): boolean => part === 'jwt' || part === 'any';

/** Parts that lower levels may switch off only together with another one. */
export const neededOff = (part: AccessPart, { letsPass }: Pick<Overridable, 'letsPass'>): readonly AccessPart[] =>
  letsPass && isForPassed(part) ? [part, 'oidc'] : [part];

/** Parts of a level that lower levels can switch off: an older policy may list one whose other part a younger one keeps. */
const partsThatGoOff = (level: Overridable): readonly AccessPart[] =>
  level.overridable.filter((part) => neededOff(part, level).every((each) => level.overridable.includes(each)));

/** Parts of a level that lower levels switch off, of those that they would do without. */
export const switchedOffParts = (level: Overridable, wanted: readonly AccessPart[]): readonly AccessPart[] =>
  partsThatGoOff(level).filter((part) => neededOff(part, level).every((each) => wanted.includes(each)));

/** Whether the login of a level lets requests pass. */
export const letsPass = ({ oidc }: Pick<Access, 'oidc'>): boolean => (oidc?.passThrough.length ?? 0) > 0;

const levelOf = (demand: ListenerAccess): Overridable => ({
  overridable: demand.overridable,
  letsPass: letsPass(demand),
});

/** The same of what a level demands. */
export const partsSwitchedOff = (demand: ListenerAccess, wanted: readonly AccessPart[]): readonly AccessPart[] =>
  switchedOffParts(levelOf(demand), wanted);

/** Whether lower levels can switch the part off. */
export const canGoOff = (part: AccessPart, demand: ListenerAccess): boolean =>
  partsThatGoOff(levelOf(demand)).includes(part);
