import { conditionReasons } from '../../../../gateway-api/index.ts';
import { problemCodes, responseFlags } from '../../../../problems/index.ts';
import { type Language, languageOf } from './language.ts';
import type { Concept } from './lexicon.ts';
import { type TimeSpan, timeSpanIn } from './time-span.ts';
import { type Word, wordsOf } from './words.ts';
import { type AskedRequest, plainly, readWritten, type WrittenObject } from './written.ts';

/** A question as far as it can be read without looking at what there is. */
export interface Question {
  readonly text: string;
  readonly language: Language | undefined;
  readonly request: AskedRequest | undefined;
  readonly objects: readonly WrittenObject[];
  /** Status codes of answers, such as 404. */
  readonly statuses: readonly number[];
  /** Response flags, reasons and codes of problems. */
  readonly codes: readonly string[];
  readonly time: TimeSpan | undefined;
  readonly words: readonly Word[];
  readonly concepts: ReadonlySet<Concept>;
  /** Words that may be names: unknown ones, and those behind the name of a kind. */
  readonly candidates: readonly string[];
  readonly isHowTo: boolean;
  readonly maybeHowTo: boolean;
  /** It goes on with what was said before: "and why?", "und für shop?". */
  readonly isElliptical: boolean;
  /** It speaks of "it". */
  readonly hasPronoun: boolean;
  readonly isGreeting: boolean;
  /** It orders something, or wants the rules changed. */
  readonly isOrder: boolean;
}

