import type { KubernetesObject } from '../../gateway-api/index.ts';
import { type Manifest, type ParsedFile, type Position, parseManifests } from './manifest.ts';
import { type Entry, idOf, storeId } from './object-store.ts';
import type { Problem } from './problem.ts';
import { type Cause, type FindOld, type ObjectValidator, pathText, type Verdict } from './validate/index.ts';

/** What one content of one file says. */
export interface FileContent {
  /** Valid objects by id. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** Ids of objects that are in the file but wrong. */
  readonly invalid: ReadonlySet<string>;
  /** What closes the targets of some of them. */
  readonly closers: readonly Closer[];
  /** Something might be an object: nothing may be taken as removed. */
  readonly unclear: boolean;
  readonly problems: readonly Problem[];
}

/** An object that is served while no version is known of one that is wrong. */
export interface Closer {
  readonly id: string;
  readonly object: KubernetesObject;
  readonly position: Position;
}

/** Parses and judges a file's text. */
export const readContent = (file: string, text: string, validator: ObjectValidator, findOld: FindOld): FileContent =>
  judgeContent(file, parseManifests(text), validator, findOld);

/** Judges what a file says. */
export function judgeContent(
  file: string,
  { manifests, errors }: ParsedFile,
  validator: ObjectValidator,
  findOld: FindOld,
): FileContent {
  const content = new Content(file);
  for (const { line, column, message } of errors) content.broken({ severity: 'error', file, line, column, message });
  for (const manifest of manifests) content.add(manifest, validator.validate(manifest.value, findOld));
  const { entries, invalid, closers, unclear, problems } = content;
  return { entries, invalid, closers, unclear, problems };
}

class Content implements FileContent {
  readonly entries = new Map<string, Entry>();
  readonly invalid = new Set<string>();
  readonly closers: Closer[] = [];
  readonly problems: Problem[] = [];
  unclear = false;
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  broken(problem: Problem): void {
    this.unclear = true;
    this.problems.push(problem);
  }

  add(manifest: Manifest, verdict: Verdict): void {
    switch (verdict.result) {
      case 'valid':
        this.#valid(manifest, { kind: verdict.kind, object: verdict.object, position: manifest.locate([]) });
        break;
      case 'invalid':
        this.#invalid(manifest, storeId(verdict.kind, verdict.id), verdict);
        break;
      case 'unidentified':
        for (const { path, message } of verdict.causes) this.broken(this.#problem('error', manifest, path, message));
        break;
      case 'ignored':
        for (const { path, message } of verdict.causes)
          this.problems.push(this.#problem('warning', manifest, path, message));
    }
  }

  #valid(manifest: Manifest, entry: Entry): void {
    const id = idOf(entry);
    const first = this.entries.get(id);
    if (first === undefined) {
      this.entries.set(id, entry);
      return;
    }
    const { line, column } = first.position;
    const message = `is in this file twice; the one at ${this.#file}:${line}:${column} counts`;
    this.problems.push(this.#problem('error', manifest, [], message, id));
  }

  #invalid(manifest: Manifest, id: string, { causes, closer }: Extract<Verdict, { readonly result: 'invalid' }>): void {
    this.invalid.add(id);
    if (closer) this.closers.push({ id, object: closer, position: manifest.locate([]) });
    for (const { path, message } of causes) {
      const place = pathText(path);
      this.problems.push(this.#problem('error', manifest, path, place === '' ? message : `${place}: ${message}`, id));
    }
  }

  #problem(
    severity: Problem['severity'],
    manifest: Manifest,
    path: Cause['path'],
    message: string,
    object?: string,
  ): Problem {
    const position = manifest.locate(path);
    return { severity, file: this.#file, ...position, ...(object === undefined ? {} : { object }), message };
  }
}
