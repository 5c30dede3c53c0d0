/** The description of the admin API for people and programs, made from the schemas that its tests hold the answers against. */
export { openApiDocument, operations } from './document.ts';
export type { Operation } from './operation.ts';
export { docsPage, pagePolicy } from './page.ts';
