/** The frame around all pages. */
export { App } from './app.tsx';
export { showInTitle } from './verdict.ts';
