/**
 * One Envoy resource, encoded. The object is shared by every gateway and every stream that has the resource: encoded
 * once, compared by `version`.
 */
export interface EnvoyResource {
  /** `type.googleapis.com/envoy.config.…` */
  readonly typeUrl: string;
  readonly name: string;
  /** Made from the encoded bytes: equal bytes, equal version. */
  readonly version: string;
  /** The encoded message, as it stands in `Any.value`. */
  readonly body: Uint8Array;
}

/** What one build changes for the proxies of one gateway. */
export interface GatewayChange {
  /** ir.Gateway.key, which is also the `node.cluster` of the gateway's proxies. */
  readonly gateway: string;
  readonly upserts: readonly EnvoyResource[];
  readonly removals: readonly { readonly typeUrl: string; readonly name: string }[];
  /** The gateway itself is gone: everything of it is to be removed. `upserts` and `removals` are empty. */
  readonly gone?: boolean;
}
