import * as z from 'zod';

// What answers of several resources are made of.

export const time = z.iso.datetime({ precision: 3 });
/** A moment as `time` has it. */
export const timeText = (moment: Date): string => moment.toJSON();
export const timeTextOrNull = (moment: Date | undefined): string | null => (moment ? timeText(moment) : null);

export const count = z.int().min(0);
export const flag = z.boolean();
export const object = z.strictObject;

/** An object that the description of the API knows by a name, which is that of a type in generated clients; names are never given twice. */
export const named = <S extends z.core.$ZodLooseShape>(id: string, description: string, shape: S) =>
  z.strictObject(shape).meta({ id, description });
export const reference = named('ObjectReference', 'Which object.', {
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
});

export const condition = named('Condition', 'A condition as the Gateway API has it.', {
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

export const warning = named('Warning', 'Something an operator should look at.', {
  code: z.string(),
  message: z.string(),
});

export const answer = z.enum(['ACK', 'NACK']).nullable();