const howTo = new RegExp(
  [
    /\bhow (?:do|does|can|could|should|would|to|must|might)\b/,
    /\bhow (?:is|are) [\w -]+ (?:configured|set up|done|enabled|set|written)\b/,
    /\bwie (?:kann|koennen|koennte|richte|mache|stelle|konfiguriere|setze|aktiviere|erstelle|baue|schreibe|leite|sieht|geht|bekomme|schalte|lege|begrenze|verteile|installiere|aktualisiere|erneuere|spiegele|erlaube|sorge|verwende|nutze|definiere|erreiche|fuege|teile|funktioniert|aendere|ersetze|wiederhole|schuetze)\b/,
    /\bwie (?:wird|werden) [\w -]+ (?:konfiguriert|eingerichtet|eingestellt|gemacht|gesetzt)\b/,
    /\bwhere (?:do|can|should|would) (?:i|we|one|you) (?:set|configure|change|put|define|find|enable|write|see|add)\b/,
    /\bwhere (?:is|are) (?:the )?[\w -]+ (?:configured|set|defined|documented)\b/,
    /\bwo (?:kann|stelle|setze|konfiguriere|aendere|finde|definiere|trage|lege|steht|schalte|sehe)\b/,
    /\b(?:examples?|beispiele?n?|docs|documentation|doku|dokumentation|handbuch|manual|tutorial|anleitung)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
);
/** Asks whether there is a way, or something else. */
const maybeHowTo =
  /\b(?:is there a way|ist es moeglich|is it possible|unterstuetzt|supports?|supported|can (?:i|we|gatewright)|kann (?:ich|man|gatewright))\b/;
const elliptical =
  /^\s*(?:and|und|what about|how about|same for|the same for|wie ist es mit|wie sieht es (?:mit|bei)|was ist mit|also|ok and|but|aber|auch|then|dann|or|oder)\b|^\s*(?:but |and |und |aber )?(?:why|warum|wieso|weshalb)(?: that| is that| so| not| das| denn| nicht| ist das so)?\s*[?!.]*\s*$/;
const pronoun =
  /\b(?:it|its|they|them|ihn|ihm|davon|daran|damit|dafuer|dessen|ist es|es ist|ist das|das da|beheb\w* (?:ich|wir|man) das)\b/;
const greeting =
  /^\s*(?:hello|hi|hey|good (?:morning|evening|night)|hallo|moin|servus|guten (?:morgen|tag|abend)|gruess gott|thanks|thank you|danke|thx|bye|tschuess)\b[\s\w]{0,20}[!.,?\s]*$/;
const orders = [
  /\b(?:ignore|disregard|forget|override|ignorier\w*|vergiss|missachte\w*|umgehe)\b.{0,40}\b(?:rules?|instructions?|prompt|previous|above|everything|all|regeln?|anweisungen|vorgaben|bisherige\w*|alles)\b/,
  /\b(?:you are now|du bist (?:jetzt|nun|ab jetzt)|act as|pretend|system prompt|jailbreak|developer mode|reveal your)\b/,
  /^\s*(?:please |bitte |now |jetzt |just |can you |could you |kannst du (?:bitte |mal )?|koenntest du )*(?:delete|remove|drop|create|apply|scale|restart|roll back|rollback|patch|deploy|kill|disable|enable|update|change|set|make|add|loesche?|entferne|erstelle|lege|skaliere|starte|aendere|setze|deaktiviere|aktiviere|wende|rolle)\b/,
  /\bkannst du\b.*\b(?:loeschen|entfernen|erstellen|anlegen|aendern|neustarten|skalieren|anwenden)\b/,
];
const codeNames = new Map(
  [...Object.keys(conditionReasons), ...Object.keys(problemCodes)].map((code) => [code.toLowerCase(), code]),
);
/** Reasons that are words of every day too. */
const plainReasons: ReadonlySet<string> = new Set(['accepted', 'programmed', 'invalid', 'pending', 'conflicted']);

export function readQuestion(text: string, now: Date): Question {
  const { request, objects, rest } = readWritten(text);
  const plain = plainly(text);
  const time = timeSpanIn(rest, now);
  const remaining = time === undefined ? rest : rest.replace(time.words, ' ');
  const all = wordsOf(remaining);
  const codes = codesIn(text, all);
  const statuses = [
    ...new Set(
      all
        .map(({ text: word }) => Number(word))
        .filter((status) => status >= 300 && status < 600 && Number.isInteger(status)),
    ),
  ];
  const words = all.filter(
    ({ text: word }) => !statuses.includes(Number(word)) && !codes.some((code) => code.toLowerCase() === word),
  );
  return {
    text,
    language: languageOf(text),
    request,
    objects,
    statuses,
    codes,
    time,
    words,
    concepts: new Set(words.flatMap(({ concepts }) => concepts)),
    candidates: candidatesIn(words),
    isHowTo: howTo.test(rest),
    maybeHowTo: maybeHowTo.test(rest),
    isElliptical: elliptical.test(plain),
    hasPronoun: pronoun.test(plain),
    isGreeting: greeting.test(plain),
    isOrder: orders.some((order) => order.test(plain)),
  };
}

function codesIn(text: string, words: readonly Word[]): string[] {
  const means = words.some(({ concepts }) => concepts.includes('mean'));
  const found: string[] = [];
  for (const word of text.match(/[A-Za-z][A-Za-z0-9_]*/g) ?? []) {
    const flag = word === word.toUpperCase() || means ? word.toUpperCase() : '';
    const name = codeNames.get(word.toLowerCase());
    if (Object.hasOwn(responseFlags, flag) && !everyday.has(word)) found.push(flag);
    else if (name !== undefined && (means || !plainReasons.has(word.toLowerCase())) && word.length > 3)
      found.push(name);
  }
  return [...new Set(found)].slice(0, 4);
}

/** Words that are spelled as a flag is, in small letters or as an abbreviation. */
const everyday: ReadonlySet<string> = new Set([
  'do',
  'nc',
  'no',
  'in',
  'um',
  'im',
  'da',
  'so',
  'up',
  'di',
  'si',
  'rl',
  'lr',
  'ur',
  'om',
  'or',
  'at',
]);

const kindConcepts: ReadonlySet<Concept> = new Set<Concept>([
  'httproute',
  'grpcroute',
  'tcproute',
  'udproute',
  'tlsroute',
  'route',
  'gateway',
  'listener',
  'listenerset',
  'service',
  'class',
  'namespace',
  'certificate',
  'secret',
  'node',
  'policy',
  'accesspolicy',
  'backendpolicy',
  'listenerpolicy',
  'tokenpolicy',
  'backendtlspolicy',
  'referencegrant',
  'aiservice',
]);

/** Of which kind a word is a name. */
export const isKind = (concept: Concept): boolean => kindConcepts.has(concept);

/** Words that nothing is known of, those that might be a typing error, and those that follow a kind or stand before one. */
function candidatesIn(words: readonly Word[]): string[] {
  const found = words.filter(({ text, concepts, isCorrected }, at) => {
    if (text.length < 2 || text.length > 253) return false;
    if (concepts.length === 0 || isCorrected) return true;
    const beside = [words[at - 1], words[at + 1]];
    return !concepts.some(isKind) && beside.some((word) => word?.concepts.some(isKind));
  });
  return [...new Set(found.map(({ text }) => text))].slice(0, 10);
}
