import { Panel } from '../../../parts/index.ts';
import { changeQuery } from '../../../router/index.ts';
import { Sentence } from '../../../sentence/index.ts';
import { keyOfValue, type Values } from './curl.ts';
import type { Operation, Parameter } from './reference.ts';
import { Type } from './small-parts.tsx';
import { typeOf } from './type-of.ts';
import { apiWords } from './words.ts';

/** The form that the inputs belong to: it is in another panel. */
export const formId = 'try-it';

/** What an operation takes, each with an input: its value is in the line for a shell, in the question, and in the link. */
export function Parameters({ operation, values }: { readonly operation: Operation; readonly values: Values }) {
  const { parameters = [] } = operation;
  if (parameters.length === 0) return null;
  return (
    <Panel title={apiWords().parameters}>
      <ul class="schema-fields">
        {parameters.map((parameter) => (
          <li key={`${parameter.in} ${parameter.name}`} class="parameter">
            <One parameter={parameter} value={values[parameter.name] ?? ''} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function One({ parameter, value }: { readonly parameter: Parameter; readonly value: string }) {
  const { name, in: where, required, description = '', schema = {} } = parameter;
  const words = apiWords();
  const id = `parameter-${name}`;
  return (
    <>
      <div>
        <label for={id}>
          <code>{name}</code>
        </label>{' '}
        <Type parts={typeOf(schema)} />{' '}
        <span class="quiet">
          {where === 'path' ? words.inPath : words.inQuery}
          {required && `, ${words.required}`}
        </span>
        <p>
          <Sentence text={description} />
        </p>
      </div>
      <input
        id={id}
        form={formId}
        type="text"
        inputMode={schema.type === 'integer' ? 'numeric' : 'text'}
        required={required === true}
        spellcheck={false}
        autocomplete="off"
        value={value}
        onInput={(event) => changeQuery({ [keyOfValue(name)]: event.currentTarget.value })}
      />
    </>
  );
}
