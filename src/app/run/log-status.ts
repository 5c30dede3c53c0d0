import type { Condition, Status } from '../../gateway-api/index.ts';
import type { StatusChange } from '../../graph/index.ts';
import type { Logger } from '../../telemetry/index.ts';

/** Without a cluster there is no status to read with kubectl: what is not well is said in the log, once for each wording. */
export function logStatus(logger: Logger): (change: StatusChange) => void {
  const said = new Map<string, string>();
  return ({ kind, key, status }) => {
    const faults = status ? conditionsOf(status).filter(isFault) : [];
    const text = faults
      .map(
        ({ where, condition }) =>
          `${where}${condition.type}=${condition.status} ${condition.reason}: ${condition.message}`,
      )
      .join('; ');
    if (text === (said.get(`${kind} ${key}`) ?? '')) return;
    said.set(`${kind} ${key}`, text);
    if (text) logger.warn({ kind, name: key }, `${kind} ${key}: ${text}`);
    else logger.info({ kind, name: key }, `${kind} ${key}: all conditions are well`);
  };
}

interface Placed {
  readonly where: string;
  readonly condition: Condition;
}

function conditionsOf(status: Status): Placed[] {
  const at = (where: string, conditions: readonly Condition[]) => conditions.map((condition) => ({ where, condition }));
  switch (status.kind) {
    case 'AIService':
    case 'TokenPolicy':
    case 'DataPlane':
    case 'GatewayClass':
      return at('', status.conditions);
    case 'Gateway':
    case 'ListenerSet':
      return [
        ...at('', status.conditions),
        ...status.listeners.flatMap(({ name, conditions }) => at(`listener ${name} `, conditions)),
      ];
    case 'BackendPolicy':
    case 'BackendTLSPolicy':
    case 'ListenerPolicy':
    case 'XBackendTrafficPolicy':
    case 'XBackend':
      return status.ancestors.flatMap(({ ancestorRef, conditions }) => at(`ancestor ${ancestorRef.name} `, conditions));
    default:
      return status.parents.flatMap(({ parentRef, conditions }) => at(`parent ${parentRef.name} `, conditions));
  }
}

/** What a data plane that is on its way looks like; one that does not come is told by whoever starts it. */
const onItsWay: readonly string[] = ['Pending', 'AddressNotAssigned'];

/** `Conflicted` and `PartiallyInvalid` are bad when true, the others when false. */
function isFault({ condition: { type, status, reason } }: Placed): boolean {
  if (type === 'Conflicted' || type === 'PartiallyInvalid') return status === 'True';
  return status === 'False' && !onItsWay.includes(reason);
}
