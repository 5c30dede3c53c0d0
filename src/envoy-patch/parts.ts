import type { DescMessage } from '@bufbuild/protobuf';
import { ClusterHttpProtocolOptionsSchema, ClusterSchema } from '../envoy/index.ts';
import { clusterFields, httpProtocolFields } from './safe/cluster.ts';
import type { SafeFields } from './safe/field.ts';

/** What patches may be of, by their name in an EnvoyPatch. */
export const patchParts = {
  cluster: { schema: ClusterSchema, safe: clusterFields },
  httpProtocolOptions: { schema: ClusterHttpProtocolOptionsSchema, safe: httpProtocolFields },
} as const satisfies Record<string, { readonly schema: DescMessage; readonly safe: SafeFields }>;

export type PatchPart = keyof typeof patchParts;
