/**
 * Words that this project does not use, with the word to use instead, and sentences that are too long. Names count as words:
 * they are split where the case changes. What is found already is counted in ratchet.json, and may only fall.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Findings } from './ratchet.ts';

/** Banned words in all their forms, the first of which names them; and what to write. */
const banned: readonly (readonly [forms: string, instead: string])[] = [
  ['whoever', 'the subject by name'],
  ['nobody, somebody, anybody, everybody', '"no client", "a user", "another controller"'],
  ['mend, mends, mended, mending', 'fix, correct'],
  ['becomes of, become of', 'happens to'],
  ['in the way of', 'prevents, displaces, conflicts with'],
  ['anew', 'again'],
  ['of account', 'affects'],
  ['be had', 'is not available'],
  ['told, tell, tells', 'report, reported'],
  ['wish, wishes, wished, wishing', 'desired'],
  ['makeup', 'provenance, origin'],
  ['settle, settles, settling, settlement', 'resolve; settled() for idle stays'],
  [
    'refuse, refuses, refused, refusal, refusals, refusing',
    'reject, rejection; nacked for what Envoy answers on the stream',
  ],
  ['heed, heeds, heeded, heeding', 'applies, handles'],
  ['unhear, forgive, forgives', 'releaseRemote, clear'],
  ['culprit, culprits', 'bisectRejection, or the cause by name'],
  ['last straw', 'lastAdded'],
  ['of the place, socket place, place retry, place retries', 'bind error, socket path, bind retries'],
  ['ruler, rulers', 'winner'],
  ['ladder, ladders, climb, climbs, climbed, leads on', 'fallthrough, continues'],
  ['asks first', 'preRoutingAuth'],
  ['surroundings', 'deps'],
  ['stream route, stream routes', 'L4 route'],
  ['in one piece, without room', 'flatten, trim'],
  ['shared parts', 'interner'],
  ['placed list, placed lists', 'ranked list'],
  ['stand in, stand ins', 'fake provider'],
  ['waiting input, waiting inputs', 'pending inputs'],
  ['keeps former', 'oldFleetGraceMs'],
  ['left fleet, left fleets', 'draining fleets'],
  ['give back memory', 'trim heap'],
  ['end at once', 'forceExit'],
  ['why later', 'explainPrecedence'],
  ['see request', 'requestView'],
  ['agenda', 'delay queue'],
  ['roster, rosters', 'merged node list'],
  ['seldom', 'rarely; sampling intervals'],
  ['truce', 'conflict backoff'],
  ['used elsewhere', 'remote usage'],
  ['unspoken', 'protocol fault'],
  ['of later', 'statusMayComeLater'],
];

const CHECKED = [
  'src',
  'bin',
  'scripts',
  'test',
  'bench',
  'docs',
  'examples',
  'manifests',
  'charts',
  'crds',
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'GOVERNANCE.md',
  '.github',
];
const TEXT = /\.([cm]?[jt]s|ya?ml|md|sh|tpl|txt|json)$/;
/** Generated, results of runs, and the list of words itself. */
const SKIPPED = /(^|\/)gen\/|^docs\/openapi\.yaml$|^bench\/results\/|check-vocabulary|ratchet\.json$/;

const patternOf = (forms: readonly string[]) => `\\b(?:${forms.join('|')})\\b`;
const patterns = banned.map(([list, instead]) => {
  const forms = list.split(', ');
  return { name: forms[0] as string, word: new RegExp(patternOf(forms), 'g'), instead };
});
/** One pass for the many lines that have none of them. */
const any = new RegExp(patternOf(banned.flatMap(([list]) => list.split(', '))));

/** Names that others read: fields, paths, parameters, reasons. A plain word is no such name. */
export type ContractNames = ReadonlySet<string>;

/** `fooBar`, `foo-bar` and `foo_bar` as words. */
const wordsOf = (line: string) =>
  line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[-_]/g, ' ')
    .toLowerCase();

const COMPOUND = /[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)+|[A-Za-z][a-z0-9]+(?:[A-Z][a-z0-9]*)+/g;

/** The field's own uses of words that are banned elsewhere: sockets and DNS servers refuse, Envoy retries a refused stream. */
const FIELD_USE =
  /\b(connections?|econn|tcp|dial)\W+((is|are|was|were|be|been|being)\W+)?refuse[ds]?\b|\brefus(e|es|ed|ing)\W+((a|the|its|all|new)\W+)?(connections?|streams?)\b/g;

/** A word as a field, a value or a part of a path: the same word in a sentence is none. */
const field = (name: string) =>
  new RegExp(`(?<=[./'"{\`][ ]?)${name}\\b(?![ ]\\w)|\\b${name}(?=\\??:|[ ]\\}|;|\\.\\w|\\[)|^\\s*${name},$`, 'g');

