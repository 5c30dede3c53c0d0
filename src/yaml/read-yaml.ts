import { Composer, type Document, Lexer, LineCounter, Parser, YAMLParseError } from 'yaml';
import { addDuplicateKeys } from './duplicate-keys.ts';

/** Levels of maps and lists in each other. Far deeper than any object is, far less than the stack is. */
export const largestDepth = 100;

/** Anchors and aliases in one document together: the library looks for each alias among all of them. */
export const largestAliases = 2_000;

/** Why nothing of a text is read. */
export interface YamlFault {
  /** Where in the text. */
  readonly offset: number;
  readonly message: string;
}

/** What a text holds: its documents, each with its errors, or why it is not read at all. */
export interface ReadText {
  /** None when there is a fault. */
  readonly documents: readonly Document.Parsed[];
  readonly lines: LineCounter;
  readonly fault?: YamlFault;
}

/** Reads all documents of a text. Never throws, whatever the text is; the work follows its length. */
export const readYaml = (text: string): ReadText => read(text, { isOne: false });

/** A text's one document, or why it is not read. */
export type ReadDocument = { readonly lines: LineCounter } & (
  | { readonly document: Document.Parsed }
  | { readonly fault: YamlFault }
);

/**
 * As `readYaml`, of a text that has one document: there is one for an empty text too, and a second is an error of the first. Merge keys are
 * keys like others.
 */
export function readYamlDocument(text: string): ReadDocument {
  const { documents, lines, fault } = read(text, { isOne: true });
  const [document, second] = documents;
  if (document === undefined) return { lines, fault: fault ?? { offset: 0, message: 'holds no document' } };
  if (second !== undefined) {
    const [start, end] = second.range;
    document.errors.push(new YAMLParseError([start, end], 'MULTIPLE_DOCS', 'there is more than one document'));
  }
  return { lines, document };
}

interface Manner {
  readonly isOne: boolean;
}

function read(text: string, manner: Manner): ReadText {
  const lines = new LineCounter();
  // An error costs more to make than its fault costs to write, and most of that is the stack.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return { documents: compose(text, lines, manner), lines };
  } catch (error) {
    return { documents: [], lines, fault: faultOf(error) };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function compose(text: string, lines: LineCounter, { isOne }: Manner): Document.Parsed[] {
  const tokens = tokensOf(text, new Parser(lines.addNewLine));
  lines.addNewLine(0);
  // Merge keys are YAML 1.1, and what kubectl reads has them.
  const composer = new Composer({ prettyErrors: false, merge: !isOne, uniqueKeys: false, logLevel: 'error' });
  const documents = [...composer.compose(tokens, isOne, text.length)];
  for (const document of documents) addDuplicateKeys(document);
  return documents;
}

/** What the lexer says ahead of a plain text, which may look like a marker. */
const textFollows = '\u001f';

/** Gives up as soon as the text is seen to be one that would cost more than it weighs. */
function* tokensOf(text: string, parser: Parser): ReturnType<Parser['parse']> {
  let aliases = 0;
  let before = '';
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    // The document itself, and a scalar, are on the stack too.
    if (parser.stack.length > largestDepth + 2)
      throw new TextFault(parser.offset, `nested deeper than ${largestDepth} levels`);
    if (lexeme === '---' && before !== textFollows) aliases = 0;
    before = lexeme;
    if (lexeme[0] === '&' || lexeme[0] === '*') aliases += 1;
    if (aliases > largestAliases)
      throw new TextFault(parser.offset, `has more than ${largestAliases} anchors and aliases in one document`);
  }
  yield* parser.end();
}

class TextFault extends Error implements YamlFault {
  override readonly name = 'TextFault';
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

function faultOf(error: unknown): YamlFault {
  if (error instanceof TextFault) return error;
  // The library passes long lists as arguments, for which the stack has no room.
  if (error instanceof RangeError) return { offset: 0, message: 'has more on one line than can be read' };
  throw error;
}
