/** The chat's tools for other programs' models, by the Model Context Protocol. Loaded at the first request, because the library is large. */
export { createMcpService, type ServeMcp } from './serve-http.ts';
export { serveMcpOnStdio } from './serve-stdio.ts';
