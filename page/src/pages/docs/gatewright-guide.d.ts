/** The user documentation, which the build of the page makes of docs/*.md (scripts/generate/page-guide.ts). */
declare module 'gatewright:guide' {
  interface Document {
    /** Such as `problems.md`. */
    readonly file: string;
    readonly title: string;
    readonly headings: readonly string[];
    readonly load: () => Promise<{ readonly default: readonly import('../../markdown/index.ts').MarkdownToken[] }>;
  }
  /** In the order of their titles. */
  export const documents: readonly Document[];
}
