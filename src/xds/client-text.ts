// C0 and C1 but tab and line feed, marks that turn the direction of text, and line breaks of Unicode.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * What a client wrote, for logs, answers and terminals: at most so long, and nothing in it that moves a cursor or turns the direction of
 * text. A copy, for the part of a long text would keep the whole in memory.
 */
export function clientText(text: string, maxLength: number, ending = ''): string {
  const kept = text.length > maxLength ? `${Buffer.from(text.slice(0, maxLength)).toString()}${ending}` : text;
  return kept.replaceAll(unprintable, '?');
}

/** One line of printable ASCII. */
export const clientWord = (text: string, maxLength: number): string =>
  clientText(text, maxLength).replaceAll(/[^ -~]/g, '?');

/** Whether the text is 1 to so many printable characters of ASCII, without spaces around it. */
export const isPrintable = (text: string, maxLength: number): boolean =>
  text.length <= maxLength && /^[!-~](?:[ -~]*[!-~])?$/.test(text);
