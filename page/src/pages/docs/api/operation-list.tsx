import { link } from '../../../router/index.ts';
import { Sentence } from '../../../sentence/index.ts';
import type { Operation } from './reference.ts';
import { Method } from './small-parts.tsx';

const hrefOfOperation = ({ operationId }: Pick<Operation, 'operationId'>): string => link('docs', ['api', operationId]);

/** Operations as links, each with its method, path and purpose. */
export function OperationList({ operations }: { readonly operations: readonly Operation[] }) {
  return (
    <ul class="operations">
      {operations.map((operation) => (
        <li key={operation.operationId}>
          <a href={hrefOfOperation(operation)}>
            <Method method={operation.method} />
            <code>{operation.path}</code>
          </a>{' '}
          <Sentence text={operation.summary} />
        </li>
      ))}
    </ul>
  );
}
