/** A pattern in RE2's syntax, as matches and rewrites have them, for this text and no other. */
export const literalPattern = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
