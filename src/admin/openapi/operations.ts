import { control, inspection, managed, moreInspection, proposals } from '../layout1/index.ts';
import { dataPlaneOperations } from '../layout2/data-plane.ts';
import { layout2 } from '../layout2/index.ts';
import type { Operation } from '../resource/operation.ts';

/** Every operation that is described, Layout 1 first; those of add-ons stand behind managed resources. */
export function describedOperations(addons: readonly Operation[]): readonly Operation[] {
  return [
    ...inspection,
    ...control,
    ...moreInspection,
    ...managed,
    ...addons,
    ...proposals,
    ...layout2,
    ...dataPlaneOperations,
  ];
}
