import { Panel, Title } from '../../../parts/index.ts';
import { link } from '../../../router/index.ts';
import { Sentence } from '../../../sentence/index.ts';
import { Bounds, Shapes } from './fields.tsx';
import { OperationList } from './operation-list.tsx';
import { type Reference, usersOf } from './reference.ts';
import { SchemaLink, Type } from './small-parts.tsx';
import { shapesOf, typeOf } from './type-of.ts';
import { apiWords } from './words.ts';

/** One named schema: what it is, its fields, and what refers to it. */
export function SchemaPage({ name, reference }: { readonly name: string; readonly reference: Reference }) {
  const words = apiWords();
  const schema = reference.schemas[name] ?? {};
  const shapes = shapesOf(schema, (each) => reference.schemas[each]);
  const users = usersOf(name, reference);
  return (
    <>
      <Title at={undefined} back={{ href: link('docs', ['api']), text: words.all }}>
        <span lang="en">{name}</span>
      </Title>
      {schema.description !== undefined && (
        <p>
          <Sentence text={schema.description} />
        </p>
      )}
      <p>
        <Type parts={typeOf(schema)} /> <Bounds schema={schema} />
      </p>
      {shapes.length > 0 && (
        <Panel title={words.fields}>
          <Shapes shapes={shapes} reference={reference} />
        </Panel>
      )}
      <Panel title={words.usedBy}>
        {users.operations.length + users.schemas.length === 0 && <p class="quiet">{words.unused}</p>}
        <OperationList operations={users.operations} />
        <ul class="names">
          {users.schemas.map((each) => (
            <li key={each}>
              <SchemaLink name={each} />
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}
