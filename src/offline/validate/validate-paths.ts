import { readFile } from 'node:fs/promises';
import { objectKey, parseApiVersion } from '../../gateway-api/index.ts';
import {
  type Cause,
  findManifestFiles,
  type Manifest,
  type ObjectValidator,
  parseManifests,
  pathText,
  type Verdict,
} from '../../sources/index.ts';
import type { Finding, PassedOver, Place } from './finding.ts';

export interface ValidateSettings {
  /** Objects of kinds that are not read are errors. */
  readonly strict?: boolean;
  /** Called with each object of a kind that is read, `KIND NAMESPACE/NAME`, and its place. */
  readonly onObject?: (id: string, place: Place) => void;
}

export interface ValidationReport {
  /** No errors; warnings do not count. */
  readonly valid: boolean;
  readonly files: number;
  /** Objects of kinds that are read. */
  readonly objects: number;
  /** Objects of kinds that are not read, by apiVersion and kind. */
  readonly passedOver: readonly PassedOver[];
  /** By file and place. */
  readonly findings: readonly Finding[];
}

/**
 * Judges every manifest of some files and directories as a source does that reads them together: schema, rules, and whether an object is there
 * twice. Rejects with the file system's error for a path that cannot be read.
 */
export async function validatePaths(
  paths: readonly string[],
  validator: ObjectValidator,
  settings: ValidateSettings = {},
): Promise<ValidationReport> {
  const files = new Set<string>();
  for (const path of paths) for (const file of await findManifestFiles(path)) files.add(file);
  const judge = new Judge(validator, settings);
  for (const file of files) judge.file(file, await readFile(file, 'utf8'));
  const findings = sortFindings(judge.findings);
  const valid = !findings.some(({ severity }) => severity === 'error');
  return { valid, files: files.size, objects: judge.objects, passedOver: judge.passedOver(), findings };
}

/** By file and place. */
export const sortFindings = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Collects what there is to say about files, one after the other. */
class Judge {
  readonly findings: Finding[] = [];
  objects = 0;
  readonly #validator: ObjectValidator;
  /** Where each object was first seen. */
  readonly #seen = new Map<string, string>();
  readonly #strict: boolean;
  readonly #onObject: ValidateSettings['onObject'];
  readonly #passedOver = new Map<string, PassedOver>();

  constructor(validator: ObjectValidator, { strict = false, onObject }: ValidateSettings) {
    this.#validator = validator;
    this.#strict = strict;
    this.#onObject = onObject;
  }

  file(file: string, text: string): void {
    const { manifests, errors } = parseManifests(text);
    const hint = 'nothing of this document is read until it is fixed';
    for (const { line, column, message } of errors)
      this.findings.push({ severity: 'error', file, line, column, path: '', message, hint });
    for (const manifest of manifests) this.#manifest(file, manifest, this.#validator.validate(manifest.value));
  }

  passedOver(): PassedOver[] {
    return [...this.#passedOver.values()].sort(
      (a, b) => compare(a.apiVersion, b.apiVersion) || compare(a.kind, b.kind),
    );
  }

  #manifest(file: string, manifest: Manifest, verdict: Verdict): void {
    const id = idOf(verdict);
    if (id !== undefined) this.#count(file, manifest, id);
    if (verdict.result === 'valid') return;
    for (const cause of this.#causes(manifest.value, verdict)) {
      const place = { severity: this.#severity(verdict), file, ...manifest.locate(cause.path) } as const;
      const words = this.#words(cause, manifest.value, verdict);
      this.findings.push({ ...place, ...(id !== undefined && { object: id }), path: pathText(cause.path), ...words });
    }
  }

  #severity(verdict: Verdict): Finding['severity'] {
    return verdict.result === 'ignored' && !verdict.isUnknown && !this.#strict ? 'warning' : 'error';
  }

  #causes(value: unknown, verdict: Exclude<Verdict, { readonly result: 'valid' }>): readonly Cause[] {
    if (verdict.result !== 'ignored' || verdict.isUnknown) return verdict.causes;
    const { apiVersion, kind } = value as { readonly apiVersion: string; readonly kind: string };
    const id = `${apiVersion} ${kind}`;
    this.#passedOver.set(id, { apiVersion, kind, count: (this.#passedOver.get(id)?.count ?? 0) + 1 });
    if (!this.#strict || verdict.causes.length > 0) return verdict.causes;
    return [{ path: ['kind'], message: `${kind} of ${apiVersion} is not read; --strict makes that an error` }];
  }

  #count(file: string, manifest: Manifest, id: string): void {
    this.objects += 1;
    const { line, column } = manifest.locate([]);
    const first = this.#seen.get(id);
    if (first === undefined) {
      this.#seen.set(id, `${file}:${line}:${column}`);
      this.#onObject?.(id, { file, line, column });
      return;
    }
    const message = `is there twice; the one at ${first} counts`;
    const hint = 'remove one of the two, or give it another name';
    this.findings.push({ severity: 'error', file, line, column, object: id, path: '', message, hint });
  }

  /** A suggestion, when there is one, else what the field is for. */
  #words({ path, message }: Cause, value: unknown, verdict: Verdict): Pick<Finding, 'message' | 'hint'> {
    const [fault = '', suggestion] = message.split(/; (?=did you mean )/);
    if (suggestion !== undefined) return { message: fault, hint: suggestion };
    if (verdict.result !== 'invalid') return { message };
    const { apiVersion } = value as { readonly apiVersion: string };
    const about = this.#validator.explain(verdict.kind, parseApiVersion(apiVersion).version, path);
    return about === undefined ? { message } : { message, hint: about };
  }
}

function idOf(verdict: Verdict): string | undefined {
  if (verdict.result === 'valid')
    return `${verdict.kind.name} ${objectKey(verdict.object.metadata.namespace, verdict.object.metadata.name)}`;
  if (verdict.result === 'invalid') return `${verdict.kind.name} ${objectKey(verdict.id.namespace, verdict.id.name)}`;
  return undefined;
}
