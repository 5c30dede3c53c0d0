import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  CredentialInjectorSchema,
  GenericSchema,
  HeaderMutationFilterSchema,
  type HeaderMutationSchema,
  packAny,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { adsSource, injectedCredentialName, stringMatcher } from '../../resource/index.ts';
import type { EnvoyFilter } from '../envoy-filter.ts';
import { emptySlot, fillSlot, type Slot } from '../slot.ts';

type Mutation = MessageInitShape<typeof HeaderMutationSchema>;

/** What clients write is taken away before anything reads it: who could write there chose where requests go. */
export const withheldSlot: Slot = {
  name: 'gatewright.filter.withheld',
  chain: 'entry',
  protects: true,
  filter: emptySlot,
};

export const editSlot: Slot = { name: 'gatewright.filter.headers', chain: 'traffic', filter: emptySlot };

/** Behind all that reads requests' headers, or writes them: without it a backend would take what a client sent for its gateway's word. */
export const credentialSlot: Slot = {
  name: 'gatewright.filter.credential',
  chain: 'traffic',
  protects: true,
  filter: emptySlot,
};

export const headerEdits: EnvoyFilter<'headerEdits'> = {
  slots: (edits) => [
    ...(edits.withheld ? [withheldSlot.name] : []),
    ...(isEdit(edits) ? [editSlot.name] : []),
    ...(edits.credential ? [credentialSlot.name] : []),
  ],
  perRoute: (edits) => ({
    ...(edits.withheld && {
      [withheldSlot.name]: fillSlot('withheld', mutation({ requestMutations: edits.withheld.map(removal) })),
    }),
    ...(isEdit(edits) && { [editSlot.name]: fillSlot('headers', editOf(edits)) }),
    ...(edits.credential && { [credentialSlot.name]: fillSlot('credential', injected(edits.credential)) }),
  }),
};

/** Without its credential a request is answered 401. */
function injected({ header, prefix, backend }: ir.InjectedCredential): Any {
  const generic = create(GenericSchema, {
    credential: { name: injectedCredentialName(backend), sdsConfig: adsSource() },
    header,
    headerValuePrefix: prefix,
  });
  const injector = create(CredentialInjectorSchema, {
    overwrite: true,
    credential: { name: 'envoy.http.injected_credentials.generic', typedConfig: packAny(GenericSchema, generic) },
  });
  return packAny(CredentialInjectorSchema, injector);
}

const isEdit = ({ request, response }: ir.HeaderEdits): boolean => request !== undefined || response !== undefined;

const editOf = ({ request, response }: ir.HeaderEdits): Any =>
  mutation({
    ...(request && { requestMutations: headerMutations(request) }),
    ...(response && { responseMutations: headerMutations(response) }),
  });

const mutation = (mutations: { requestMutations?: Mutation[]; responseMutations?: Mutation[] }): Any =>
  packAny(HeaderMutationFilterSchema, create(HeaderMutationFilterSchema, { mutations }));

export const headerMutations = ({
  remove,
  removePrefixes,
  removePatterns = [],
  set,
  add,
  ifAbsent,
}: ir.HeaderEdit): Mutation[] => [
  ...remove.map(removal),
  ...removePrefixes.map(removalByPrefix),
  ...removePatterns.map(removalByPattern),
  ...set.map((header) => addition(header, Append.OVERWRITE_IF_EXISTS_OR_ADD)),
  ...add.map((header) => addition(header, Append.APPEND_IF_EXISTS_OR_ADD)),
  ...ifAbsent.map((header) => addition(header, Append.ADD_IF_ABSENT)),
];

const removal = (name: string): Mutation => ({ action: { case: 'remove', value: name } });

const removalByPrefix = (prefix: string): Mutation => ({
  action: {
    case: 'removeOnMatch',
    value: { keyMatcher: { matchPattern: { case: 'prefix', value: prefix }, ignoreCase: true } },
  },
});

const removalByPattern = (pattern: string): Mutation => ({
  action: {
    case: 'removeOnMatch',
    value: { keyMatcher: stringMatcher({ kind: 'regex', value: pattern }) },
  },
});

const addition = (header: ir.EditedHeader, appendAction: Append): Mutation => ({
  action: { case: 'append', value: { header: headerValue(header), appendAction } },
});

/** A header in Envoy's format. */
export const headerValue = ({ name, value }: ir.EditedHeader): { readonly key: string; readonly value: string } => ({
  key: name,
  value: value.map(formatOf).join(''),
});

/** Envoy's words. */
const operators: Readonly<Record<ir.HeaderVariable, string>> = {
  clientAddress: 'DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT',
  protocol: 'PROTOCOL',
  route: 'ROUTE_NAME',
  tlsVersion: 'DOWNSTREAM_TLS_VERSION',
  time: 'START_TIME',
};

function formatOf(part: ir.ValuePart): string {
  if (typeof part === 'string') return part.replaceAll('%', '%%');
  if (part.kind === 'variable') return `%${operators[part.name]}%`;
  return `%${part.of === 'request' ? 'REQ' : 'RESP'}(${part.name})%`;
}
