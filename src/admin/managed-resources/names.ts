const label = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const subdomain = new RegExp(`^${label}(?:\\.${label})*$`);
const version = /^v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?$/;

/**
 * Whether an object or a namespace could have this name (RFC 1123 subdomain). Names become parts of API paths and of file names, so nothing
 * else may get that far: `..` would be a way elsewhere.
 */
export const isName = (text: string): boolean => text.length <= 253 && subdomain.test(text);

/** Whether an API version could be called so: `v1`, `v1beta2`. */
export const isVersion = (text: string): boolean => version.test(text);
