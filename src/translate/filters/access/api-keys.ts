import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { ApiKeyAuthSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';

export function apiKeys({ keys, from, identityHeader, forwardKey }: ir.ApiKeys): Any {
  const pairs = JSON.parse(Buffer.from(keys.reveal()).toString()) as readonly (readonly [
    client: string,
    key: string,
  ])[];
  const filter = create(ApiKeyAuthSchema, {
    credentials: pairs.map(([client, key]) => ({ client, key })),
    // Of a header `Authorization: Bearer KEY` Envoy takes the key alone.
    keySources: from.map(({ kind, name }) => ({ [kind]: name })),
    forwarding: { header: identityHeader ?? '', hideCredentials: !forwardKey },
  });
  return packAny(ApiKeyAuthSchema, filter);
}
