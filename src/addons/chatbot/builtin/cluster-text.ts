/** What would be more than words where an answer is shown as Markdown: links, images, HTML, code, headings. */
const markup = /\]\s*[([]|<|`|:\/\/|\bwww\.|^\s*[#>+~-]/i;
const mostLetters = 500;

/**
 * A text that other people wrote, such as a name or the message of a condition, as part of an answer: on one line, of bounded length, and as
 * code where it could be anything else than words. Nothing in it becomes a link or a heading.
 */
export function clusterText(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const short = line.length > mostLetters ? `${line.slice(0, mostLetters)}…` : line;
  return markup.test(short) ? `\`${short.replaceAll('`', "'")}\`` : short;
}

const mostAnswer = 12_000;

/** An answer is read by people: whatever the world holds, it ends. */
export const bounded = (text: string): string => (text.length > mostAnswer ? `${text.slice(0, mostAnswer)}…` : text);

export const lines = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');

export const paragraphs = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => part !== false && part !== undefined && part !== '').join('\n\n');

/** So many things are listed; how many more there are is said. */
export const mostListed = 10;
