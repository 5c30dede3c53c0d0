import { useSignal } from '@preact/signals';
import type { ApiError } from '../../api/index.ts';
import { Message } from '../../parts/index.ts';
import { editWords } from './words.ts';

interface RejectedProps {
  readonly error: ApiError;
  /** Of the object; typed to take over fields. */
  readonly name: string;
  readonly onForce: () => void;
  readonly onMerge: () => void;
}

/** Why a text was not written, every cause, and what can be done. */
export function Rejected({ error, name, onForce, onMerge }: RejectedProps) {
  const words = editWords();
  return (
    <div class="notice failing rejected" role="alert" data-code={error.code}>
      <p>
        {error.code === 'resource_conflict'
          ? words.conflict
          : error.code === 'field_conflict'
            ? words.fields
            : words.failed}
      </p>
      <p>
        <Message>{error.message}</Message>
      </p>
      <ul>
        {error.details.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <code>{path}</code> <Message>{message}</Message>
          </li>
        ))}
      </ul>
      {error.code === 'resource_conflict' && (
        <button type="button" class="merge" onClick={onMerge}>
          {words.newest}
        </button>
      )}
      {error.code === 'field_conflict' && <TakeOver name={name} onForce={onForce} />}
    </div>
  );
}

/** Taking fields from others is a second decision, and typed. */
function TakeOver({ name, onForce }: Pick<RejectedProps, 'name' | 'onForce'>) {
  const words = editWords();
  const typed = useSignal('');
  return (
    <form
      class="tools"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.value === name) onForce();
      }}
    >
      <label>
        {words.owned} <code>{name}</code>{' '}
        <input
          type="text"
          autocomplete="off"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
      </label>
      <button type="submit" disabled={typed.value !== name}>
        {words.force}
      </button>
    </form>
  );
}
