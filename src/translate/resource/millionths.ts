import { FractionalPercent_DenominatorType as Denominator } from '../../envoy/index.ts';

export const million = 1_000_000;

/** So many of a million requests, as Envoy writes it in filters. */
export const fractionOf = (numerator: number) => ({ numerator, denominator: Denominator.MILLION });

/** So many of a million requests, as Envoy writes it in routes. */
export const millionths = (numerator: number) => ({
  defaultValue: fractionOf(numerator),
});
