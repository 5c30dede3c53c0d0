/** Words that the command, the chat and the page have in common, so that people read the same in each. The agent loads none of them. */
export { pickWords } from './pick-words.ts';
