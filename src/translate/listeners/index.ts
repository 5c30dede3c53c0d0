/** LDS: open ports, and what requests pass in each of their chains. */
export { translateListener } from './listener.ts';
