export { type OperatorOptions, startOperator } from './operator.ts';
