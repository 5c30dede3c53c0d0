import * as z from 'zod';
import * as ir from '../../ir/index.ts';
import { named } from '../resource/leaves.ts';

export const policyName = named('PolicyName', 'An AccessPolicy.', { namespace: z.string(), name: z.string() });
export const part = z.enum(ir.accessParts);
export const level = z.enum(ir.accessLevels);
