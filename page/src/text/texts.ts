import { computed, signal } from '@preact/signals';

/** Texts of one part of the page: words, or functions that put values into a whole sentence. */
type Catalogue = Readonly<Record<string, string | ((...values: never[]) => string)>>;

/** The same keys, each with the same parameters. */
type Translated<C extends Catalogue> = {
  readonly [K in keyof C]: C[K] extends (...values: infer V) => string ? (...values: V) => string : string;
};

export type Language = 'en' | 'de';
export const languages: readonly Language[] = ['en', 'de'];

const stored = 'gatewright.language';

const preferred = (): Language => {
  const kept = localStorage.getItem(stored);
  if (kept === 'en' || kept === 'de') return kept;
  return navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en';
};

/** The language of the page. Messages of the API stay English and are marked so. */
export const language = signal<Language>(preferred());

export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(stored, chosen);
  language.value = chosen;
}

/** Both languages of a part of the page. The call of the result gives the texts in the present language. */
export function texts<C extends Catalogue>(en: C, de: Translated<C>): () => Translated<C> {
  return () => (language.value === 'de' ? de : (en as unknown as Translated<C>));
}

const locale = computed(() => (language.value === 'de' ? 'de-DE' : 'en-GB'));

/** A count, with separators. */
export const count = (value: number): string => new Intl.NumberFormat(locale.value).format(value);

/** With at most `digits` behind the point. */
export const decimal = (value: number, digits = 1): string =>
  new Intl.NumberFormat(locale.value, { maximumFractionDigits: digits }).format(value);

/** How many a second; a few are not none. */
export const rate = (perSecond: number): string =>
  perSecond > 0 && perSecond < 0.1 ? `< ${decimal(0.1)}` : decimal(perSecond);

const lengths: readonly (readonly [unit: string, ms: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
];

/** A length of time in the largest unit that it is a whole number of: "10 seconds". */
export function duration(ms: number): string {
  const [unit, size] = lengths.find(([, each]) => ms % each === 0) ?? ['millisecond', 1];
  return new Intl.NumberFormat(locale.value, { style: 'unit', unit, unitDisplay: 'long' }).format(ms / size);
}

/** A share from 0 to 1, as a percentage. */
export const percent = (share: number): string =>
  new Intl.NumberFormat(locale.value, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(share);

/** The time of day, with seconds. */
export const timeOfDay = (at: Date): string =>
  new Intl.DateTimeFormat(locale.value, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(at);

/** The day, without the time. */
export const day = (at: Date): string => new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium' }).format(at);

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** How long before or after `now`, in the largest unit that fits: "3 minutes ago". */
export function ago(at: Date, now: Date = new Date()): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000);
  const [unit, size] = units.find(([, least]) => Math.abs(seconds) >= least) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(locale.value, { numeric: 'auto' }).format(Math.trunc(seconds / size), unit);
}

/** One of two forms, by the number. Source: CLDR plural rules; both languages have `one` and `other`. */
export const plural = (value: number, one: string, other: string): string =>
  `${count(value)} ${new Intl.PluralRules(locale.value).select(value) === 'one' ? one : other}`;
