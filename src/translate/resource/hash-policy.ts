import type { MessageInitShape } from '@bufbuild/protobuf';
import type { RouteAction_HashPolicySchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { durationOf } from './proto-duration.ts';

type HashPolicy = Extract<MessageInitShape<typeof RouteAction_HashPolicySchema>, { readonly $typeName?: undefined }>;

/** What of a request is hashed, at a backend or on a route. */
export const hashPolicy = (key: ir.HashKey): HashPolicy => ({ policySpecifier: specifierOf(key) });

function specifierOf(key: ir.HashKey): HashPolicy['policySpecifier'] {
  switch (key.kind) {
    case 'header':
      return { case: 'header', value: { headerName: key.name } };
    case 'cookie': {
      const { name, ttlMs, path, domain, sameSite, secure, partitioned } = key;
      const attributes = [
        ...(domain === undefined ? [] : [{ name: 'Domain', value: domain }]),
        ...(sameSite ? [{ name: 'SameSite', value: sameSite }] : []),
        ...(secure ? [{ name: 'Secure' }] : []),
        ...(partitioned ? [{ name: 'Partitioned' }] : []),
      ];
      const given = ttlMs !== undefined && { ttl: durationOf(ttlMs), path: path ?? '/', attributes };
      return { case: 'cookie', value: { name, ...given } };
    }
    case 'sourceIp':
      return { case: 'connectionProperties', value: { sourceIp: true } };
    case 'queryParam':
      return { case: 'queryParameter', value: { name: key.name } };
    case 'path':
      return { case: 'header', value: { headerName: ':path', regexRewrite: withoutQuery } };
  }
}

const withoutQuery = { pattern: { regex: '^([^?]*).*$' }, substitution: '\\1' };
