import type { DataPlaneStatus, ObjectByKind } from '../gateway-api/index.ts';
import { dataPlaneFault } from './gateways/parameters.ts';
import { conditionOf } from './model/condition.ts';

export interface DataPlaneUse {
  readonly controllerName: string;
  /** How many Gateways of ours use it. */
  readonly gateways: number;
  /** A class of ours names it. */
  readonly isNamed: boolean;
}

/**
 * The status of a DataPlane that Gateways or classes of ours name, or did when its status was written; undefined when it
 * is none of our business, or another controller came first.
 */
export function dataPlaneStatus(
  object: ObjectByKind['DataPlane'],
  { controllerName, gateways, isNamed }: DataPlaneUse,
): DataPlaneStatus | undefined {
  const spokenBy = object.status?.controllerName;
  const isOurs = spokenBy === undefined ? isNamed || gateways > 0 : spokenBy === controllerName;
  if (!isOurs) return undefined;
  return {
    kind: 'DataPlane',
    controllerName,
    attachedGateways: gateways,
    conditions: [conditionOf('Accepted', object.metadata.generation ?? 0, dataPlaneFault(object))],
  };
}
