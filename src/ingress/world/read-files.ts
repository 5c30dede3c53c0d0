import { readFile } from 'node:fs/promises';
import type { Finding } from '../../offline/validate/index.ts';
import { findManifestFiles, parseManifests, pathText } from '../../sources/index.ts';
import type { World } from './world.ts';
import { type WorldOptions, WorldReader } from './world-reader.ts';

/** What files say, and what is wrong with them. */
export interface WorldFiles {
  readonly world: World;
  /** What could not be read, each with its place. The objects that they are about are not in the world. */
  readonly findings: readonly Finding[];
  readonly files: number;
}

/**
 * Reads the world of all YAML and JSON files of some paths. Kinds of which there is no object count as not looked at: files rarely have
 * EndpointSlices. Rejects with the file system's error for a path that cannot be read.
 */
export async function readWorldFiles(
  paths: readonly string[],
  options: Pick<WorldOptions, 'className' | 'configMap'> = {},
): Promise<WorldFiles> {
  const files = new Set<string>();
  for (const path of paths) for (const file of await findManifestFiles(path)) files.add(file);
  const reader = new WorldReader();
  const findings: Finding[] = [];
  for (const file of files)
    for (const finding of readText(reader, file, await readFile(file, 'utf8'))) findings.push(finding);
  const world = reader.world({ ...options, unread: reader.missing, areWritten: true });
  return { world, findings, files: files.size };
}

function* readText(reader: WorldReader, file: string, text: string): Generator<Finding> {
  const { manifests, errors } = parseManifests(text);
  for (const { line, column, message } of errors) yield { severity: 'error', file, line, column, path: '', message };
  for (const { value, locate } of manifests)
    for (const { object, path, message } of reader.add(value))
      yield { severity: 'error', file, ...locate(path), object, path: pathText(path), message };
}
