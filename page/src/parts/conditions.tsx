import type { Condition } from '../api/index.ts';
import { link } from '../router/index.ts';
import { Badge, Message } from './state.tsx';

/** True is good for all types of conditions but these. */
const badWhenTrue = new Set([
  'PartiallyInvalid',
  'Conflicted',
  'OverlappingTLSConfig',
  'InsecureFrontendValidationMode',
  'InsecureBackendValidationMode',
  'Overridden',
]);

/** What a condition means, whichever status is the good one of its type. */
export const conditionState = ({ type, status }: Condition) =>
  status === 'Unknown' ? 'unknown' : (status === 'True') !== badWhenTrue.has(type) ? 'ok' : 'failing';

/** Conditions by their meaning, each with its reason and message. */
export function ConditionList({ conditions }: { readonly conditions: readonly Condition[] }) {
  return (
    <ul class="conditions">
      {conditions.map((condition) => (
        <li key={condition.type}>
          <Badge state={conditionState(condition)}>
            {condition.type}={condition.status}
          </Badge>{' '}
          {condition.reason !== condition.type && (
            <a href={link('docs', ['problems.md'], { at: condition.reason })}>
              <code>{condition.reason}</code>
            </a>
          )}{' '}
          <Message>{condition.message}</Message>
        </li>
      ))}
    </ul>
  );
}
