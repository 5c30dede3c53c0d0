import { listOf, type Operation } from '../resource/operation.ts';
import * as schemas from './data-plane-schemas.ts';

const read = (path: string, summary: string, more: Partial<Operation>): Operation => ({
  method: 'get',
  path,
  tag: 'Layout 2, data plane',
  summary,
  ...more,
});

/** What the agent's list of backends is narrowed and ordered by. */
const backendFields = { namespace: true, name: true };

/** What the agent of a data plane answers, but probes and metrics, which are as the control plane's. */
export const dataPlaneOperations: readonly Operation[] = [
  read('/api/v1/status', 'The state of the data plane, and why it is not ready', { answer: schemas.status }),
  read('/api/v1/config', 'What Envoy runs, in an overview', {
    answer: schemas.config.or(schemas.configDump),
    query: { raw: '`true`: Envoy’s own dump, keys redacted' },
    errors: ['query_invalid', 'envoy_unavailable'],
  }),
  read('/api/v1/config/version', 'Which snapshot Envoy has applied', { answer: schemas.configVersion }),
  read('/api/v1/stats', 'Traffic since Envoy started: together, by listener, by backend', {
    answer: schemas.stats,
    query: { filter: 'Regular expression: statistics of Envoy itself whose names match, as `envoy`' },
    errors: ['query_invalid', 'envoy_unavailable'],
  }),
  read('/api/v1/stats/connections', 'Connections of clients', {
    answer: schemas.connections,
    errors: ['envoy_unavailable'],
  }),
  read('/api/v1/stats/backends', 'Endpoints as Envoy sees their health', {
    ...listOf(schemas.backends, { filters: backendFields, sorts: backendFields }),
    errors: ['query_invalid', 'envoy_unavailable'],
  }),
  read('/api/v1/stats/names', 'Names that Envoy asked for, and those that lead where no request may be sent', {
    answer: schemas.names,
  }),
  read('/api/v1/xds/status', 'The stream to the control plane', { answer: schemas.xdsStatus }),
];
