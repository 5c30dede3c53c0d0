import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
  type FileDescriptorProto,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { closure, readDescriptors } from './descriptors.ts';
import { declarationsOf, scriptOf } from './envoy-index.ts';
import { envoyProtos } from './envoy-protos.ts';
import { tidied } from './tidy-descriptors.ts';

/** Declarations only: our own script builds all types from one descriptor set (see envoy-index.ts). */
const PLUGIN_PARAMETER = 'target=dts,import_extension=js';
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Where the parts are that the generation needs, and where its result goes. */
export type EnvoyTypesOptions = {
  /** An Envoy binary; its own descriptors are the source. */
  readonly envoy: string;
  /** The folder with our own .proto files. */
  readonly ownProtos: string;
  /** `node_modules/.bin`, with buf and protoc-gen-es. */
  readonly tools: string;
  /** An empty folder. */
  readonly outDir: string;
};

/**
 * Writes `index.js` and `index.d.ts` with the types of the listed Envoy files and of our own, and a declaration file
 * for each of these and their imports.
 * @returns the number of .proto files.
 */
export function generateEnvoyTypes({ envoy, ownProtos, tools, outDir }: EnvoyTypesOptions): number {
  const own = compile(ownProtos, tools);
  const descriptors = readDescriptors(envoy);
  const all = new Map([...own.map((file) => [file.name, file] as const), ...descriptors]);
  const roots = [...envoyProtos, ...own.map((file) => file.name)];
  const files = tidied(closure(all, roots), roots);
  const declarations = runPlugin(files, tools);
  for (const [path, content] of declarations) write(join(outDir, path), content);
  write(join(outDir, 'index.js'), scriptOf(files, roots));
  write(join(outDir, 'index.d.ts'), declarationsOf(files, roots, declarations));
  return files.length;
}

function compile(folder: string, tools: string): FileDescriptorProto[] {
  const image = execFileSync(join(tools, 'buf'), ['build', folder, '--as-file-descriptor-set', '-o', '-']);
  const { file } = fromBinary(FileDescriptorSetSchema, image);
  return file.filter(({ name }) => !name.startsWith('google/protobuf/'));
}

/** Path to content. Google's own types come with the protobuf runtime, and are not generated. */
function runPlugin(files: FileDescriptorProto[], tools: string): ReadonlyMap<string, string> {
  const request = create(CodeGeneratorRequestSchema, {
    protoFile: files,
    fileToGenerate: files.map((file) => file.name).filter((name) => !name.startsWith('google/protobuf/')),
    parameter: PLUGIN_PARAMETER,
  });
  const output = execFileSync(process.execPath, [join(tools, 'protoc-gen-es')], {
    input: toBinary(CodeGeneratorRequestSchema, request),
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  const response = fromBinary(CodeGeneratorResponseSchema, output);
  if (response.error) throw new Error(`protoc-gen-es: ${response.error}`);
  return new Map(response.file.map((file) => [file.name, file.content]));
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
