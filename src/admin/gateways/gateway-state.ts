import { type GatewayStatus, severityOf } from '../../gateway-api/index.ts';
import { listenerState } from '../resource/conditions.ts';

/** The best first. */
export const gatewayStates = ['served', 'degraded', 'failed'] as const;

/** How a Gateway is: `failed` when nothing of it is served, `degraded` when a listener is not, or not whole. */
export function gatewayState({
  conditions,
  listeners,
}: Pick<GatewayStatus, 'conditions' | 'listeners'>): (typeof gatewayStates)[number] {
  const severities = conditions.map(severityOf);
  if (severities.includes('error')) return 'failed';
  const isWhole = listeners.every((listener) => listenerState(listener.conditions) === 'ready');
  return isWhole && !severities.includes('degraded') ? 'served' : 'degraded';
}
