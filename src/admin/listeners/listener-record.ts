import { objectKey } from '../../gateway-api/index.ts';
import type { ListenerView, ObjectReference } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';
import { certificateFacts, shownFacts } from '../certificates/certificate-facts.ts';
import { isTrue } from '../resource/conditions.ts';
import type { ListenerRecord } from './record.ts';

export const listenerRecord = (view: ListenerView, snapshot: ir.Snapshot | undefined): ListenerRecord => ({
  ...lightListenerRecord(view, snapshot),
  routes: view.routes,
});

/** Without its routes. */
export function lightListenerRecord(
  view: ListenerView,
  snapshot: ir.Snapshot | undefined,
): Omit<ListenerRecord, 'routes'> {
  const { name, gateway, source, section, addresses, port, protocol, hostname, attachedRoutes, conditions } = view;
  return {
    name,
    gateway,
    source,
    section,
    addresses,
    port,
    protocol,
    hostname: hostname ?? null,
    tls: view.tls === undefined ? null : listenerTls(view.tls, secretsOf(view, snapshot)),
    attachedRoutes,
    conditions,
    accepted: isTrue(conditions, 'Accepted'),
    programmed: isTrue(conditions, 'Programmed'),
    resolvedRefs: isTrue(conditions, 'ResolvedRefs'),
  };
}

type FindSecret = (key: string) => ir.Secret | undefined;

function secretsOf({ fleet }: ListenerView, snapshot: ir.Snapshot | undefined): FindSecret {
  const secrets = snapshot?.gateways.get(fleet)?.secrets;
  return (key) => secrets?.get(key);
}

const listenerTls = (
  { mode, certificates, frontendValidation }: NonNullable<ListenerView['tls']>,
  find: FindSecret,
): ListenerRecord['tls'] => ({
  mode,
  certificates: certificates.map((reference) => certificateOf(reference, find)),
  frontendValidation: frontendValidation ?? null,
});

type Certificate = NonNullable<ListenerRecord['tls']>['certificates'][number];

function certificateOf({ namespace, name }: ObjectReference, find: FindSecret): Certificate {
  const secret = find(objectKey(namespace, name));
  return { namespace, name, ...shownFacts(secret && certificateFacts(secret)) };
}

/** Listeners with this full name; failing that, with this section name. The full name is also understood with slashes. */
export function findListeners(views: Iterable<ListenerView>, name: string): ListenerView[] {
  const all = [...views];
  const dotted = name.replaceAll('/', '.');
  const exact = all.filter((view) => view.name === dotted);
  return exact.length > 0 ? exact : all.filter((view) => view.section === name);
}
