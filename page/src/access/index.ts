/** What is said of policies of access. A room of its own, as only some pages say it. */

export { PolicyName } from './policy-name.tsx';
export { accessWords } from './words.ts';
