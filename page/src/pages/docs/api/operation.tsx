import { Code, Panel, Title } from '../../../parts/index.ts';
import { link, queryValue } from '../../../router/index.ts';
import { Sentence } from '../../../sentence/index.ts';
import { Call } from './call.tsx';
import { keyOfValue, type Values } from './curl.ts';
import { Shapes } from './fields.tsx';
import { OperationList } from './operation-list.tsx';
import { Parameters } from './parameters.tsx';
import { answerOf, type Contents, contentOf, errorsOf, type Operation, type Reference } from './reference.ts';
import { Method, Type } from './small-parts.tsx';
import { shapesOf, typeOf } from './type-of.ts';
import { apiWords } from './words.ts';

interface OperationProps {
  readonly operation: Operation;
  readonly reference: Reference;
}

/** All that the description says of one operation, and a way to call it. */
export function OperationPage({ operation, reference }: OperationProps) {
  const words = apiWords();
  const { method, path, tag, resource, summary, description = summary, requestBody, parameters = [] } = operation;
  const values: Values = Object.fromEntries(parameters.map(({ name }) => [name, queryValue(keyOfValue(name))]));
  const more = reference.operations.filter(
    (other) => other !== operation && other.resource === resource && other.tag === tag,
  );
  return (
    <>
      <Title at={undefined} back={{ href: link('docs', ['api']), text: words.all }}>
        <Method method={method} /> <code>{path}</code>
      </Title>
      <p>
        <Sentence text={description} /> <span class="chip">{tag}</span>
      </p>
      <Parameters operation={operation} values={values} />
      {requestBody && <Content title={words.body} contents={requestBody.content} reference={reference} />}
      <Call operation={operation} values={values} />
      <Content title={words.answers} contents={answerOf(operation)} reference={reference} />
      <Errors operation={operation} />
      {more.length > 0 && (
        <Panel title={words.more}>
          <OperationList operations={more} />
        </Panel>
      )}
    </>
  );
}

/** What is sent or answered: its type, its fields, and an example. */
function Content({
  title,
  contents,
  reference,
}: {
  readonly title: string;
  readonly contents: Contents;
  readonly reference: Reference;
}) {
  const words = apiWords();
  const { media, schema, example } = contentOf(contents);
  if (schema === undefined) return null;
  return (
    <Panel title={title}>
      <p>
        <code>{media.join(', ')}</code> <Type parts={typeOf(schema)} />
      </p>
      <Shapes shapes={shapesOf(schema, (name) => reference.schemas[name])} reference={reference} />
      {example !== undefined && (
        <details>
          <summary>{words.example}</summary>
          <Code text={JSON.stringify(example, null, 2)} label={`${title}: ${words.example}`} />
        </details>
      )}
    </Panel>
  );
}

function Errors({ operation }: Pick<OperationProps, 'operation'>) {
  const words = apiWords();
  const lines = errorsOf(operation);
  if (lines.length === 0) return null;
  return (
    <Panel title={words.errors}>
      <ul class="schema-fields">
        {lines.map(({ status, code, meaning }) => (
          <li key={`${status} ${code}`}>
            {status}{' '}
            <a href={link('docs', ['errors.md'], { at: code })} lang="en">
              <code>{code}</code>
            </a>{' '}
            <Sentence text={meaning} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
