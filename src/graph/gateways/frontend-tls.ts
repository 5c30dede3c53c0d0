import type { ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import { type AuthorityRef, gatherAuthorities } from '../certificates/index.ts';
import type { Store } from '../engine/index.ts';
import { type ConditionFault, combineFaults, type ListenerSpec, terminatesTls } from '../model/index.ts';

type GatewayObject = ObjectByKind['Gateway'];
type FrontendTls = NonNullable<NonNullable<GatewayObject['spec']['tls']>['frontend']>;
type Validation = NonNullable<FrontendTls['default']['validation']>;

/** How the clients of one listener authenticate, and what is wrong with that setting. */
export interface ResolvedClients {
  readonly clients?: ir.ChainClients;
  /** No authority is left to check clients with: the listener must not open. */
  readonly acceptFault?: ConditionFault;
  readonly referenceFault?: ConditionFault;
}

/** Source: GEP-91, Gateway.spec.tls.frontend: a port's own entry replaces the default. */
function validationOf({ spec }: GatewayObject, port: number): Validation | undefined {
  const frontend = spec.tls?.frontend;
  const own = frontend?.perPort?.find((entry) => entry.port === port);
  return own ? own.tls.validation : frontend?.default.validation;
}

/** Whether clients of a listener of the Gateway, or of a ListenerSet of it, may show certificates. */
export const asksForCertificates = (gateway: GatewayObject, listener: ListenerSpec): boolean =>
  terminatesTls(listener) && validationOf(gateway, listener.port) !== undefined;

/** Resolves what a Gateway asks of the clients of a port at which TLS ends. */
export function resolveClients(gateway: GatewayObject, port: number, store: Store): ResolvedClients {
  const validation = validationOf(gateway, port);
  if (!validation) return {};
  const namespace = gateway.metadata.namespace ?? '';
  const user = { kind: 'Gateway', namespace, wrongKind: 'InvalidCACertificateKind' };
  const { pem, faults } = gatherAuthorities(refsOf(validation, namespace), user, store);
  const referenceFault = combineFaults(faults);
  if (pem === undefined) {
    const message = `clients cannot be checked: ${referenceFault?.message}`;
    return { acceptFault: { reason: 'NoValidCACertificate', message }, ...(referenceFault && { referenceFault }) };
  }
  return {
    clients: { authorities: pem, required: validation.mode !== 'AllowInsecureFallback' },
    ...(referenceFault && { referenceFault }),
  };
}

const refsOf = ({ caCertificateRefs }: Validation, gatewayNamespace: string): AuthorityRef[] =>
  caCertificateRefs.map(({ group = '', kind, namespace = gatewayNamespace, name }) => ({
    group,
    kind,
    namespace,
    name,
  }));

const validationsOf = ({ spec }: GatewayObject): Validation[] =>
  [spec.tls?.frontend?.default, ...(spec.tls?.frontend?.perPort ?? []).map(({ tls }) => tls)].flatMap(
    (config) => config?.validation ?? [],
  );

/** Every object that a Gateway's checks of clients name, wherever it leads. */
export const authorityRefsOf = (gateway: GatewayObject): AuthorityRef[] =>
  validationsOf(gateway).flatMap((validation) => refsOf(validation, gateway.metadata.namespace ?? ''));

/** Whether clients that show nothing may come in on some port. */
export const allowsInsecureClients = (gateway: GatewayObject): boolean =>
  validationsOf(gateway).some(({ mode }) => mode === 'AllowInsecureFallback');
