/** Rate limits that a proxy shares with others: what it may let through is taken from the control plane ahead of requests. */
export { LimitService } from './limit-service.ts';
