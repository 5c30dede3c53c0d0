/**
 * Checks that rooms import each other only as import-rules.ts allows, and nothing deeper than their index.ts, or that of a part that is a face of its own.
 * Tests may look into every room.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { type ImportRule, importRules, openToAll } from './import-rules.ts';

const CHECKED = ['src', 'bin', 'bench', 'examples'];

/** `import … from '…'`, `export … from '…'`, `import '…'`, `import('…')`; group 1 is `type ` where it says so. */
const IMPORT =
  /\b(?:import|export)\s+(type\s+)?(?:[\w*\s{},$]+?\s+from\s+)?['"](\.[^'"]+)['"]|\bimport\(\s*['"](\.[^'"]+)['"]/g;

/**
 * Every import below `root` that breaks a rule, one line each: file, line, what is wrong.
 * @param root a folder with src and bin
 */
export function findForbiddenImports(
  root: string,
  rules: Readonly<Record<string, ImportRule>> = importRules,
): readonly string[] {
  return CHECKED.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => sourcesBelow(root, folder))
    .flatMap((file) => faultsOf(file, readFileSync(join(root, file), 'utf8'), rules));
}

/** The source files below a folder that are not generated. */
export function sourcesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => /\.[cm]?[jt]s$/.test(file) && !file.includes(`${sep}gen${sep}`))
    .sort();
}

function faultsOf(file: string, source: string, rules: Readonly<Record<string, ImportRule>>): string[] {
  return importsOf(file, source).flatMap(({ target, typeOnly, line }) => {
    const fault = faultOf(file, target, typeOnly, rules);
    return fault === undefined ? [] : [`${file}:${line}: ${fault}`];
  });
}

/** An import of a file of ours, by its path below the root. */
export interface FileImport {
  readonly target: string;
  /** By `import type`, which is gone when the program runs. */
  readonly typeOnly: boolean;
  /** By `import(…)`, which loads it only when that line runs. */
  readonly isLazy: boolean;
  readonly line: number;
}

/** What a file imports by a relative path. */
export function importsOf(file: string, source: string): readonly FileImport[] {
  const code = withoutComments(source);
  return [...code.matchAll(IMPORT)].map((match) => ({
    target: normalize(join(dirname(file), (match[2] ?? match[3]) as string)),
    typeOnly: match[1] !== undefined,
    isLazy: match[3] !== undefined,
    line: code.slice(0, match.index).split('\n').length,
  }));
}

/** Keeps the line breaks, so that lines can be counted. */
function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '));
}

function faultOf(
  file: string,
  target: string,
  typeOnly: boolean,
  rules: Readonly<Record<string, ImportRule>>,
): string | undefined {
  const from = roomOf(file, rules);
  const to = roomOf(target, rules);
  if (from !== undefined && !ruleOf(from, rules)) return `src/${from} has no rule in scripts/import-rules.ts`;
  if (to === undefined) return from === undefined ? undefined : outsideOf(from, target);
  if (from === to) return undefined;
  const face = faceOf(target, to, rules);
  if (face === undefined) return `imports ${target}, deeper than src/${to}/index.ts`;
  if (from === undefined) return undefined;
  const rule = ruleOf(from, rules) as ImportRule;
  if (rule.any === 'all' || openToAll.includes(face) || includes(rule.any, face)) return undefined;
  if (includes(rule.types ?? [], face))
    return typeOnly ? undefined : `src/${from} may import types only from src/${face}`;
  return `src/${from} may not import src/${face}`;
}

/** Which public face of a room a file is: `room`, or `room/part` where a rule speaks of it; undefined for any other file. */
function faceOf(target: string, room: string, rules: Readonly<Record<string, ImportRule>>): string | undefined {
  if (target === join('src', room, 'index.ts')) return room;
  const part = dirname(target).split(sep).slice(1).join('/');
  const named = Object.values(rules).flatMap(({ any, types = [] }) => [...(any === 'all' ? [] : any), ...types]);
  return [...openToAll, ...named].includes(part) && target === join('src', part, 'index.ts') ? part : undefined;
}

/** A room's own rule, or the one that it shares with all folders beside it: `folder/*`. */
const ruleOf = (room: string, rules: Readonly<Record<string, ImportRule>>): ImportRule | undefined =>
  rules[room] ?? rules[anyBeside(room)];

const anyBeside = (room: string): string => `${dirname(room)}/*`;

const includes = (rooms: readonly string[], face: string): boolean =>
  rooms.includes(face) || rooms.includes(anyBeside(face));

const outsideOf = (from: string, target: string) => `src/${from} may not import ${target}, which is outside of src`;

/** The room that a file is in: the innermost folder of src with a rule, else, to say that it has none, the outermost. */
function roomOf(file: string, rules: Readonly<Record<string, ImportRule>>): string | undefined {
  const [top, ...folders] = dirname(file).split(sep);
  if (top !== 'src') return undefined;
  const rooms = folders.map((_, depth) => folders.slice(0, folders.length - depth).join('/'));
  return rooms.find((room) => ruleOf(room, rules)) ?? folders[0];
}
