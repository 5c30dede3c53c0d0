import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { askedKey, passedNamespace } from '../../../contracts/index.ts';
import { packAny, SetMetadataSchema } from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';

/**
 * Envoy says of all servers in the same words that they did not let a request in. Behind each part that asks one, a mark says that the request got past it.
 */
export function passedMark(part: ir.AskingPart, access: ir.Access, level: string): Any | undefined {
  if (!ir.asksServer(part, access)) return undefined;
  const value = { [askedKey(level, part)]: true };
  const metadata = [{ metadataNamespace: passedNamespace, allowOverwrite: true, value }];
  return packAny(SetMetadataSchema, create(SetMetadataSchema, { metadata }));
}
