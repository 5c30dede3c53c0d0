/** Words, numbers and times in the language of the page, and what rules are called. */
export { ruleLabel } from './rule-label.ts';
export {
  ago,
  chooseLanguage,
  count,
  day,
  decimal,
  duration,
  type Language,
  language,
  languages,
  percent,
  plural,
  rate,
  texts,
  timeOfDay,
} from './texts.ts';
