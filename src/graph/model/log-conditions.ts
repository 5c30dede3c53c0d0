import type * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';
import { logExpressionFaults } from './log-expression.ts';

/** As policies and DataPlanes write it. */
interface LogConditionSpec {
  readonly minStatus?: number;
  readonly maxStatus?: number;
  readonly minDuration?: string;
  readonly methods?: readonly string[];
  readonly header?: { readonly name: string; readonly value?: string };
  readonly cel?: string;
  readonly percent?: number;
}

/** Which requests an access log is for. */
export const logConditions = (conditions: readonly LogConditionSpec[]): readonly ir.LogCondition[] =>
  conditions.map(({ minStatus, maxStatus, minDuration, methods, header, cel, percent }) => {
    const minDurationMs = minDuration === undefined ? undefined : parseDurationMs(minDuration);
    return {
      ...(minStatus !== undefined && { minStatus }),
      ...(maxStatus !== undefined && { maxStatus }),
      ...(minDurationMs !== undefined && { minDurationMs }),
      ...(methods && { methods }),
      ...(header && { header: { ...header, name: header.name.toLowerCase() } }),
      ...(cel !== undefined && { cel }),
      ...(percent !== undefined && { percent }),
    };
  });

/** What is wrong with the expressions of conditions, each beginning with where it is; empty: nothing. */
export const logFaults = (conditions: readonly LogConditionSpec[] = []): readonly string[] =>
  conditions.flatMap(({ cel }, index) =>
    cel === undefined ? [] : logExpressionFaults(cel).map((fault) => `accessLog.when[${index}].cel ${fault}`),
  );
