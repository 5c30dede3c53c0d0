import * as z from 'zod';
import * as ir from '../../ir/index.ts';
import { named } from '../resource/leaves.ts';

export const policyName = named('PolicyName', 'An AccessPolicy.', { namespace: z.string(), name: z.string() });
/** Its name in clients comes from the first answer that had it. */
export const part = z.enum(ir.accessParts).meta({ id: 'JudgedPartPart' });
export const level = z.enum(ir.accessLevels);
