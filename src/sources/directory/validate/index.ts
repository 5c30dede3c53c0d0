/** Validation of objects as the API server does it, without an API server. */
export { type Cause, pathText } from './schema.ts';
export { type FindOld, type ObjectId, ObjectValidator, type Verdict } from './validator.ts';
