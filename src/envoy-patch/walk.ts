import type { DescField, DescMessage } from '@bufbuild/protobuf';

/** The field that users call so, by its name in the definition or by that in JSON. */
export const fieldOf = (schema: DescMessage, name: string): DescField | undefined =>
  schema.fields.find((field) => field.name === name || field.jsonName === name);

/** Messages that JSON writes as one value, so that there is nothing in them to change by itself. */
const written = /^google\.protobuf\./;

/** What is merged field by field: a single message that JSON writes as an object. */
export const mergedIn = (field: DescField): DescMessage | undefined =>
  field.fieldKind === 'message' && !written.test(field.message.typeName) ? field.message : undefined;

/** The messages in a list, or the message of a field. */
export function messageIn(field: DescField): DescMessage | undefined {
  const message = field.fieldKind === 'list' || field.fieldKind === 'message' ? field.message : undefined;
  return message && !written.test(message.typeName) ? message : undefined;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
