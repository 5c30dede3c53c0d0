import { create } from '@bufbuild/protobuf';
import { BufferSchema, HeaderMutationFilterSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import type { FilterChoice } from '../slot.ts';
import { changesProtocol } from './changes-protocol.ts';

const nothing = packAny(HeaderMutationFilterSchema, create(HeaderMutationFilterSchema, { mutations: {} }));

export const buffering = ({ maxBytes }: ir.Buffering): FilterChoice => ({
  choices: [{ predicate: changesProtocol, filter: nothing }],
  otherwise: packAny(BufferSchema, create(BufferSchema, { maxRequestBytes: maxBytes })),
});
