/** Names that a header or a cookie can have: no request has another. Source: RFC 9110, section 5.6.2 (token). */
export const headerName = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;
