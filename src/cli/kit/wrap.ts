/** Lines that fit: one that is too long goes on below, further in than it began. Words are never cut. */
export const wrapped = (lines: readonly string[], width: number | undefined): string[] =>
  width === undefined ? [...lines] : lines.flatMap((line) => wrap(line, width));

function wrap(line: string, width: number): string[] {
  const indent = ' '.repeat(Math.min((/^ */.exec(line)?.[0].length ?? 0) + 2, Math.floor(width / 2)));
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const inside = rest.slice(0, width + 1);
    const at = inside.trimStart().lastIndexOf(' ') + (inside.length - inside.trimStart().length);
    // A word that is longer than the line stays whole.
    const end = at > indent.length ? at : rest.indexOf(' ', indent.length + 1);
    if (end === -1) break;
    lines.push(rest.slice(0, end).trimEnd());
    rest = indent + rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
