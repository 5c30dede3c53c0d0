/** Markdown as nodes of the document, for the pages that have some: what every page starts with does without. */
export { anchorOf, Markdown, type MarkdownToken } from './markdown.tsx';
