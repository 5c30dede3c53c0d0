import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { ApiKeyAuthSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { type LastOf, removesKey } from './hidden.ts';

export function apiKeys(demanded: ir.ApiKeys, last: LastOf): Any {
  const { keys, from, identityHeader } = demanded;
  const pairs = JSON.parse(Buffer.from(keys.reveal()).toString()) as readonly (readonly [
    client: string,
    key: string,
  ])[];
  const filter = create(ApiKeyAuthSchema, {
    credentials: pairs.map(([client, key]) => ({ client, key })),
    // Of a header `Authorization: Bearer KEY` Envoy takes the key alone.
    keySources: from.map(({ kind, name }) => ({ [kind]: name })),
    // Other levels may want to see the key too: it is then taken out behind all of them.
    forwarding: { header: identityHeader ?? '', hideCredentials: removesKey(demanded, last) },
  });
  return packAny(ApiKeyAuthSchema, filter);
}
