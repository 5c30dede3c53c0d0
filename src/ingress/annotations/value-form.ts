import { isIP } from 'node:net';

/** What values an annotation takes. */
export type ValueForm =
  | 'boolean'
  | 'integer'
  | 'size'
  | 'text'
  | 'url'
  | 'path'
  | 'networks'
  | 'names'
  | 'codes'
  | 'reference'
  | 'directives'
  | { readonly oneOf: readonly string[] };

/** What is wrong with a value; undefined if the controller can use it. */
export function valueFault(form: ValueForm, value: string): string | undefined {
  if (typeof form === 'object')
    return form.oneOf.includes(value.trim().toLowerCase()) ? undefined : `it is not ${orOf(form.oneOf)}`;
  return checks[form](value) ? undefined : `it is not ${formText(form)}`;
}

/** A form in words: `true or false`. */
export const formText = (form: ValueForm): string => (typeof form === 'object' ? orOf(form.oneOf) : words[form]);

/** Go's `strconv.ParseBool`, by which the controller reads: `yes` and `on` are no booleans to it. */
export function parseBoolean(text: string): boolean | undefined {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : undefined;
}

/** Entries of a list with commas, without those that are empty. */
export const entriesOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** An address, or a network with the length of its prefix. Host bits may be set, as the controller allows it. */
function isNetwork(text: string): boolean {
  const { address = '', bits } = /^(?<address>[^/]*)(?:\/(?<bits>\d{1,3}))?$/.exec(text)?.groups ?? {};
  const family = isIP(address);
  return family !== 0 && (bits === undefined || Number(bits) <= (family === 4 ? 32 : 128));
}

const all = (entries: readonly string[], isGood: (entry: string) => boolean): boolean =>
  entries.length > 0 && entries.every(isGood);

const checks: Readonly<Record<Exclude<ValueForm, object>, (value: string) => boolean>> = {
  boolean: (value) => parseBoolean(value) !== undefined,
  integer: (value) => /^-?\d{1,10}$/.test(value.trim()),
  size: (value) => /^\d{1,10}[bkmg]?$/i.test(value.trim()),
  text: (value) => value.trim() !== '',
  url: (value) => /^(?:https?:\/\/|\/|\$)[^\s"'{};]*$/i.test(value.trim()),
  path: (value) => /^[^\s;{}"'#]+$/.test(value.trim()),
  networks: (value) => all(entriesOf(value), isNetwork),
  names: (value) => all(entriesOf(value), (entry) => /^[\w.*:/@^$~()[\]|+?\\-]+(?: [\w.*-]+)*$/.test(entry)),
  codes: (value) => all(entriesOf(value), (entry) => /^[1-5]\d\d$/.test(entry)),
  reference: (value) => /^(?:[a-z0-9][-a-z0-9.]*\/)?[a-z0-9][-a-z0-9.]*$/.test(value.trim()),
  directives: (value) => value.trim() !== '',
};

const words: Readonly<Record<Exclude<ValueForm, object>, string>> = {
  boolean: '`true` or `false`',
  integer: 'a whole number',
  size: 'a number of bytes, such as `8k` or `1m`',
  text: 'a text',
  url: 'a URL or a path',
  path: 'a path',
  networks: 'a list of addresses and networks, with commas',
  names: 'a list with commas',
  codes: 'a list of status codes, with commas',
  reference: 'a name, or `NAMESPACE/NAME`',
  directives: 'directives of nginx',
};

const orOf = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(' or ');
