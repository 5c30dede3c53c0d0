import type { GatewrightOperator, OperatorOptions } from './operator.ts';

/** Makes the operator. Loaded when asked for, with its framework: see `clientLibrary`. */
export async function createOperator(options: OperatorOptions): Promise<GatewrightOperator> {
  const { GatewrightOperator } = await import('./operator.ts');
  return new GatewrightOperator(options);
}
