import { type Condition, isPending, isProblem, keyOf, type Status, statusParts } from '../../gateway-api/index.ts';
import type { StatusChange } from '../../graph/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { StatusSink } from '../control-plane/index.ts';

/** Without a cluster there is no status to read with kubectl: what is not well is said in the log, once for each wording. */
export function logStatus(logger: Logger): StatusSink {
  const said = new Map<string, string>();
  const setDesired = ({ kind, key, status }: StatusChange) => {
    const text = status ? problemsIn(status).join('; ') : '';
    if (text === (said.get(`${kind} ${key}`) ?? '')) return;
    if (text) said.set(`${kind} ${key}`, text);
    else said.delete(`${kind} ${key}`);
    if (text) logger.warn({ kind, name: key }, `${kind} ${key}: ${text}`);
    else if (status) logger.info({ kind, name: key }, `${kind} ${key}: all conditions are well`);
    else logger.info({ kind, name: key }, `${kind} ${key}: no longer refers to a Gateway of ours`);
  };
  return {
    setDesired,
    observe({ type, kind: { name: kind }, object }) {
      const key = keyOf(object);
      if (type === 'deleted' && said.delete(`${kind} ${key}`))
        logger.info({ kind, name: key }, `${kind} ${key}: is gone`);
    },
  };
}

/** A Gateway's conditions repeat what those of its listeners say: each message is in the line once. */
function problemsIn(status: Status): string[] {
  const texts: string[] = [];
  for (const { of, name, conditions } of statusParts(status)) {
    for (const condition of conditions.filter(isWorthALine)) {
      if (condition.message !== '' && texts.some((text) => text.includes(condition.message))) continue;
      texts.push(`${of === 'object' ? '' : `${of} ${name} `}${textOf(condition)}`);
    }
  }
  return texts;
}

/** Of proxies that never come, the part of the program that starts them writes to the log. */
const isWorthALine = (condition: Condition): boolean => isProblem(condition) && !isPending(condition);

const textOf = ({ type, status, reason, message }: Condition): string => `${type}=${status} ${reason}: ${message}`;
