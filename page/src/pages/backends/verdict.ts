import type { BackendEndpoint, LightBackend } from '../../api/index.ts';
import type { State } from '../../parts/index.ts';

type Verdict = BackendEndpoint['verdicts'][number]['verdict'];

/** The first verdict that holds: the control plane puts what hurts most first. */
export const verdictOf = ({ verdicts, ready }: BackendEndpoint): Verdict =>
  verdicts.find(({ verdict }) => verdict !== 'serving')?.verdict ?? (ready ? 'serving' : 'not_ready');

export const stateOfVerdict = (verdict: Verdict): State =>
  verdict === 'serving' ? 'ok' : verdict === 'terminating' || verdict === 'not_ready' ? 'warning' : 'failing';

/** How a whole backend is, with the verdict that says most. `requestsFail`: a service of models answers with errors. */
export function stateOfBackend(
  { endpoints, hostname, problem }: Pick<LightBackend, 'endpoints' | 'hostname' | 'problem'>,
  requestsFail = false,
): {
  readonly state: State;
  readonly verdict: Verdict | 'noEndpoint' | 'noneReady' | 'byName' | 'problem' | 'requestsFail';
} {
  if (problem !== null) return { state: 'failing', verdict: 'problem' };
  if (requestsFail) return { state: 'failing', verdict: 'requestsFail' };
  // Proxies find its addresses by DNS: none is listed unless it fails.
  if (endpoints.length === 0 && hostname !== null) return { state: 'ok', verdict: 'byName' };
  if (endpoints.length === 0) return { state: 'failing', verdict: 'noEndpoint' };
  const verdicts = endpoints.map(verdictOf);
  const failing = verdicts.find((verdict) => stateOfVerdict(verdict) === 'failing');
  if (failing !== undefined) return { state: 'failing', verdict: failing };
  if (!verdicts.includes('serving')) return { state: 'failing', verdict: 'noneReady' };
  return { state: 'ok', verdict: 'serving' };
}
