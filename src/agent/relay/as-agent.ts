import type { SecretText } from '../../config/index.ts';
import {
  type DatabaseFault,
  databaseFaultsMetadata,
  databaseFaultsText,
  geoMetadata,
  patchesMetadata,
  trialsMetadata,
} from '../../contracts/index.ts';
import type { DeltaRequest } from './delta-messages.ts';
import { withMetadata } from './node.ts';

export interface AgentFacts {
  /** What the agent's reports ask for. */
  readonly reportToken: SecretText;
  /** It has an Envoy try resources that serves nothing. */
  readonly tries: boolean;
  readonly databaseFaults: () => readonly DatabaseFault[];
}

/** A request with what concerns the agent, where it has a node. Envoy does not know the token, so that no dump of its bootstrap shows it. */
export function asAgent(request: DeltaRequest, { reportToken, tries, databaseFaults }: AgentFacts): DeltaRequest {
  if (request.node === undefined) return request;
  const node = withMetadata(request.node, 'gatewright_report_token', reportToken.reveal());
  const has = [patchesMetadata, geoMetadata, ...(tries ? [trialsMetadata] : [])];
  const faults = databaseFaultsText(databaseFaults());
  return { ...request, node: withMetadata(has.reduce(withYes, node), databaseFaultsMetadata, faults) };
}

/** The agent has what the name of the metadata stands for. */
const withYes = (node: Uint8Array, name: string): Uint8Array => withMetadata(node, name, 'true');
