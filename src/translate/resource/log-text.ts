/** In a text of our own: a field or header between percent signs, or a percent sign. */
const placeholder = /%%|%(request|response)_headers\(([^()%]+)\)%|%([a-z0-9_.]+)%/g;

const headerOperators = { request: 'REQUEST_HEADER', response: 'RESPONSE_HEADER' } as const;

/** The text in Envoy's format. `formats`: by field; one that is not known stands for nothing. */
export const formatOfText = (text: string, formats: Readonly<Record<string, string | undefined>>): string =>
  text.replace(placeholder, (found, of: 'request' | 'response' | undefined, header: string, field: string) => {
    if (found === '%%') return found;
    if (of) return `%${headerOperators[of]}(${header})%`;
    return (Object.hasOwn(formats, field) ? formats[field] : undefined) ?? '-';
  });
