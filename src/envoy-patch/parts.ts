import type { DescMessage } from '@bufbuild/protobuf';
import {
  ClusterHttpProtocolOptionsSchema,
  ClusterSchema,
  HttpConnectionManagerSchema,
  ListenerSchema,
  RouteActionSchema,
} from '../envoy/index.ts';
import { clusterFields, httpProtocolFields } from './safe/cluster.ts';
import type { SafeFields } from './safe/field.ts';
import { connectionManagerFields, listenerFields } from './safe/listener.ts';
import { routeActionFields } from './safe/route.ts';

interface Part {
  readonly schema: DescMessage;
  readonly safe: SafeFields;
  /** What stands there may protect the proxy, and Envoy's own default of a field may not: fields stay, with other values. */
  readonly keepsFields?: true;
}

/** What patches may be of, by their name in an EnvoyPatch. */
export const patchParts = {
  cluster: { schema: ClusterSchema, safe: clusterFields },
  httpProtocolOptions: { schema: ClusterHttpProtocolOptionsSchema, safe: httpProtocolFields },
  routeAction: { schema: RouteActionSchema, safe: routeActionFields, keepsFields: true },
  listener: { schema: ListenerSchema, safe: listenerFields, keepsFields: true },
  connectionManager: { schema: HttpConnectionManagerSchema, safe: connectionManagerFields, keepsFields: true },
} as const satisfies Record<string, Part>;

export type PatchPart = keyof typeof patchParts;
