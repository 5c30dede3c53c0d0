/** Conditions in CEL: what of the language rules may use, and what a text comes to. */
export { readExpression } from './read-expression.ts';
