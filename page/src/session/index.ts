/** Who uses the page, and what it may show. */
export { capabilities, startSession, who } from './session.ts';
