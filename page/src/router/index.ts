/** Where the page is: in the fragment of its address, so that it works behind any prefix. */
export { changeQuery, go, link, place, queryValue } from './location.ts';
