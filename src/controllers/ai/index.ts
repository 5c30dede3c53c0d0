/** What AIServices and TokenPolicies share. */
export { budgetHeadersOf, type TargetKind, type TokenPolicyObject, tokenPolicyEdges } from './budget-headers.ts';
