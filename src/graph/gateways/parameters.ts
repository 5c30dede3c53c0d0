import { bootstrapFault } from '../../contracts/index.ts';
import { type DataPlaneSpec, keyOf, kinds, type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import { podPatchFault } from '../../pod-patch/index.ts';
import { reads, type Store, unread } from '../engine/index.ts';
import { type ConditionFault, logFaults, type ResolvedParameters } from '../model/index.ts';
import { mergeDataPlanes } from './data-plane-merge.ts';
import { guestFault } from './guest-parameters.ts';

/** A reference to parameters: of a class, with a namespace, or of a Gateway, in whose namespace they are. */
interface ParametersRef {
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

type Gateway = ObjectByKind['Gateway'];
type GatewayClass = ObjectByKind['GatewayClass'];

/** Whose parameters they are, and whether all Gateways of the class share one set of proxies. */
interface ParametersOwner {
  readonly gatewayClass: GatewayClass;
  readonly shared: boolean;
}

/** The class's parameters, and over them the Gateway's own, which may say nothing where proxies are not its own. */
export function resolveParameters(
  gateway: Gateway,
  { gatewayClass, shared }: ParametersOwner,
  store: Store,
): ResolvedParameters {
  const own = parametersRefOf(gateway);
  const refs = [gatewayClass.spec.parametersRef, ...(shared ? [] : [own])];
  const dataPlanes = [...new Set(refs.map(dataPlaneOf))].filter((key) => key !== undefined);
  const ofClass = resolve(gatewayClass.spec.parametersRef, store);
  if ('fault' in ofClass) {
    const message = `GatewayClass ${gatewayClass.metadata.name}: ${ofClass.fault.message}`;
    return { fault: { ...ofClass.fault, message }, dataPlanes };
  }
  if (shared) return { spec: ofClass.spec, ...(own && notForOne(gatewayClass)), dataPlanes };
  const ofGateway = resolve(own, store);
  if ('fault' in ofGateway) return { fault: ofGateway.fault, dataPlanes };
  if (ofGateway.spec.shared) return { ...notForGateways(own as ParametersRef), dataPlanes };
  const forGuests = guestFault(ofGateway.spec, { gateway, proxiesNamespace: store.scope.proxiesNamespace });
  if (forGuests) return { ...invalid(`DataPlane ${dataPlaneOf(own)} ${forGuests}`), dataPlanes };
  return { spec: mergeDataPlanes(ofClass.spec, ofGateway.spec), dataPlanes };
}

const notForOne = ({ metadata: { name }, spec: { parametersRef } }: GatewayClass) =>
  invalid(
    `the Gateways of GatewayClass ${name} share one set of proxies, which DataPlane ${dataPlaneOf(parametersRef)} describes (spec.shared): remove infrastructure.parametersRef, or take another class`,
  );

const notForGateways = (ref: ParametersRef) =>
  invalid(
    `DataPlane ${dataPlaneOf(ref)} asks for shared proxies, which a GatewayClass alone can have: remove its spec.shared, or name it in the parametersRef of a GatewayClass`,
  );

/** Whether the Gateways of a class share one set of proxies. */
export type Sharing =
  | { readonly kind: 'own' }
  /** `namespace`: where the proxies run, if the DataPlane says it. */
  | { readonly kind: 'shared'; readonly namespace: string | undefined }
  /** The DataPlane that says it is not there. */
  | { readonly kind: 'unknown' };

/** What else is wrong with the DataPlane does not matter: who shares proxies keeps sharing them. */
export function sharingOf({ spec: { parametersRef } }: GatewayClass, store: Store): Sharing {
  if (!parametersRef) return { kind: 'own' };
  const key = dataPlaneOf(parametersRef);
  const object = key === undefined ? undefined : store.find('DataPlane', key);
  if (!object) return { kind: 'unknown' };
  const { shared } = object.spec;
  return shared ? { kind: 'shared', namespace: shared.namespace } : { kind: 'own' };
}

/** Which databases the proxies of a Gateway look addresses up in. */
export function geoDatabasesOf(gateway: Gateway, store: Store) {
  const gatewayClass = store.find('GatewayClass', gateway.spec.gatewayClassName);
  if (!gatewayClass) return {};
  const shared = sharingOf(gatewayClass, store).kind === 'shared';
  const parameters = resolveParameters(gateway, { gatewayClass, shared }, store);
  return parameters.spec?.geoip?.databases ?? {};
}

/** Why the class's parameters are not available. Source: GatewayClassReasonInvalidParameters. */
export function classParametersFault({ spec }: GatewayClass, store: Store): ConditionFault | undefined {
  const answer = resolve(spec.parametersRef, store);
  return 'fault' in answer ? answer.fault : undefined;
}

/** The Gateway's own reference, with the namespace that it is meant in. */
export function parametersRefOf({ metadata, spec }: Gateway): ParametersRef | undefined {
  const ref = spec.infrastructure?.parametersRef;
  return ref && { ...ref, namespace: metadata.namespace ?? '' };
}

/** Key of the DataPlane that is named; undefined when it is something else, or nothing. */
export const dataPlaneOf = (ref: ParametersRef | undefined): string | undefined =>
  ref && isDataPlane(ref) && ref.namespace !== undefined ? objectKey(ref.namespace, ref.name) : undefined;

/** Why a DataPlane cannot be used as it is, beyond what its definition rejects. */
export function dataPlaneFault({ spec }: ObjectByKind['DataPlane']): ConditionFault | undefined {
  const message =
    (spec.bootstrap && bootstrapFault(spec.bootstrap)) ??
    (spec.podPatch && podPatchFault(spec.podPatch)) ??
    logFaults(spec.accessLog?.when)[0] ??
    (spec.geoip && geoFault(spec.geoip));
  return message === undefined ? undefined : { reason: 'Invalid', message };
}

/** Two values in one header would be one of them. */
function geoFault({ headers = {}, databases }: NonNullable<DataPlaneSpec['geoip']>): string | undefined {
  const named = Object.entries(headers).map(([field, name]) => ({ field, name: name.toLowerCase() }));
  const twice = named.find(({ name, field }) => named.some((other) => other.name === name && other.field !== field));
  if (twice) return `geoip.headers: ${twice.name} is the name of two headers: give each one of its own`;
  const lacking = named.find(({ field }) => databases[databaseOf(field)] === undefined);
  if (!lacking) return undefined;
  const { field } = lacking;
  return `geoip.headers.${field} needs geoip.databases.${databaseOf(field)}: set it, or remove the header`;
}

const databaseOf = (field: string) => (field === 'asn' || field === 'organization' ? 'asn' : 'location');

const isDataPlane = ({ group, kind }: ParametersRef): boolean =>
  group === kinds.DataPlane.group && kind === kinds.DataPlane.name;

const invalid = (message: string) => ({ fault: { reason: 'InvalidParameters', message } });

function resolve(
  ref: ParametersRef | undefined,
  store: Store,
): { readonly spec: DataPlaneSpec } | { readonly fault: ConditionFault } {
  if (!ref) return { spec: {} };
  if (!isDataPlane(ref)) {
    const { group, name } = kinds.DataPlane;
    return invalid(
      `parametersRef names a ${ref.group}/${ref.kind}, which is not a kind of parameters known here: name a ${group}/${name}, or remove it`,
    );
  }
  if (ref.namespace === undefined)
    return invalid(`parametersRef names DataPlane ${ref.name} of no namespace: add its namespace`);
  const object = store.find('DataPlane', objectKey(ref.namespace, ref.name));
  if (!object) {
    const key = objectKey(ref.namespace, ref.name);
    if (!reads(store.scope, ref.namespace)) return invalid(`parametersRef: DataPlane ${key} ${unread(ref.namespace)}`);
    return invalid(`parametersRef names DataPlane ${key}, which does not exist: create it, or name another`);
  }
  const fault = dataPlaneFault(object);
  return fault ? invalid(`DataPlane ${keyOf(object)}: ${fault.message}`) : { spec: object.spec };
}
