import { create, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { readField } from './faults.ts';
import { type PatchPart, patchParts } from './parts.ts';
import { fieldOf, isObject, mergedIn } from './walk.ts';

type Schema<Part extends PatchPart> = (typeof patchParts)[Part]['schema'];

/**
 * Lays a patch without faults over a message, as JSON merge patches do (RFC 7386): what is null is taken away, messages are merged, all else
 * takes the place of what was there. Of alternatives the one that stands is merged, and a patch of another one does nothing.
 */
export function mergePatch<Part extends PatchPart>(
  part: Part,
  message: MessageShape<Schema<Part>>,
  patch: object,
): void {
  const { schema } = patchParts[part] as { readonly schema: DescMessage };
  mergeInto(reflect(schema, message), patch);
}

function mergeInto(target: ReflectMessage, patch: unknown): void {
  if (!isObject(patch)) return;
  for (const [key, value] of Object.entries(patch)) {
    const field = fieldOf(target.desc, key);
    if (!field) continue;
    const inner = mergedIn(field);
    if (value === null) target.clear(field);
    else if (inner && field.fieldKind === 'message') {
      const standing = field.oneof && target.oneofCase(field.oneof);
      if (standing !== undefined && standing !== field) continue;
      const child = target.isSet(field) ? target.get(field) : reflect(inner, create(inner));
      mergeInto(child, value);
      target.set(field, child);
    } else {
      const read = readField(field, value);
      if ('value' in read) target.set(field, read.value as never);
    }
  }
}
