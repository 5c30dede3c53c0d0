import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { BodySizeLimitSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';

/** By its length where a request says one, else as soon as it has grown too long. Nothing of it is kept. */
export const requestBody = ({ maxBytes }: ir.RequestBody): Any =>
  packAny(BodySizeLimitSchema, create(BodySizeLimitSchema, { maxRequestBytes: BigInt(maxBytes) }));
