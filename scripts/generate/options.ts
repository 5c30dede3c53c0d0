import { clone } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';

/** Files that only define annotations: rules of protoc-gen-validate, deprecation and status marks. */
const ANNOTATIONS = /^(?:validate\/|(?:udpa|xds|envoy)\/annotations\/|google\/api\/(?:annotations|http)\.proto)/;

type WithOptions = { options?: { $unknown?: unknown } };

/**
 * The same files without annotations, and without the files that define these, unless a root asks for them. Nothing of
 * ours reads annotations, and without them the types load in half the time.
 */
export function withoutCustomOptions(files: readonly FileDescriptorProto[], roots: readonly string[]) {
  return files
    .filter(({ name }) => !ANNOTATIONS.test(name) || roots.includes(name))
    .map((file) => clone(FileDescriptorProtoSchema, file))
    .map((file) => {
      file.dependency = file.dependency.filter((name) => !ANNOTATIONS.test(name) || roots.includes(name));
      file.publicDependency = [];
      dropUnknown(file);
      return file;
    });
}

/** Custom options are extensions, which a parser that was not told of them keeps as unknown fields. */
function dropUnknown(node: unknown): void {
  if (typeof node !== 'object' || node === null || node instanceof Uint8Array) return;
  if ('options' in node) delete (node as WithOptions).options?.$unknown;
  for (const value of Object.values(node)) dropUnknown(value);
}
