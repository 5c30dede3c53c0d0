import { isProblem, parseObjectKey } from '../../gateway-api/index.ts';
import type { PreviewedIngress } from '../../offline/preview/index.ts';
import { type SaidCondition, scopesOf } from '../kit/conditions.ts';

/** What is wrong with an Ingress, and with the routes that it became, each once. */
function faultsOfIngress({ served, statuses }: PreviewedIngress): readonly string[] {
  const own = (served?.faults ?? []).map(({ reason, message }) => `${reason}: ${message}`);
  const ofRoutes = conditionsOf(statuses)
    .filter(isProblem)
    .map(({ reason, message }) => `${reason}: ${message}`);
  return [...new Set([...own, ...ofRoutes])];
}

/** Whether all of it is served. One of another controller is not ours to serve. */
export const isServed = (ingress: PreviewedIngress): boolean => faultsOfIngress(ingress).length === 0;

/** As a line of the statuses. */
export const ingressLine = (ingress: PreviewedIngress) => {
  const { namespace, name, served, statuses } = ingress;
  const conditions = conditionsOf(statuses);
  const gateway = served?.gateway === undefined ? '' : parseObjectKey(served.gateway).name;
  return {
    object: { kind: 'Ingress' as const, namespace, name },
    scope: gateway,
    // Where nothing is served of it, it has no routes whose conditions could say so.
    conditions: served?.faults.some(({ isWhole }) => isWhole) ? [notAccepted] : conditions,
    message: served === undefined ? whyForeign(ingress) : faultsOfIngress(ingress).join('; '),
  };
};

/** Why nothing is said of an Ingress. */
const whyForeign = ({ missingClass }: PreviewedIngress): string =>
  missingClass === undefined
    ? 'another controller has its class'
    : `IngressClass ${missingClass} is not among these files`;

const notAccepted: SaidCondition = { type: 'Accepted', status: 'False', reason: 'NotServed', message: '' };

const conditionsOf = (statuses: PreviewedIngress['statuses']): readonly SaidCondition[] =>
  statuses.flatMap((status) => scopesOf(status)).flatMap(({ conditions }) => conditions);

/** For programs. Whether one of another controller is accepted is not known here: null. */
export const ingressStatusRecord = (ingress: PreviewedIngress) => {
  const { namespace, name, served } = ingress;
  const object = { kind: 'Ingress', namespace, name };
  if (served === undefined) return { ...object, accepted: null, status: null, message: whyForeign(ingress) };
  const status = {
    gateway: served.gateway ?? null,
    routes: served.routes.length,
    faults: faultsOfIngress(ingress),
  };
  return { ...object, accepted: isServed(ingress), status };
};
