import type * as ir from '../../../../ir/index.ts';
import { firstFault } from '../../first-fault.ts';
import { framingHeader, nameFault, prefixFault } from './header-names.ts';
import { invalid, type Member, type MemberSpec } from './member.ts';
import { ignoringCase, patternFault } from './name-pattern.ts';
import { type Side, valueParts } from './value-parts.ts';

type SideSpec = NonNullable<MemberSpec<'headers'>[Side]>;
type HeaderSpec = NonNullable<SideSpec['set']>[number];
type MatchingSpec = NonNullable<SideSpec['removeMatching']>[number];

const sides = ['request', 'response'] as const satisfies readonly Side[];

export const headers: Member<'headers'> = {
  resolve(spec) {
    const edits = sides.flatMap((side) => (spec[side] ? [[side, headerEdit(spec[side], side)] as const] : []));
    for (const [side, edit] of edits) if ('fault' in edit) return invalid(`headers.${side}: ${edit.fault}`);
    return { parts: { filters: { headerEdits: Object.fromEntries(edits) } } };
  },
};

/** Changes of headers as they are written, or what is wrong with them. */
export function headerEdit(spec: SideSpec, side: Side): ir.HeaderEdit | { readonly fault: string } {
  const fault = sideFault(spec, side);
  return fault === undefined ? editOf(spec, side) : { fault };
}

function sideFault(
  { set = [], add = [], ifAbsent = [], remove = [], removeMatching = [] }: SideSpec,
  side: Side,
): string | undefined {
  const written = [...set, ...add, ...ifAbsent];
  return firstFault([
    ...[...written.map(({ name }) => name), ...remove].map((name) => changedFault(name.toLowerCase())),
    ...removeMatching.map(matchingFault),
    ...written.map((header) => writtenFault(header, side)),
  ]);
}

const matchingFault = ({ prefix, pattern = '' }: MatchingSpec): string | undefined =>
  prefix === undefined ? patternFault(pattern) : prefixFault(prefix.toLowerCase());

const changedFault = (name: string): string | undefined => nameFault(name) ?? framingHeader(name);

function writtenFault({ name, value }: HeaderSpec, side: Side): string | undefined {
  const parts = valueParts(value, side);
  return 'fault' in parts ? `header ${name}: ${parts.fault}` : undefined;
}

function editOf({ set, add, ifAbsent, remove = [], removeMatching = [] }: SideSpec, side: Side): ir.HeaderEdit {
  const patterns = removeMatching.flatMap(({ pattern }) => pattern ?? []);
  return {
    remove: remove.map((name) => name.toLowerCase()),
    removePrefixes: removeMatching.flatMap(({ prefix }) => prefix?.toLowerCase() ?? []),
    ...(patterns.length > 0 && { removePatterns: patterns.map(ignoringCase) }),
    set: editedOf(set, side),
    add: editedOf(add, side),
    ifAbsent: editedOf(ifAbsent, side),
  };
}

const editedOf = (written: readonly HeaderSpec[] = [], side: Side): ir.EditedHeader[] =>
  written.map(({ name, value }) => {
    const parts = valueParts(value, side);
    return { name: name.toLowerCase(), value: 'fault' in parts ? [] : parts };
  });
