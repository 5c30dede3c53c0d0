import { create } from '@bufbuild/protobuf';
import { BufferSchema, HeaderMutationFilterSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { header, matches, regex } from '../access/predicates.ts';
import type { FilterChoice, Predicate } from '../slot.ts';

/** A connection that changes its protocol has no end that could be waited for. Envoy lets in the protocols that it knows, and no other. */
const changesProtocol: Predicate = {
  matchType: {
    case: 'andMatcher',
    value: {
      predicate: [
        matches(header('upgrade'), regex('.+')),
        matches(header('connection'), regex('(?i)(.*[ ,])?upgrade([ ,].*)?')),
      ],
    },
  },
};

const nothing = packAny(HeaderMutationFilterSchema, create(HeaderMutationFilterSchema, { mutations: {} }));

export const buffering = ({ maxBytes }: ir.Buffering): FilterChoice => ({
  choices: [{ predicate: changesProtocol, filter: nothing }],
  otherwise: packAny(BufferSchema, create(BufferSchema, { maxRequestBytes: maxBytes })),
});
