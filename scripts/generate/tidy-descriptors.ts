import { clone } from '@bufbuild/protobuf';
import { protoCamelCase } from '@bufbuild/protobuf/reflect';
import { type DescriptorProto, type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';

/** Files that only define annotations: rules of protoc-gen-validate, deprecation and status marks. */
const ANNOTATIONS = /^(?:validate\/|(?:udpa|xds|envoy)\/annotations\/|google\/api\/(?:annotations|http)\.proto)/;

type WithOptions = { options?: { $unknown?: unknown } };

/**
 * The same files, with the JSON names that programs leave out of the descriptors they carry; without annotations, and without the files that define these, unless a root asks for them. Nothing of
 * ours reads annotations, and without them the types load in half the time.
 */
export function tidied(files: readonly FileDescriptorProto[], roots: readonly string[]) {
  return files
    .filter(({ name }) => !ANNOTATIONS.test(name) || roots.includes(name))
    .map((file) => clone(FileDescriptorProtoSchema, file))
    .map((file) => {
      file.dependency = file.dependency.filter((name) => !ANNOTATIONS.test(name) || roots.includes(name));
      file.publicDependency = [];
      dropUnknown(file);
      file.messageType.forEach(nameForJson);
      return file;
    });
}

/** Custom options are extensions, which a parser without their definition keeps as unknown fields. */
function dropUnknown(node: unknown): void {
  if (typeof node !== 'object' || node === null || node instanceof Uint8Array) return;
  if ('options' in node) delete (node as WithOptions).options?.$unknown;
  for (const value of Object.values(node)) dropUnknown(value);
}

/** As protoc fills them in: without them ProtoJSON has fields without names. */
function nameForJson(message: DescriptorProto): void {
  for (const field of message.field) field.jsonName ||= protoCamelCase(field.name);
  message.nestedType.forEach(nameForJson);
}
