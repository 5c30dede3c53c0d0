import type * as ir from '../../../../ir/index.ts';
import { firstFault } from '../../first-fault.ts';
import { framingHeader, nameFault, prefixFault } from './header-names.ts';
import { invalid, type Member, type MemberSpec } from './member.ts';
import { type Side, valueParts } from './value-parts.ts';

type SideSpec = NonNullable<MemberSpec<'headers'>[Side]>;
type HeaderSpec = NonNullable<SideSpec['set']>[number];

const sides = ['request', 'response'] as const satisfies readonly Side[];

export const headers: Member<'headers'> = {
  resolve(spec) {
    const fault = firstFault(sides.map((side) => sideFault(spec[side] ?? {}, side)));
    if (fault !== undefined) return invalid(fault);
    const edits = sides.flatMap((side) => (spec[side] ? [[side, editOf(spec[side], side)]] : []));
    return { parts: { filters: { headerEdits: Object.fromEntries(edits) } } };
  },
};

function sideFault({ set = [], add = [], ifAbsent = [], remove = [], removeMatching = [] }: SideSpec, side: Side) {
  const written = [...set, ...add, ...ifAbsent];
  const fault = firstFault([
    ...[...written.map(({ name }) => name), ...remove].map((name) => changedFault(name.toLowerCase())),
    ...removeMatching.map(({ prefix }) => prefixFault(prefix.toLowerCase())),
    ...written.map((header) => writtenFault(header, side)),
  ]);
  return fault === undefined ? undefined : `headers.${side}: ${fault}`;
}

const changedFault = (name: string): string | undefined => nameFault(name) ?? framingHeader(name);

function writtenFault({ name, value }: HeaderSpec, side: Side): string | undefined {
  const parts = valueParts(value, side);
  return 'fault' in parts ? `header ${name}: ${parts.fault}` : undefined;
}

const editOf = ({ set, add, ifAbsent, remove = [], removeMatching = [] }: SideSpec, side: Side): ir.HeaderEdit => ({
  remove: remove.map((name) => name.toLowerCase()),
  removePrefixes: removeMatching.map(({ prefix }) => prefix.toLowerCase()),
  set: editedOf(set, side),
  add: editedOf(add, side),
  ifAbsent: editedOf(ifAbsent, side),
});

const editedOf = (written: readonly HeaderSpec[] = [], side: Side): ir.EditedHeader[] =>
  written.map(({ name, value }) => {
    const parts = valueParts(value, side);
    return { name: name.toLowerCase(), value: 'fault' in parts ? [] : parts };
  });
