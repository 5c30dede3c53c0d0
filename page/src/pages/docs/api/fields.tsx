import { useSignal } from '@preact/signals';
import { Sentence } from '../../../sentence/index.ts';
import type { Reference, Schema } from './reference.ts';
import { Type } from './small-parts.tsx';
import { boundsOf, type Shape, shapesOf, typeOf } from './type-of.ts';
import { apiWords } from './words.ts';

interface ShapesProps {
  readonly shapes: readonly Shape[];
  readonly reference: Reference;
}

/** The fields of what a value may be: of one thing at once, of one of several behind their names. */
export function Shapes({ shapes, reference }: ShapesProps) {
  const [first] = shapes;
  if (first === undefined) return null;
  if (shapes.length === 1) return <Fields schema={first.schema} reference={reference} />;
  return (
    <>
      {shapes.map((shape, at) => (
        <Folded key={at} title={shape.name ?? String(at + 1)} shapes={[shape]} reference={reference} />
      ))}
    </>
  );
}

/** Not there until it is opened: schemas may contain themselves. */
function Folded({ title, shapes, reference }: ShapesProps & { readonly title: string }) {
  const isOpen = useSignal(false);
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{apiWords().openFields(title)}</summary>
      {isOpen.value && <Shapes shapes={shapes} reference={reference} />}
    </details>
  );
}

interface FieldsProps {
  readonly schema: Schema;
  readonly reference: Reference;
}

function Fields({ schema: { properties = {}, required = [] }, reference }: FieldsProps) {
  return (
    <ul class="schema-fields">
      {Object.entries(properties).map(([name, schema]) => (
        <Field key={name} name={name} isRequired={required.includes(name)} schema={schema} reference={reference} />
      ))}
    </ul>
  );
}

function Field({
  name,
  isRequired,
  schema,
  reference,
}: FieldsProps & { readonly name: string; readonly isRequired: boolean }) {
  const shapes = shapesOf(schema, (each) => reference.schemas[each]);
  return (
    <li>
      <code>{name}</code> <Type parts={typeOf(schema)} />{' '}
      {!isRequired && <span class="quiet">{apiWords().optional}</span>} <Bounds schema={schema} />
      {schema.description !== undefined && (
        <p>
          <Sentence text={schema.description} />
        </p>
      )}
      {shapes.length > 0 && <Folded title={name} shapes={shapes} reference={reference} />}
    </li>
  );
}

export function Bounds({ schema }: { readonly schema: Schema }) {
  return (
    <span class="quiet" lang="en">
      {boundsOf(schema).join(', ')}
    </span>
  );
}
