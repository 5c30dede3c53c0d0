import * as z from 'zod';

// What answers of several resources are made of.

export const time = z.iso.datetime({ precision: 3 });
/** A moment as `time` has it. */
export const timeText = (moment: Date): string => moment.toJSON();
export const timeTextOrNull = (moment: Date | undefined): string | null => (moment ? timeText(moment) : null);

export const count = z.int().min(0);
export const flag = z.boolean();
export const object = z.strictObject;
export const reference = object({ kind: z.string(), namespace: z.string(), name: z.string() });

export const condition = object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  observedGeneration: z.number().optional(),
});

/** The addresses of a Gateway. */
export const addresses = z.array(object({ type: z.string(), value: z.string() }));
/** The first fields of a Gateway's listener. */
export const listener = { name: z.string(), port: z.int(), protocol: z.string(), hostname: z.string().nullable() };

export const warning = object({ code: z.string(), message: z.string() });

export const answer = z.enum(['ACK', 'NACK']).nullable();
