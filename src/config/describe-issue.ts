import * as z from 'zod';
import { nearestKey, redactedText } from '../std/index.ts';
import { ConfigError } from './config-error.ts';
import type { ConfigDocument } from './document.ts';

/** The first fault of a configuration as one line: file, line, key, what was expected, what to do. */
export function configErrorOf(error: z.ZodError, document: ConfigDocument, schema: z.ZodType): ConfigError {
  const [issue] = error.issues;
  if (issue === undefined) throw new Error('a failed parse without an issue', { cause: error });
  const sentence =
    issue.code === 'unrecognized_keys' ? unknownKey(issue, document, schema) : wrongValue(issue, document);
  const more = error.issues.length - 1;
  return new ConfigError(more === 0 ? sentence : `${sentence} (and ${more} more ${more === 1 ? 'fault' : 'faults'})`, {
    cause: error,
  });
}

function unknownKey(issue: z.core.$ZodIssueUnrecognizedKeys, document: ConfigDocument, schema: z.ZodType): string {
  const key = issue.keys[0] as string;
  const place = document.place([...issue.path, key]);
  const known = knownKeys(schema, issue.path);
  const nearest = nearestKey(key, known);
  const advice = nearest === undefined ? `known keys here are ${known.join(', ')}` : `did you mean ${nearest}?`;
  return `${document.file}:${place.line}: ${place.key}: unknown key; ${advice}`;
}

function wrongValue(issue: z.core.$ZodIssue, document: ConfigDocument): string {
  const { line, key, written } = document.place(issue.path);
  const expected = issue.code === 'invalid_type' && issue.expected === 'object' ? 'keys and values' : issue.message;
  const got = shown(key, written);
  return `${document.file}:${line}: ${key === '' ? '' : `${key}: `}expected ${expected}${got === undefined ? '' : `, got ${got}`}; correct this line`;
}

// What stands in the file, so that the value of an environment variable never shows; a token written out does not either.
function shown(key: string, written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  const isSecret = /token|secret|password|authorization|apikey/i.test(key) || /:\/\/[^/]*@/.test(written);
  if (isSecret && !written.includes('${')) return redactedText;
  return JSON.stringify(written.length > 80 ? `${written.slice(0, 80)}…` : written);
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema | undefined;
  for (const part of path) at = at?.properties?.[String(part)];
  return Object.keys(at?.properties ?? {});
}
