import type { MessageInitShape } from '@bufbuild/protobuf';
import { HeaderValueOption_HeaderAppendAction as Append, type HeaderValueOptionSchema } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import type { EnvoyFilter } from '../envoy-filter.ts';

export const requestHeaders: EnvoyFilter<'requestHeaders'> = {
  headers: (changes) => ({ requestHeadersToAdd: additions(changes), requestHeadersToRemove: changes.remove }),
};

export const responseHeaders: EnvoyFilter<'responseHeaders'> = {
  headers: (changes) => ({ responseHeadersToAdd: additions(changes), responseHeadersToRemove: changes.remove }),
};

type HeaderOption = MessageInitShape<typeof HeaderValueOptionSchema>;

const additions = ({ set, add }: ir.HeaderChanges): readonly HeaderOption[] => [
  ...set.map((header) => option(header, Append.OVERWRITE_IF_EXISTS_OR_ADD)),
  ...add.map((header) => option(header, Append.APPEND_IF_EXISTS_OR_ADD)),
];

/** A `%` begins a command of Envoy's formatter; users mean the sign itself. */
const option = ({ name, value }: ir.Header, appendAction: Append): HeaderOption => ({
  header: { key: name, value: value.replaceAll('%', '%%') },
  appendAction,
});
