import type { MessageInitShape } from '@bufbuild/protobuf';
import { HeaderValueOption_HeaderAppendAction as Append, type HeaderValueOptionSchema } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';

type HeaderOption = MessageInitShape<typeof HeaderValueOptionSchema>;

/** The four lists of header changes that Envoy's routes, virtual hosts and cluster weights have in common. */
export interface EnvoyHeaderChanges {
  readonly requestHeadersToAdd: HeaderOption[];
  readonly requestHeadersToRemove: string[];
  readonly responseHeadersToAdd: HeaderOption[];
  readonly responseHeadersToRemove: string[];
}

/** Header changes of one or more levels, in the order in which they shall take effect. Envoy removes before it adds. */
export function translateHeaderChanges(
  request: readonly (ir.HeaderChanges | undefined)[],
  response: readonly (ir.HeaderChanges | undefined)[],
): EnvoyHeaderChanges {
  return {
    requestHeadersToAdd: request.flatMap(additions),
    requestHeadersToRemove: request.flatMap((changes) => [...(changes?.remove ?? [])]),
    responseHeadersToAdd: response.flatMap(additions),
    responseHeadersToRemove: response.flatMap((changes) => [...(changes?.remove ?? [])]),
  };
}

const additions = (changes: ir.HeaderChanges | undefined): HeaderOption[] => [
  ...(changes?.set ?? []).map((header) => option(header, Append.OVERWRITE_IF_EXISTS_OR_ADD)),
  ...(changes?.add ?? []).map((header) => option(header, Append.APPEND_IF_EXISTS_OR_ADD)),
];

/** A `%` begins a command of Envoy's formatter; users mean the sign itself. */
const option = ({ name, value }: ir.Header, appendAction: Append): HeaderOption => ({
  header: { key: name, value: value.replaceAll('%', '%%') },
  appendAction,
});
