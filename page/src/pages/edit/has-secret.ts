/** Whether a text may hold a Secret. Without a reader of YAML: other pages keep drafts, too. */
export const hasSecret = (text: string): boolean => /^\s*["']?kind["']?\s*:\s*["']?Secret\b/m.test(text);
