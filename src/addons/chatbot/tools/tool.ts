import type { z } from 'zod';
import type { AdminAnswer, AdminQuestion } from '../ask-admin.ts';

/** What a tool may use: questions to the admin API, whose errors are thrown as AdminRejection. */
export interface ToolContext {
  ask(question: AdminQuestion): Promise<AdminAnswer>;
}

/** What a tool found. */
export interface ToolFinding {
  /** One line for people. */
  readonly summary: string;
  /** JSON, for a model or a program. */
  readonly value: unknown;
}

/** A question about this gateway that every user may ask: it changes nothing. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For a model: what it answers, and when to ask it. */
  readonly description: string;
  readonly input: Input;
  run(input: z.output<Input>, context: ToolContext): Promise<ToolFinding>;
}

/** Keeps the type of the input for `run`, and forgets it for the table. */
export const tool = <Input extends z.ZodObject>(definition: Tool<Input>): Tool => definition as unknown as Tool;
