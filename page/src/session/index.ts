/** Who uses the page, and what it may show. */
export { capabilities, mayWrite, startSession, who } from './session.ts';