/** What others read and no description lists as a compound name, and why it stays. */
const contractWords: readonly (readonly [name: RegExp, reason: string])[] = [
  [field('refusals'), 'what a node rejects: a field and a path of the admin API, and of messages between replicas'],
  [field('refusal'), 'a message of replicas before this version'],
  [field('refused'), 'an outcome of route tests, a result of AI spans, a field of the agent, a kind of event'],
  [field('REFUSED'), 'an answer code of DNS'],
  [/\b(configuration|name|model|provider|reading)_refused\b|\bnames_refused_total\b/g, 'error codes and a metric'],
  [/\bstream_routes\b/g, 'a type of resources in Layout 2 of the admin API'],
  [/\bStreamRoutes\b/g, "a method of Envoy's route discovery"],
  [
    /\bgatewright\.(ladder|ai\.refused-credential)\b/g,
    'names in proxies: with another one an upgrade would drain connections',
  ],
];

/** What a file's line says in this project's own words: without quoted code of documents and without names of the contract. */
function ownWords(file: string, line: string, contract: ContractNames): string {
  const prose = file.endsWith('.md') ? line.replace(/`[^`]*`/g, ' ') : line;
  const own = contractWords.reduce((rest, [name]) => rest.replace(name, ' '), prose);
  return wordsOf(own.replace(COMPOUND, (name) => (contract.has(name) ? ' ' : name))).replace(FIELD_USE, ' ');
}

/** Each banned word of a text, under the word that was found. */
export function bannedWordsOf(file: string, text: string, contract: ContractNames = new Set()): readonly Finding[] {
  return text.split('\n').flatMap((line, at) => {
    const words = ownWords(file, line, contract);
    if (!any.test(words)) return [];
    return patterns.flatMap(({ name, word, instead }) =>
      [...words.matchAll(word)].map(([found]) => ({ name, line: `${file}:${at + 1}: "${found}": say ${instead}` })),
    );
  });
}

interface Finding {
  readonly name: string;
  readonly line: string;
}

const MAX_WORDS = 35;
/** Pages that people read; reports of conformance are lists of names. */
const DOCUMENT =
  /^(docs\/(?!(?:inference-)?conformance\.md).*|README|SECURITY|CHANGELOG|CONTRIBUTING|GOVERNANCE|CODE_OF_CONDUCT|test\/(attack|cluster|conformance)\/README)\.md$/;

/** The sentences of a document with more words than allowed; tables, ordered lists, headings and code are no prose. */
export function longSentencesOf(file: string, text: string): readonly Finding[] {
  return paragraphsOf(text).flatMap(({ line, prose }) =>
    prose
      .split(/(?<=[.!?][)"*_]*)\s+(?=[("*_`[]*[A-Z`])/)
      .map((sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length)
      .filter((words) => words > MAX_WORDS)
      .map((words) => ({
        name: 'long sentences',
        line: `${file}:${line}: a sentence of ${words} words, at most ${MAX_WORDS}`,
      })),
  );
}

const NO_PROSE = /^\s*(\||#|\d+\.\s|<|\[\w+\]:)/;

interface Paragraph {
  readonly line: number;
  readonly prose: string;
}

/** Runs of lines that are prose; a bullet begins a new one. */
function paragraphsOf(text: string): readonly Paragraph[] {
  const withoutCode = text.replace(/^( *)```[\s\S]*?^\1```/gm, (code) => code.replace(/[^\n]/g, ''));
  const paragraphs: { line: number; prose: string }[] = [];
  let open: { line: number; prose: string } | undefined;
  for (const [at, line] of withoutCode.split('\n').entries()) {
    if (line.trim() === '' || NO_PROSE.test(line)) open = undefined;
    else if (open && !/^\s*[-*] /.test(line)) open.prose += ` ${line.trim()}`;
    else {
      open = { line: at + 1, prose: line.trim() };
      paragraphs.push(open);
    }
  }
  return paragraphs;
}

/** All findings below `root`, by word; files that changed last come first. */
export function checkVocabulary(root: string): Findings {
  const contract = contractNames(root);
  const texts = filesOf(root).map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const documents = texts.filter(({ file }) => DOCUMENT.test(file));
  return byName([
    ...texts.flatMap(({ file, text }) => bannedWordsOf(file, text, contract)),
    ...documents.flatMap(({ file, text }) => longSentencesOf(file, text)),
  ]);
}

function byName(findings: readonly Finding[]): Findings {
  const grouped = Object.groupBy(findings, ({ name }) => name);
  return Object.fromEntries(Object.entries(grouped).map(([name, found = []]) => [name, found.map(({ line }) => line)]));
}

/** The compound names of the admin API, of our resources and of the configuration file. */
function contractNames(root: string): ContractNames {
  const files = [
    'docs/openapi.yaml',
    'docs/config.schema.json',
    ...readdirSync(join(root, 'crds')).map((file) => `crds/${file}`),
  ];
  const texts = files.map((file) => readFileSync(join(root, file), 'utf8'));
  return new Set(texts.flatMap((text) => text.match(COMPOUND) ?? []));
}

function filesOf(root: string): readonly string[] {
  const changedAt = (file: string) => statSync(join(root, file)).mtimeMs;
  return CHECKED.flatMap((path) => (path.includes('.') ? [path] : below(root, path)))
    .filter((file) => TEXT.test(file) && !SKIPPED.test(file))
    .map((file) => ({ file, at: changedAt(file) }))
    .sort((a, b) => b.at - a.at)
    .map(({ file }) => file);
}

const below = (root: string, folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`);
