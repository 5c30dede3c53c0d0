import type * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';

/** As policies and DataPlanes write it. */
interface LogConditionSpec {
  readonly minStatus?: number;
  readonly maxStatus?: number;
  readonly minDuration?: string;
  readonly methods?: readonly string[];
  readonly header?: { readonly name: string; readonly value?: string };
  readonly percent?: number;
}

/** Which requests an access log is for. */
export const logConditions = (conditions: readonly LogConditionSpec[]): readonly ir.LogCondition[] =>
  conditions.map(({ minStatus, maxStatus, minDuration, methods, header, percent }) => {
    const minDurationMs = minDuration === undefined ? undefined : parseDurationMs(minDuration);
    return {
      ...(minStatus !== undefined && { minStatus }),
      ...(maxStatus !== undefined && { maxStatus }),
      ...(minDurationMs !== undefined && { minDurationMs }),
      ...(methods && { methods }),
      ...(header && { header: { ...header, name: header.name.toLowerCase() } }),
      ...(percent !== undefined && { percent }),
    };
  });
