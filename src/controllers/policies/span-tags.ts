import type * as ir from '../../ir/index.ts';

/** An attribute of spans, as policies write it. */
interface TagSpec {
  readonly name: string;
  readonly value?: string;
  readonly requestHeader?: string;
  readonly default?: string;
}

export const spanTagsOf = (tags: readonly TagSpec[]): ir.SpanTag[] => tags.map(spanTag);

const spanTag = ({ name, value = '', requestHeader, default: otherwise }: TagSpec): ir.SpanTag =>
  requestHeader === undefined
    ? { name, value }
    : { name, header: requestHeader, ...(otherwise !== undefined && { otherwise }) };
