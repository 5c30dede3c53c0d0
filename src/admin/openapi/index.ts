/** The description of the admin API for people and programs, generated from the endpoints that answer it. */
export { ApiDescription } from './api-description.ts';
export { openApiDocument } from './document.ts';
export { describedOperations } from './operations.ts';
