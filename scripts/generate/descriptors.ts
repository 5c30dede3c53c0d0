import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';

/** Protobuf file descriptors, keyed by the path of their .proto file. */
export type DescriptorsByPath = ReadonlyMap<string, FileDescriptorProto>;

const PATH_END = '.proto';
const PATH = /^(?:[a-z0-9_]+\/)+[a-z0-9_]+\.proto$/;
const LONGEST_PATH = 255;

/** FileDescriptorProto's fields, `number << 3 | wire type`. Any other tag is the end of the descriptor. */
const FILE_TAGS = new Set([
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 12].map((field) => (field << 3) | 2),
  ...[10, 11, 14].map((field) => field << 3),
]);
const NAME_TAG = (1 << 3) | 2;
const WIRE_VARINT = 0;

/**
 * Every file descriptor that a C++ program linked with protobuf carries. They lie in its read-only data one after the
 * other, serialised, with nothing that says where one ends; so each is read field by field until a tag that no
 * FileDescriptorProto has, or the next name.
 */
export function readDescriptors(binaryPath: string): DescriptorsByPath {
  const binary = readFileSync(binaryPath);
  const found = new Map<string, FileDescriptorProto>();
  for (let hit = binary.indexOf(PATH_END); hit >= 0; hit = binary.indexOf(PATH_END, hit + 1)) {
    const start = startOfDescriptor(binary, hit + PATH_END.length);
    const descriptor = start === undefined ? undefined : readDescriptor(binary, start);
    if (descriptor && !found.has(descriptor.name)) found.set(descriptor.name, descriptor);
  }
  return found;
}

/** A serialised FileDescriptorProto begins with its name: tag 1, the length as a varint of one or two bytes, the path. */
function startOfDescriptor(binary: Buffer, pathEnd: number): number | undefined {
  for (let length = PATH_END.length + 1; length <= LONGEST_PATH; length++) {
    const start = pathEnd - length - (length < 128 ? 2 : 3);
    if (start < 0 || binary[start] !== NAME_TAG) continue;
    const [value, pathStart] = readVarint(binary, start + 1);
    if (value === length && PATH.test(binary.toString('latin1', pathStart, pathEnd))) return start;
  }
  return undefined;
}

function readDescriptor(binary: Buffer, start: number): FileDescriptorProto | undefined {
  try {
    return fromBinary(FileDescriptorProtoSchema, binary.subarray(start, endOfDescriptor(binary, start)));
  } catch {
    return undefined; // the path stood there for another reason
  }
}

function endOfDescriptor(binary: Buffer, start: number): number {
  let end = start;
  for (;;) {
    const [tag, afterTag] = readVarint(binary, end);
    if (!FILE_TAGS.has(tag) || (tag === NAME_TAG && end !== start)) return end;
    const [value, afterValue] = readVarint(binary, afterTag);
    end = (tag & 7) === WIRE_VARINT ? afterValue : afterValue + value;
  }
}

/** The value at an offset and the offset after it. A value longer than 32 bits is no length and no tag: 0. */
function readVarint(binary: Buffer, offset: number): readonly [value: number, next: number] {
  let value = 0;
  for (let shift = 0, at = offset; shift < 32; shift += 7, at++) {
    const byte = binary[at] ?? 0;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return [value, at + 1];
  }
  return [0, offset];
}

/**
 * The files of `roots` (a path, or a folder ending in `/`) and all they import, imports first.
 * @throws if a root or an import is not among the descriptors.
 */
export function closure(descriptors: DescriptorsByPath, roots: readonly string[]): FileDescriptorProto[] {
  const ordered = new Map<string, FileDescriptorProto>();
  const visit = (path: string, wantedBy: string) => {
    if (ordered.has(path)) return;
    const descriptor = descriptors.get(path);
    if (!descriptor) throw new Error(`no descriptor of ${path}, wanted by ${wantedBy}`);
    for (const dependency of descriptor.dependency) visit(dependency, path);
    ordered.set(path, descriptor);
  };
  for (const root of roots) for (const path of expand(descriptors, root)) visit(path, 'the list of roots');
  return [...ordered.values()];
}

function expand(descriptors: DescriptorsByPath, root: string): string[] {
  if (!root.endsWith('/')) return [root];
  const paths = [...descriptors.keys()].filter((path) => path.startsWith(root)).sort();
  if (paths.length === 0) throw new Error(`no descriptor below ${root}`);
  return paths;
}
