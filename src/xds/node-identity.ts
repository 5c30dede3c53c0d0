import type { JsonObject } from '@bufbuild/protobuf';
import type { Node } from '../envoy/index.ts';

/** Who is at the other end of a stream, by its own words in the first request. */
export interface NodeIdentity {
  readonly nodeId: string;
  readonly cluster: string;
  /** Of the data-plane agent; empty for an Envoy without one. */
  readonly version: string;
  readonly envoyVersion: string;
}

/** The identity, or why the node cannot be served. */
export function identify(node: Node | undefined): NodeIdentity | { readonly fault: string } {
  if (node === undefined) return { fault: 'the first request of a stream must carry node' };
  if (node.id === '') return { fault: 'node.id is empty' };
  if (node.cluster === '') return { fault: 'node.cluster is empty: it must be NAMESPACE/NAME of the Gateway to serve' };
  return {
    nodeId: node.id,
    cluster: node.cluster,
    version: textOf(node.metadata, 'gatewright_version'),
    envoyVersion: versionOf(node),
  };
}

function versionOf({ userAgentVersionType: agent }: Node): string {
  if (agent.case === 'userAgentVersion') return agent.value;
  const version = agent.case === 'userAgentBuildVersion' ? agent.value.version : undefined;
  return version === undefined ? '' : `${version.majorNumber}.${version.minorNumber}.${version.patch}`;
}

function textOf(metadata: JsonObject | undefined, key: string): string {
  const value = metadata?.[key];
  return typeof value === 'string' ? value : '';
}
