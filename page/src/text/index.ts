/** Words, numbers and times in the language of the page. */
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
