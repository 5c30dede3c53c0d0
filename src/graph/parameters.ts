import { type DataPlaneSpec, keyOf, kinds, type ObjectByKind, objectKey } from '../gateway-api/index.ts';
import { bootstrapFault } from '../ir/index.ts';
import type { Fault } from './condition.ts';
import { mergeDataPlanes } from './data-plane-merge.ts';
import type { Store } from './store.ts';

/** A reference to parameters: of a class, with a namespace, or of a Gateway, in whose namespace they are. */
interface ParametersRef {
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** How the proxies of a Gateway are to be run, as its class and it itself ask for. */
export interface SettledParameters {
  /** Undefined when it cannot be known: then nothing may be made of a guess, and what runs stays as it is. */
  readonly spec?: DataPlaneSpec;
  /** Source: GatewayReasonInvalidParameters. */
  readonly fault?: Fault;
  /** Keys of the DataPlanes that are named, whether there are such or not. */
  readonly dataPlanes: readonly string[];
}

type Gateway = ObjectByKind['Gateway'];
type GatewayClass = ObjectByKind['GatewayClass'];

/** The class's parameters, and over them the Gateway's own. */
export function settleParameters(gateway: Gateway, gatewayClass: GatewayClass, store: Store): SettledParameters {
  const own = parametersRefOf(gateway);
  const answers = [resolve(gatewayClass.spec.parametersRef, store), resolve(own, store)] as const;
  const dataPlanes = [...new Set([dataPlaneOf(gatewayClass.spec.parametersRef), dataPlaneOf(own)])].filter(
    (key) => key !== undefined,
  );
  const [ofClass, ofGateway] = answers;
  if ('fault' in ofClass) {
    const message = `GatewayClass ${gatewayClass.metadata.name}: ${ofClass.fault.message}`;
    return { fault: { ...ofClass.fault, message }, dataPlanes };
  }
  if ('fault' in ofGateway) return { fault: ofGateway.fault, dataPlanes };
  return { spec: mergeDataPlanes(ofClass.spec, ofGateway.spec), dataPlanes };
}

/** Why the class's parameters cannot be had. Source: GatewayClassReasonInvalidParameters. */
export function classParametersFault({ spec }: GatewayClass, store: Store): Fault | undefined {
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

/** Why a DataPlane cannot be used as it is, beyond what its definition refuses. */
export function dataPlaneFault({ spec }: ObjectByKind['DataPlane']): Fault | undefined {
  const message = spec.bootstrap && bootstrapFault(spec.bootstrap);
  return message === undefined ? undefined : { reason: 'Invalid', message };
}

const isDataPlane = ({ group, kind }: ParametersRef): boolean =>
  group === kinds.DataPlane.group && kind === kinds.DataPlane.name;

const invalid = (message: string) => ({ fault: { reason: 'InvalidParameters', message } });

function resolve(
  ref: ParametersRef | undefined,
  store: Store,
): { readonly spec: DataPlaneSpec } | { readonly fault: Fault } {
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
    return invalid(`parametersRef names DataPlane ${key}, which does not exist: create it, or name another`);
  }
  const fault = dataPlaneFault(object);
  return fault ? invalid(`DataPlane ${keyOf(object)}: ${fault.message}`) : { spec: object.spec };
}
