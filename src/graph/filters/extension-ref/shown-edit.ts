import type * as ir from '../../../ir/index.ts';

/** A change of headers as people read it: values with what is put in between braces. */
export const shownEdit = ({ set, add, ifAbsent, ...rest }: ir.HeaderEdit) => ({
  ...rest,
  set: set.map(shownHeader),
  add: add.map(shownHeader),
  ifAbsent: ifAbsent.map(shownHeader),
});

const shownHeader = ({ name, value }: ir.EditedHeader) => ({ name, value: value.map(shownPart).join('') });

const shownPart = (part: ir.ValuePart): string =>
  typeof part === 'string' ? part : `{${part.kind === 'variable' ? part.name : `${part.of} ${part.name}`}}`;
