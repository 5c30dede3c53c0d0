/**
 * How Envoy's words (`%RESPONSE_CODE_DETAILS%`) for a login that it denies begin, where something of the request follows: its query, with what was
 * typed into a form, or the code of the login. Source: the filter oauth2 of Envoy 1.40.
 */
export const quotingDetails = [
  'Code or state query param does not exist',
  'Failed to decrypt code verifier',
  'OAuth server returned an error',
  'State query param',
  'State url',
  'Unauthorized, and',
  'authority or original_request_uri failed',
  'redirect_uri failed',
] as const;

/** Envoy's words without what they quote. */
export const withoutQuotes = (details: string): string =>
  quotingDetails.some((beginning) => details.startsWith(beginning)) ? (details.split(': ')[0] ?? '') : details;
