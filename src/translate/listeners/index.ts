/** LDS: open ports, and what requests pass in each of their chains. */
export { encodableListener } from './encodable-listener.ts';
export { translateListener } from './listener.ts';
