import { type Condition, isPending, isProblem, type Status, statusParts } from '../../gateway-api/index.ts';
import type { StatusChange } from '../../graph/index.ts';
import type { Logger } from '../../telemetry/index.ts';

/** Without a cluster there is no status to read with kubectl: what is not well is said in the log, once for each wording. */
export function logStatus(logger: Logger): (change: StatusChange) => void {
  const said = new Map<string, string>();
  return ({ kind, key, status }) => {
    const text = status ? problemsIn(status).join('; ') : '';
    if (text === (said.get(`${kind} ${key}`) ?? '')) return;
    said.set(`${kind} ${key}`, text);
    if (text) logger.warn({ kind, name: key }, `${kind} ${key}: ${text}`);
    else logger.info({ kind, name: key }, `${kind} ${key}: all conditions are well`);
  };
}

const problemsIn = (status: Status): string[] =>
  statusParts(status).flatMap(({ of, name, conditions }) =>
    conditions
      .filter(isWorthALine)
      .map((condition) => `${of === 'object' ? '' : `${of} ${name} `}${textOf(condition)}`),
  );

/** Of proxies that never come, the part of the program that starts them writes to the log. */
const isWorthALine = (condition: Condition): boolean => isProblem(condition) && !isPending(condition);

const textOf = ({ type, status, reason, message }: Condition): string => `${type}=${status} ${reason}: ${message}`;
