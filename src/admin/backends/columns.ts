import { column } from '../columns/column.ts';
import { listing } from '../columns/listing.ts';
import type { BackendRecord } from './record.ts';

type Endpoint = BackendRecord['endpoints'][number];

/** What is said against an endpoint. A control plane of an older release says nothing of it. */
const faultsOf = ({ verdicts = [] }: Partial<Pick<Endpoint, 'verdicts'>>) =>
  verdicts.filter(({ verdict }) => verdict !== 'serving');

const isWell = (endpoint: Endpoint): boolean => endpoint.healthy && faultsOf(endpoint).length === 0;

/** The first endpoint that something is said against. */
function endpointMessage(endpoints: readonly Endpoint[]): string {
  const found = endpoints.find((endpoint) => faultsOf(endpoint).length > 0);
  const [fault] = found ? faultsOf(found) : [];
  if (found === undefined || fault === undefined) return '';
  const since = fault.since === null ? '' : ` since ${fault.since}`;
  return `${found.address} ${fault.verdict.replaceAll('_', ' ')}${since}`;
}

/** A control plane of an older release names no host. */
const byName = (hostname: string | null | undefined): string => (hostname ? `found by DNS as ${hostname}` : '');

/** A line of `gatewright get backends`. */
export const backendColumns = listing<BackendRecord>('backend', '/v1/backends', () => [
  column('namespace', ({ namespace }) => namespace),
  column('name', ({ name }) => name),
  column('protocol', ({ protocol, tls }) => (tls ? `${protocol}+tls` : protocol)),
  column('healthy', ({ hostname, endpoints }) =>
    hostname ? 'DNS' : `${endpoints.filter(isWell).length}/${endpoints.length}`,
  ),
  column('routes', ({ referencedBy }) => String(referencedBy.length)),
  column('message', ({ problem, endpoints, hostname }) => problem ?? (endpointMessage(endpoints) || byName(hostname))),
]);
