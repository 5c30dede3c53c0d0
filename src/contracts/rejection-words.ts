/** Envoy may quote a whole certificate; a condition's message ends at 32,768 characters. */
const longestMessage = 1024;
const validation = 'Proto constraint validation failed';

/** Why a proxy rejects something, on one line, cut, and without the dump of the message that Envoy puts before what its validation says of it. */
export function rejectionWords(message: string): string {
  const said = message.lastIndexOf(validation);
  const text = (said < 0 ? message : message.slice(said))
    .slice(0, 4 * longestMessage)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
}
