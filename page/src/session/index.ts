/** Who uses the page, and what it may show. */
export { capabilities, mayChange, mayWrite, startSession, who } from './session.ts';
