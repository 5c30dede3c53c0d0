/**
 * Largest RE2 program of a regular expression. Envoy's default of 100 rejects ordinary patterns; above this one, matching
 * costs more than a request should. Proxies are started with it, and patterns are held against it before they are sent.
 */
export const maxRegexProgramSize = 2000;
