import { type Cause, memberSchema, type StructuralSchema } from './schema.ts';

/** The first sentence of a field's description, on one line; undefined when the schema has no such field, or says nothing about it. */
export function explainField(schema: StructuralSchema, path: Cause['path']): string | undefined {
  let field: StructuralSchema | undefined = schema;
  for (const part of path) field = typeof part === 'number' ? field?.items : field && memberSchema(field, part);
  const text = field?.description?.replaceAll(/\s+/g, ' ').trim();
  // "e.g." and "i.e." end no sentence.
  const [sentence] = text?.match(/^.+?(?<!\b(?:e\.g|i\.e|etc))\.(?= |$)/) ?? [text];
  return sentence || undefined;
}
