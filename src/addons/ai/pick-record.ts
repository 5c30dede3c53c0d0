import { type PickOutcome, poolNamedChars, poolOutcomes } from '../../contracts/index.ts';
import type { HTTPAccessLogEntry } from '../../envoy/index.ts';
import { parseBackendKey } from '../../ir/index.ts';

/** Which model server of a pool was asked, and why. */
export interface PickRecord {
  /** `NAMESPACE/NAME` of the InferencePool. */
  readonly pool: string;
  readonly outcome: PickOutcome;
  /** `IP:PORT` of the server; null: none answered. */
  readonly endpoint: string | null;
  /** What the picker named, the best first. */
  readonly named: readonly string[];
}

/** What the listener of a service that is a pool noted of an answer; see poolHeaders. */
interface PickNotes {
  readonly pick?: string;
  readonly named?: string;
  readonly endpoint?: string;
}

/** Which model server was asked, and why; undefined: the service is no pool. */
export function pickOf({ commonProperties }: HTTPAccessLogEntry, notes: PickNotes): PickRecord | undefined {
  const key = commonProperties?.customTags.pool;
  if (key === undefined) return undefined;
  const { namespace, service, source } = parseBackendKey(key);
  const pool = `${namespace}/${service}`;
  // Where no picker is asked, requests go from there to the servers themselves.
  if (source === 'servers') return { pool, outcome: 'any', endpoint: addressOf(commonProperties), named: [] };
  const endpoint = notes.endpoint?.slice(0, poolNamedChars) || null;
  const named = [
    ...new Set(
      (notes.named ?? '')
        .slice(0, 2 * poolNamedChars)
        .split(',')
        .map((each) => each.trim()),
    ),
  ].filter((each) => each !== '-' && each !== '');
  return { pool, outcome: outcomeOf(notes.pick, endpoint, named), endpoint, named };
}

function outcomeOf(pick: string | undefined, endpoint: string | null, named: readonly string[]): PickOutcome {
  const outcome = poolOutcomes.find((each) => each === pick);
  if (outcome !== 'picked') return outcome ?? 'unknown';
  if (endpoint === null) return 'unknown';
  return named.includes(endpoint) ? 'picked' : 'replaced';
}

/** `IP:PORT`, an IPv6 address in brackets. */
function addressOf(common: HTTPAccessLogEntry['commonProperties']): string | null {
  const found = common?.upstreamRemoteAddress?.address;
  if (found?.case !== 'socketAddress') return null;
  const { address, portSpecifier } = found.value;
  const port = portSpecifier.case === 'portValue' ? portSpecifier.value : 0;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
