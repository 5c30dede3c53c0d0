import { RE2JS } from '@bufbuild/re2';
import { nginxRegex } from '../model/regex.ts';
import type { ModelRequest } from '../model/request.ts';
import type { Directive } from './parse.ts';

/** A condition of `if` on one thing that requests say. */
export interface Condition {
  /** The header in lower case; undefined: the method. */
  readonly header: string | undefined;
  /** `set`: it is neither empty nor 0. */
  readonly how: 'equals' | 'matches' | 'set';
  readonly isNegated: boolean;
  readonly ignoresCase: boolean;
  readonly value: string;
}

const operator = /^(?<negation>!?)(?<kind>=|~\*?)$/;
/** Headers that are not always one text as the client sent it, or are set on the way. */
const otherHeaders = /^(?:host|cookie|connection|x-forwarded-.*|x-real-ip|x-request-id)$/;
const printable = /^[\x20-\x26\x28-\x7e]{0,200}$/;

/** The condition between the parentheses of `if`; undefined if it has no equivalent here. */
function conditionOf(args: readonly string[]): Condition | undefined {
  const [first, sign = '', ...values] = wordsOf(args);
  const variable = /^\$(?:(?<method>request_method)|http_(?<name>[a-z0-9_]+))$/.exec(first ?? '')?.groups;
  if (variable === undefined || values.length > 1) return undefined;
  const header = variable.method === undefined ? variable.name?.replaceAll('_', '-') : undefined;
  if (header !== undefined && otherHeaders.test(header)) return undefined;
  if (sign === '') return { header, how: 'set', isNegated: false, ignoresCase: false, value: '' };
  const { negation, kind } = operator.exec(sign)?.groups ?? {};
  const [value] = values;
  if (kind === undefined || value === undefined || !printable.test(value)) return undefined;
  const how = kind === '=' ? 'equals' : 'matches';
  if (how === 'equals' ? value.includes('$') : !isExpression(kind === '~*' ? `(?i)${value}` : value)) return undefined;
  return { header, how, isNegated: negation === '!', ignoresCase: kind === '~*', value };
}

/** Without the parentheses, which may stand by themselves or at a word. */
function wordsOf(args: readonly string[]): readonly string[] {
  const [first = '', ...rest] = args;
  if (!first.startsWith('(') || !args.at(-1)?.endsWith(')')) return [];
  const words = [first.slice(1), ...rest];
  return [...words.slice(0, -1), words.at(-1)?.slice(0, -1) ?? ''].filter((word) => word !== '');
}

/** It means the same to PCRE, to RE2 and to the model, and is small enough for a proxy to try on each request. */
function isExpression(text: string): boolean {
  const bare = text.replace(/^\(\?i\)/, '');
  if (/\\["'\\trn]|\(\?|\{/.test(bare) || 'fault' in nginxRegex(bare)) return false;
  try {
    return new RE2JS(text).re2Input.prog.inst.map(weightOf).reduce((a, b) => a + b, 0) <= mostWeight;
  } catch {
    return false;
  }
}

/** Below what an AccessPolicy takes, which counts what may stand for more than ASCII twelve times: letters in either case, too. */
const mostWeight = 80;
const ofWide = 12;
const weightOf = ({
  op,
  arg,
  runes,
}: {
  readonly op: number;
  readonly arg: number;
  readonly runes: readonly number[];
}): number => {
  const ranges = Math.max(1, Math.ceil(runes.length / 2));
  const isWide = anyCharacter.has(op) || runes.some((rune) => rune > 0x7f) || (runes.length === 1 && arg % 2 === 1);
  return isWide ? ofWide * ranges : ranges;
};
/** Operations of RE2JS for any character, with or without ends of lines. */
const anyCharacter: ReadonlySet<number> = new Set([10, 11]);

/** Whether the condition holds for a request; `unknown`: only nginx can say. */
export function holds(
  { header, how, isNegated, ignoresCase, value }: Condition,
  request: ModelRequest,
): boolean | 'unknown' {
  const text = header === undefined ? request.method : (request.headers.find(([name]) => name === header)?.[1] ?? '');
  if (how === 'set') return text !== '' && text !== '0';
  if (how === 'equals') return (text === value) !== isNegated;
  const regex = nginxRegex(value, { ignoresCase });
  const match = 'fault' in regex ? 'unknown' : regex.match(text);
  return match === 'unknown' ? 'unknown' : (match !== undefined) !== isNegated;
}

/** An expression of CEL that holds where the condition does not. A header that is missing is an empty text in nginx, and an error in CEL. */
export function unlessOf(condition: Condition): string {
  const { header } = condition;
  if (header === undefined) return failing(condition, 'request.method');
  const name = literal(header);
  const ofMissing = holds(condition, { method: '', scheme: 'http', host: '', target: '/', headers: [] }) === false;
  return `(${name} in request.headers ? ${failing(condition, `request.headers[${name}]`)} : ${ofMissing})`;
}

function failing({ how, isNegated, ignoresCase, value }: Condition, text: string): string {
  if (how === 'set') return `(${text} == '' || ${text} == '0')`;
  if (how === 'equals') return `${text} ${isNegated ? '==' : '!='} ${literal(value)}`;
  return `${isNegated ? '' : '!'}${text}.matches(${literal(ignoresCase ? `(?i)${value}` : value)})`;
}

const literal = (text: string): string => `'${text.replaceAll('\\', '\\\\')}'`;

/** `if (…) { return 403; }` with any such status: its condition, and the status. */
export function rejectionOf(
  { name, args, body }: Directive,
  parse: (text: string) => readonly Directive[],
): { readonly condition: Condition; readonly status: number } | undefined {
  const inner = name === 'if' && body !== undefined ? parse(body) : [];
  const [only] = inner;
  const status = Number(only?.args[0]);
  if (inner.length !== 1 || only?.name !== 'return' || only.hasBlock || only.args.length > 2) return undefined;
  const condition = status >= 400 && status < 500 ? conditionOf(args) : undefined;
  return condition && { condition, status };
}
