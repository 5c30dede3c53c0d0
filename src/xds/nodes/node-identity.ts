import type { JsonObject } from '@bufbuild/protobuf';
import { SecretText } from '../../config/index.ts';
import {
  type DatabaseFault,
  databaseFaultsMetadata,
  geoMetadata,
  patchesMetadata,
  readDatabaseFaults,
  trialsMetadata,
} from '../../contracts/index.ts';
import type { Node } from '../../envoy/index.ts';
import { clientText, clientWord, isPrintable } from '../client-text.ts';
import { limits } from '../limits.ts';
import type { UserAgent } from './voter.ts';

/** Who is at the other end of a stream, by its own words in the first request. */
export interface NodeIdentity {
  readonly nodeId: string;
  readonly cluster: string;
  /** Of the data-plane agent; empty for an Envoy without one. */
  readonly version: string;
  readonly envoyVersion: string;
  readonly userAgent: UserAgent;
  /** Port of the agent's admin API (node metadata `gatewright_admin_port`); undefined for an Envoy without an agent. */
  readonly adminPort?: number;
  /** What its reports ask for (node metadata `gatewright_report_token`); undefined for an older agent, which asks for nothing. */
  readonly reportToken?: SecretText;
  /** Whether it takes patches of endpoints (`patchesMetadata`). */
  readonly takesPatches: boolean;
  /** Whether it keeps databases of places for Envoy (`geoMetadata`). */
  readonly hasGeo: boolean;
  /** Whether it has resources tried that it does not serve yet (`trialsMetadata`). */
  readonly tries: boolean;
  /** Which of these databases it cannot use (`databaseFaultsMetadata`). */
  readonly databaseFaults: readonly DatabaseFault[];
}

/** 32 bytes in base64url, as agents make it. Whatever else is sent could be more than a token in a header. */
const tokenShape = /^[A-Za-z0-9_-]{43}$/;

/** The identity, or why the node cannot be served. */
export function identify(node: Node | undefined): NodeIdentity | { readonly fault: string } {
  if (node === undefined) return { fault: 'the first request of a stream must carry node' };
  if (node.id === '') return { fault: 'node.id is empty' };
  if (node.cluster === '') return { fault: 'node.cluster is empty: it must be NAMESPACE/NAME of the Gateway to serve' };
  // Not quoted: what is rejected may be long, or written to deceive who reads the log.
  for (const field of ['id', 'cluster'] as const) {
    if (!isPrintable(node[field], limits.idLength))
      return {
        fault: `node.${field} must be 1 to ${limits.idLength} printable ASCII characters, without spaces around them`,
      };
  }
  const adminPort = portOf(node.metadata, 'gatewright_admin_port');
  const reportToken = textOf(node.metadata, 'gatewright_report_token');
  return {
    nodeId: node.id,
    cluster: node.cluster,
    version: textOf(node.metadata, 'gatewright_version'),
    envoyVersion: versionOf(node),
    userAgent: userAgentOf(node),
    takesPatches: textOf(node.metadata, patchesMetadata) === 'true',
    hasGeo: textOf(node.metadata, geoMetadata) === 'true',
    tries: textOf(node.metadata, trialsMetadata) === 'true',
    databaseFaults: databaseFaultsIn(node.metadata?.[databaseFaultsMetadata]),
    ...(adminPort !== undefined && { adminPort }),
    ...(tokenShape.test(reportToken) && { reportToken: new SecretText(reportToken) }),
  };
}

function versionOf({ userAgentVersionType: agent }: Node): string {
  if (agent.case === 'userAgentVersion') return clientWord(agent.value, limits.versionLength);
  const version = agent.case === 'userAgentBuildVersion' ? agent.value.version : undefined;
  return version === undefined ? '' : `${version.majorNumber}.${version.minorNumber}.${version.patch}`;
}

function userAgentOf({ userAgentName: name, userAgentVersionType: agent }: Node): UserAgent {
  const version = agent.case === 'userAgentBuildVersion' ? agent.value.version : undefined;
  return {
    name: clientWord(name, limits.versionLength),
    ...(version && { release: { major: version.majorNumber, minor: version.minorNumber } }),
  };
}

/** What an agent says of its databases, as it may be shown. */
export const databaseFaultsIn = (text: unknown): readonly DatabaseFault[] =>
  typeof text === 'string'
    ? readDatabaseFaults(text).map(({ database, message }) => ({
        database,
        message: clientText(message, limits.nackTextKept),
      }))
    : [];

function textOf(metadata: JsonObject | undefined, key: string): string {
  const value = metadata?.[key];
  return typeof value === 'string' ? clientWord(value, limits.versionLength) : '';
}

function portOf(metadata: JsonObject | undefined, key: string): number | undefined {
  const value = metadata?.[key];
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536 ? value : undefined;
}
