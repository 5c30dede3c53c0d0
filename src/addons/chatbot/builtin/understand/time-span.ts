/** A time that a question speaks of: everything since then. */
export interface TimeSpan {
  readonly since: Date;
  /** The words that said it. */
  readonly words: string;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const units: readonly (readonly [RegExp, number])[] = [
  [/^(?:s$|sec|sek)/, 1000],
  [/^(?:mo|monat)/, 30 * dayMs],
  [/^(?:m$|min)/, minuteMs],
  [/^(?:h|hour|stunde|std)/, hourMs],
  [/^(?:d|day|tag)/, dayMs],
  [/^(?:w|week|woche)/, 7 * dayMs],
];

const numbers: Readonly<Record<string, number>> = {
  one: 1,
  a: 1,
  an: 1,
  two: 2,
  three: 3,
  five: 5,
  ten: 10,
  half: 0.5,
  ein: 1,
  eine: 1,
  einer: 1,
  zwei: 2,
  drei: 3,
  fuenf: 5,
  zehn: 10,
  zwoelf: 12,
  halbe: 0.5,
  halben: 0.5,
};

const unit =
  '(s|secs?|seconds?|sekunden?|m|mins?|minutes?|minuten?|h|hours?|stunden?|std|d|days?|tage?n?|weeks?|wochen?|months?|monate?n?)';
const amount = `(\\d{1,4}|${Object.keys(numbers).join('|')})`;

type Reading = readonly [RegExp, (match: RegExpExecArray, now: Date) => number];

/** From words to milliseconds since 1970. Times of the day are UTC, as all times that this program writes. */
const readings: readonly Reading[] = [
  [
    new RegExp(
      `\\b(?:last|past|previous|letzten?|vergangenen?|in den|seit)\\s+(?:den\\s+|the\\s+)?(?:letzten\\s+)?${amount}\\s*${unit}\\b`,
    ),
    ago,
  ],
  [new RegExp(`\\b(?:vor)\\s+${amount}\\s*${unit}\\b`), ago],
  [new RegExp(`\\b${amount}\\s*${unit}\\s+(?:ago|lang)\\b`), ago],
  [new RegExp(`\\bfor\\s+${amount}\\s*${unit}\\b`), ago],
  [
    new RegExp(`\\b(?:last|past|previous|this|letzte[rnm]?|vergangene[rnm]?|diese[rnm]?)\\s+${unit}\\b`),
    ([, word = ''], now) => now.getTime() - lengthOf(word),
  ],
  [
    /\b(?:since|seit|ab|from|after|nach)\s+(\d{4}-\d\d-\d\dt\d\d:\d\d(?::\d\d(?:\.\d+)?)?z?)/,
    ([, text = '']) => Date.parse(/z$/.test(text) ? text.toUpperCase() : `${text.toUpperCase()}Z`),
  ],
  [/\b(?:since|seit|ab|from|after|nach)\s+(\d{4}-\d\d-\d\d)\b/, ([, text = '']) => Date.parse(text)],
  [/\b(?:since|seit|ab|from|after|nach)\s+(?:um\s+)?(\d{1,2})(?::(\d\d))?\s*(am|pm|uhr|h)?\b/, clock],
  [/\b(?:yesterday|gestern)\b/, (_, now) => midnight(now) - dayMs],
  [/\b(?:today|heute|tonight|this morning|midnight|mitternacht)\b/, (_, now) => midnight(now)],
  [/\b(?:just now|gerade eben|soeben)\b/, (_, now) => now.getTime() - 10 * minuteMs],
];

/** The time that the question speaks of; undefined when it speaks of none. `text` is in small letters, umlauts written out. */
export function timeSpanIn(text: string, now: Date): TimeSpan | undefined {
  for (const [pattern, read] of readings) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const at = read(match, now);
    if (Number.isFinite(at) && at <= now.getTime()) return { since: new Date(Math.max(0, at)), words: match[0] };
  }
  return undefined;
}

function ago([, count = '', word = '']: RegExpExecArray, now: Date): number {
  return now.getTime() - (numbers[count] ?? Number(count)) * lengthOf(word);
}

const lengthOf = (word: string): number => units.find(([pattern]) => pattern.test(word))?.[1] ?? Number.NaN;

/** The last time that the clock showed it. */
function clock([, hours = '', minutes = '0', half]: RegExpExecArray, now: Date): number {
  const shown = Number(hours) + (half === 'pm' && Number(hours) < 12 ? 12 : 0);
  if (shown > 23 || Number(minutes) > 59) return Number.NaN;
  const at = midnight(now) + shown * hourMs + Number(minutes) * minuteMs;
  return at > now.getTime() ? at - dayMs : at;
}

const midnight = (now: Date): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
