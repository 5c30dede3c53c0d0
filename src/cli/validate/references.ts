import { loadConfig } from '../../config/index.ts';
import { hostRules } from '../../egress/index.ts';
import { isProblem, objectKey } from '../../gateway-api/index.ts';
import {
  type DeriveIngresses,
  type ObjectStatus,
  type PreviewedIngress,
  preview,
} from '../../offline/preview/index.ts';
import type { Finding, Place } from '../../offline/validate/index.ts';
import type { ObjectsRead } from '../../sources/index.ts';
import { scopesOf } from '../kit/conditions.ts';
import type { CliIo } from '../kit/io.ts';
import { notePorts } from '../kit/port-notes.ts';
import { graphFaults } from './graph-faults.ts';

/**
 * What is wrong between objects of some files, as the conditions of their statuses say it: an error for a reference that does not resolve, a
 * warning for a route whose Gateway is not among them. `places` has each object's, by `KIND NAMESPACE/NAME`.
 */
export function referenceFindings(
  { events }: ObjectsRead,
  {
    places,
    deriveIngresses,
  }: { readonly places: ReadonlyMap<string, Place>; readonly deriveIngresses: DeriveIngresses | undefined },
  io: Pick<CliIo, 'env' | 'writeError'>,
): Finding[] {
  const { controllerName, translatorLimits: limits, backends } = loadConfig(undefined, io.env);
  // Which code of users the control plane lets proxies run is not known here.
  const options = {
    controllerName,
    limits,
    hosts: hostRules(backends),
    userCode: { lua: true, wasm: true },
    now: new Date(),
    deriveIngresses,
  };
  const made = preview(events, options);
  notePorts(made.sharedPorts, io);
  const faults = [
    ...made.statuses.flatMap((status) => faultsOf(status).map((fault) => ({ at: status, ...fault }))),
    ...made.ingresses.flatMap((ingress) =>
      ingressFaults(ingress).map((fault) => ({ at: { ...ingress, kind: 'Ingress' }, ...fault })),
    ),
    ...graphFaults(made, options),
  ];
  return faults.flatMap(({ at: { kind, namespace, name }, ...fault }) => {
    const object = `${kind} ${objectKey(namespace || undefined, name)}`;
    const place = places.get(object);
    return place === undefined ? [] : [{ ...place, object, path: '', ...fault }];
  });
}

type Fault = Pick<Finding, 'severity' | 'message' | 'hint'>;

function faultsOf({ kind, status }: ObjectStatus): readonly Fault[] {
  if (status === undefined)
    return kind.endsWith('Route') || kind === 'ListenerSet'
      ? [{ severity: 'warning', message: 'none of its parents is among these files, so its references are not judged' }]
      : [];
  const messages = scopesOf(status).flatMap(({ conditions }) =>
    conditions.filter(isProblem).map(({ reason, message }) => `${reason}: ${message}`),
  );
  return [...new Set(messages)].map((message) => ({ severity: 'error', message }));
}

/** What is left out without harm is a warning. */
const harmless: ReadonlySet<string> = new Set(['AnnotationIgnored', 'PathTaken']);

function ingressFaults({ served, statuses, missingClass }: PreviewedIngress): readonly Fault[] {
  if (missingClass !== undefined)
    return [
      {
        severity: 'warning',
        message: `IngressClass ${missingClass} is not among these files, so the Ingress is not judged`,
      },
    ];
  const own = (served?.faults ?? []).map(
    ({ reason, message }): Fault => ({
      severity: harmless.has(reason) ? 'warning' : 'error',
      message: `${reason}: ${message}`,
    }),
  );
  const ofRoutes = statuses.flatMap((status) => faultsOf({ kind: 'HTTPRoute', namespace: '', name: '', status }));
  return [...own, ...ofRoutes];
}
