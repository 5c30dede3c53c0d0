/** What a client says it is. */
export interface UserAgent {
  /** `node.user_agent_name`: `envoy`, `gRPC Go`, `grpc-node`. */
  readonly name: string;
  /** `node.user_agent_build_version`; undefined for a client that gives none. */
  readonly release?: { readonly major: number; readonly minor: number } | undefined;
}

/** The Envoy that configuration is made for: scripts/versions.env has all of its version. */
export const ourRelease = { major: 1, minor: 40 } as const;

/**
 * Whether a node has a say in what its fleet rejects: other clients, and other releases of Envoy, may reject what ours takes. What they
 * reject is held back from them all the same.
 */
export const isVoter = ({ name, release }: UserAgent): boolean =>
  name === 'envoy' && release?.major === ourRelease.major && release.minor === ourRelease.minor;
